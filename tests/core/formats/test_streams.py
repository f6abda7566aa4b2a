"""A stream in a format of another agent says what the whole reply says, in whatever pieces it arrives."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from format_samples import SAMPLES, SECTIONS, Sample
from hypothesis import assume, given
from hypothesis import strategies as st
from streams import drain, said

from symops_lark import Document, RenderError, StreamParser, process, read_format, write_format
from symops_lark.core.document import Action
from symops_lark.core.formats.loading import load_format
from symops_lark.core.result import ProtocolError
from symops_lark.core.streaming import ActionFinished, ActionStarted, ContentDelta, Event, Noticed, assemble
from symops_lark.core.streaming.formats.reader import FormatReader
from symops_lark.core.streaming.incoming import Incoming

PROSE = "\nThis is what I did.\nThe tests pass.\n\n"


def placed(document: Document) -> list[tuple[object, ...]]:
    return [(action.span, action.completeness) for action in document.actions]


def stream(pieces: Sequence[str], name: str) -> tuple[list[Event], StreamParser]:
    parser = StreamParser(name)
    return list(parser.events(pieces)), parser


def ids(sample: Sample) -> str:
    return sample.format


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("sample", SECTIONS, ids=ids)
def test_a_stream_announces_what_the_whole_reply_has(sample: Sample, ending: str) -> None:
    text = f"I do it.\n\n{sample.text}{PROSE}{sample.text}".replace("\n", ending)
    events, parser = stream(list(text), sample.format)
    whole_format = read_format(text, sample.format)
    announced = assemble(events)
    assert said(announced) == said(whole_format)
    assert placed(announced) == placed(whole_format)
    closed = parser.close()
    assert closed.result is not None and closed.differences == ()
    assert closed.result == process(text, sample.format)
    assert parser.dialect is None


@given(st.sampled_from(SAMPLES), st.lists(st.integers(0, 400), max_size=6))
def test_pieces_change_nothing(sample: Sample, cuts: list[int]) -> None:
    text = sample.text + PROSE + sample.text
    places = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    pieces = [text[start:end] for start, end in pairwise(places)]
    assert stream(pieces, sample.format)[0] == stream([text], sample.format)[0]


@given(st.lists(st.sampled_from([line for sample in SAMPLES for line in sample.text.split("\n")]), max_size=12))
def test_any_text_is_streamed_and_its_differences_are_reported(lines: list[str]) -> None:
    text = "\n".join(lines)
    for name in ("qwen_xml", "named_fences", "apply_patch", "hermes_json"):
        events, parser = stream([text], name)
        closed = parser.close()
        assert closed.document is not None
        assert said(assemble(events)) == said(closed.document) or closed.differences


@pytest.mark.parametrize("sample", SECTIONS, ids=ids)
def test_an_action_is_announced_before_the_reply_ends(sample: Sample) -> None:
    parser = StreamParser(sample.format)
    parser.receive(sample.text + PROSE)
    started = 0
    while isinstance(event := parser.next_event(), ActionStarted | ContentDelta | ActionFinished | Noticed):
        started += isinstance(event, ActionStarted)
    assert started == len(sample.actions)


@pytest.mark.parametrize("sample", SECTIONS, ids=ids)
def test_places_of_literal_lines_are_exact(sample: Sample) -> None:
    text = f"I do it.\n\n{sample.text}{PROSE}{sample.text}"
    exact = 0
    for event in stream([text], sample.format)[0]:
        if isinstance(event, ContentDelta):
            place = text[event.span.start : event.span.end]
            exact += place == event.text
            line = text.count("\n", 0, event.span.start) + 1
            assert event.span.line == line
    has_content = any(content for _, _, content in sample.actions)
    if has_content and sample.format in ("named_fences", "file_tags", "heredoc"):
        assert exact


# Formats whose contents are in the reply as they are, up to a mark.
LITERAL = ("file_tags", "glm", "heredoc", "invoke_xml", "named_fences", "qwen_xml", "tag_calls")
LINES = (
    "",
    "  ",
    "x = 1",
    "    return x  ",
    "</b>",
    "```",
    "EOF",
    "</parametr>",
    "</content>",
    "<<<<<<< SEARCH",
    "=======",
    ">>>>>>> REPLACE",
)


def write(content: str, name: str) -> str:
    return write_format(Document((Action("create", "a.py", content),)), name)


@pytest.mark.parametrize("name", LITERAL)
def test_a_content_is_given_out_before_its_section_ends(name: str) -> None:
    content = "\n".join(f"value_{number} = {number}\n" for number in range(40))
    text = write(content, name)
    parser = StreamParser(name)
    begin = text.index("value_30")
    parser.receive(text[:begin])
    events = list(drain(parser))
    pieces = [event.text for event in events if isinstance(event, ContentDelta)]
    assert "value_25 = 25" in "".join(pieces) and content.startswith("".join(pieces))
    assert sum(isinstance(event, ActionStarted) for event in events) == 1
    parser.receive(text[begin:])
    events += drain(parser)
    closed = parser.close()
    events += drain(parser)
    assert closed.document is not None and closed.differences == ()
    assert said(assemble(events)) == said(closed.document) == [("create", "a.py", content, ())]
    for event in events:
        if isinstance(event, ContentDelta):
            assert text[event.span.start : event.span.end] == event.text


@given(
    st.sampled_from(LITERAL),
    st.lists(st.sampled_from(LINES) | st.integers().map("x = {}".format), min_size=9, max_size=40),
    st.booleans(),
    st.integers(0, 2_000),
    st.sampled_from(["", PROSE, "\n</think>\nNo.\n"]),
)
def test_what_was_given_out_is_a_beginning_of_the_content(
    name: str, lines: list[str], is_cut: bool, place: int, following: str
) -> None:
    try:
        text = write("\n".join(lines), name)
    except RenderError:
        assume(False)
    # Without one character, or without its end.
    text = text[:place] if is_cut else text[:place] + text[place + 1 :]
    events, parser = stream(list(text + following), name)
    assert events == stream([text + following], name)[0]
    changed = [difference for difference in parser.close().differences if difference.kind == "changed"]
    assert not changed


def test_a_long_content_is_not_read_again() -> None:
    text = write("\n".join(f"x = {number}" for number in range(5_000)), "qwen_xml")
    reader = FormatReader(load_format("qwen_xml"))
    incoming = Incoming()
    incoming.put(text)
    while incoming.has_lines:
        reader.read(incoming.next_line())
    # Once for its first lines, and once at its end.
    assert reader._spent < len(text) * 1.1


def test_a_page_about_blocks_is_no_edit() -> None:
    page = "# Edits\n\n" + "Write what you search.\n" * 9 + "\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
    (action,) = read_format(write(page, "qwen_xml")).actions
    assert (action.type, action.content) == ("create", page)


def test_a_doubt_comes_before_its_action() -> None:
    (sample,) = [sample for sample in SAMPLES if sample.format == "named_fences"][:1]
    events, _ = stream([sample.text, PROSE], "named_fences")
    assert isinstance(events[0], Noticed) and events[0].diagnostic.code == "file-without-verb"
    assert isinstance(events[1], ActionStarted)


def test_a_file_that_is_repeated_is_announced_once() -> None:
    text = "a.py\n```python\nx = 1\n```\n\nAgain:\n\n"
    events, parser = stream([text * 3], "named_fences")
    assert sum(isinstance(event, ActionStarted) for event in events) == 1
    assert parser.close().differences == ()


def test_a_reply_without_a_section_is_an_error_of_the_result() -> None:
    _, parser = stream(["Hello.\n"], "qwen_xml")
    assert isinstance(parser.close().error, ProtocolError)


def test_without_the_text_there_are_events_but_no_result() -> None:
    parser = StreamParser("qwen_xml", keep=False)
    text = next(sample.text for sample in SAMPLES if sample.format == "qwen_xml")
    events = list(parser.events([text]))
    assert any(isinstance(event, ActionStarted) for event in events)
    assert parser.close().result is None


@pytest.mark.parametrize("line", ["x = 1\n", "===\n", "<tool_call>\n", "</function>\n", "a.py\n```python\n"])
@pytest.mark.parametrize("name", ["qwen_xml", "named_fences"])
def test_what_is_read_again_is_bounded(line: str, name: str) -> None:
    reader = FormatReader(load_format(name))
    incoming = Incoming()
    incoming.put(line * 2_000)
    received = 0
    while incoming.has_lines:
        placed_line = incoming.next_line()
        received += len(placed_line.text)
        reader.read(placed_line)
    # A text that grows by a sixteenth until it is read again is read 17 times in all.
    assert reader._spent <= 50 * (received + 4_000)
