"""A stream without a named format: the notation that begins first owns the reply, and nothing is taken back."""

from __future__ import annotations

from itertools import pairwise

import pytest
from format_samples import SECTIONS, Sample
from hypothesis import given
from hypothesis import strategies as st
from streams import drain, said

from symops_lark import ProtocolError, StreamParser, process
from symops_lark.core.streaming import ActionStarted, assemble
from symops_lark.core.streaming.formats.reader import FormatReader

PROSE = "\nThis is what I did.\nThe tests pass.\n\n"
OURS = "::create @ours.py\n<<<\nx = 1\n>>>\n"
CALL = (
    "<tool_call>\n<function=write_file>\n<parameter=path>\na.py\n</parameter>\n"
    "<parameter=content>\n{}</parameter>\n</function>\n</tool_call>\n"
)
# A file's name above a fence is no verb, and a patch may only be shown: the whole reply decides.
WAITING = ("named_fences", "apply_patch", "unified_diff")
OWNERS = [sample for sample in SECTIONS if sample.format not in WAITING and "```" not in sample.text.split("\n")[0]]


@pytest.mark.parametrize("sample", OWNERS, ids=lambda sample: sample.format)
def test_sections_are_announced_as_they_are_read(sample: Sample) -> None:
    parser = StreamParser()
    parser.receive(f"I do it.\n\n{sample.text}{PROSE}")
    events = list(drain(parser))
    started = [event for event in events if isinstance(event, ActionStarted)]
    assert len(started) == len(sample.actions)
    parser.receive(sample.text + PROSE)
    closed = parser.close()
    events += drain(parser)
    assert closed.document is not None and closed.differences == () and parser.dialect is None
    assert said(assemble(events)) == said(closed.document)
    assert closed.result == process(f"I do it.\n\n{sample.text}{PROSE}{sample.text}{PROSE}")


@pytest.mark.parametrize("sample", SECTIONS, ids=lambda sample: sample.format)
def test_the_end_announces_what_had_to_wait(sample: Sample) -> None:
    parser = StreamParser()
    events = list(parser.events(["I do it.\n\n" * 10, sample.text]))
    closed = parser.close()
    assert closed.result is not None and closed.differences == ()
    assert said(assemble(events)) == said(closed.result.document)


PARTS = (*(sample.text for sample in SECTIONS), PROSE, OURS, "\n\nUser: go on\n\n", "?? which\n", ">> I think\n")
THOUGHT = f"<think>\n{CALL.format('draft')}\n</think>\n"


@given(st.lists(st.sampled_from([*PARTS, THOUGHT]), max_size=6), st.lists(st.integers(0, 900), max_size=5))
def test_nothing_is_announced_that_the_whole_reply_does_not_have(parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    places = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    pieces = [text[start:end] for start, end in pairwise(places)]
    parser = StreamParser()
    events = list(parser.events(pieces))
    repeated_parser = StreamParser()
    assert events == list(repeated_parser.events([text]))
    closed = parser.close()
    try:
        assert closed.result == process(text)
    except ProtocolError as error:
        assert str(closed.error) == str(error)
    # Streams in dialects have laws of their own.
    if parser.dialect is None:
        assert not [row for row in closed.differences if row.kind != "not-announced"]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (CALL.format("x\n") + OURS, ["a.py"]),
        (f"I do it.\n\n{CALL.format('x')}then\n{OURS}", ["a.py"]),
        (CALL.format(OURS) + PROSE, ["a.py"]),
        (f"?? which\n{CALL.format('x')}", ["a.py"]),
        (OURS + CALL.format("x\n"), ["ours.py"]),
        (f"I do it.\n{OURS}then\n{CALL.format('x')}", ["ours.py"]),
    ],
)
def test_what_begins_first_owns_the_reply(text: str, paths: list[str]) -> None:
    for size in (1, 7, len(text)):
        parser = StreamParser()
        events = list(parser.events([text[at : at + size] for at in range(0, len(text), size)]))
        assert [action.path for action in assemble(events).actions] == paths
        closed = parser.close()
        assert closed.document is not None
        assert [action.path for action in closed.document.actions] == paths


def test_a_draft_in_a_section_of_thinking_is_not_announced() -> None:
    parser = StreamParser()
    events = list(parser.events([THOUGHT.replace("a.py", "draft.py"), CALL.format("x\n"), PROSE]))
    assert [action.path for action in assemble(events).actions] == ["a.py"]


@pytest.mark.slow
@pytest.mark.parametrize("line", ["::create @b.py\n", "x = 1\n", "<tool_call>\n", "</parameter>\n", "a.py\n```\n"])
@pytest.mark.parametrize("head", ["", "<file path='a.md'>\n", '<file path="a.md">\n', "a.md\n```\n", "<tool_call>\n"])
def test_what_is_held_back_is_read_a_bounded_number_of_times(
    head: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = FormatReader.is_inside
    spent = 0

    def counting(self: FormatReader) -> bool:
        nonlocal spent
        spent += self.size
        return inside(self)

    monkeypatch.setattr(FormatReader, "is_inside", counting)
    text = f"I do it.\n{head}{line * 1_500}"
    for event in StreamParser(keep=False).events([text]):
        assert event is not None
    assert spent <= 40 * (len(text) + 4_000)
