"""Streaming: what the discourse says of an action comes before the action, or at the end."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest
from around import AROUND, LATE, replies
from hypothesis import assume, given
from hypothesis import strategies as st
from new_dialects import write_dialects
from stream_laws import check
from streams import after, drain, stream
from texts import DIALECTS
from wings import need_wing

from symops_lark import Action, Document, ProtocolError, StreamParser, SymOpsProcessor, process, render
from symops_lark.core.grammar.codes import NESTED_SECTION, NOT_ASKED, THOUGHT
from symops_lark.core.streaming import ActionFinished, ActionStarted, Event, Noticed, SectionParsed, SectionStarted
from symops_lark.core.streaming.doubts import DOUBTS, Doubts
from symops_lark.core.streaming.incoming import PlacedLine
from symops_lark.core.text.diagnostics import Diagnostic, Severity

FILE = "::create @a.py\n<<<\nx = 1\n>>>\n"


def doubts_of(events: list[Event]) -> list[Diagnostic]:
    diagnostics = [event.diagnostic for event in events if isinstance(event, Noticed)]
    return [diagnostic for diagnostic in diagnostics if diagnostic.code in DOUBTS]


def keys(diagnostics: Iterable[Diagnostic]) -> set[tuple[str, int]]:
    """Return what tells doubts apart: a stream knows the head of an action, a result all of it."""
    return {(diagnostic.code, diagnostic.span.start) for diagnostic in diagnostics if diagnostic.code in DOUBTS}


def early_events(text: str, dialect: str = "v2") -> list[Event]:
    """Return the events that are known before the whole text is."""
    return stream([text], dialect, keep=False)[0]


# ---- laws


@given(replies((*AROUND, *LATE)), st.sampled_from(("\n", "\r\n")))
def test_replies_obey_the_laws_of_streams(text: str, ending: str) -> None:
    check(text.replace("\n", ending), "v2")


@given(replies((*AROUND, *LATE)), st.sampled_from(("\n", "\r\n")))
def test_each_doubt_of_the_result_is_announced_once(text: str, ending: str) -> None:
    text = text.replace("\n", ending)
    noticed = doubts_of(stream([text])[0])
    assert len(keys(noticed)) == len(noticed)
    try:
        result = process(text, "v2")
    except ProtocolError as error:
        final = error.diagnostics
    else:
        final = result.diagnostics
    assert keys(final) <= keys(noticed)


@given(replies())
def test_an_action_that_is_doubted_early_is_doubted_in_the_result(text: str) -> None:
    """If the result has the same actions: the text around others is another one."""
    events = early_events(text)
    result = stream([text])[1].result
    assume(result is not None)
    assert result is not None
    finished = [event.span for event in events if isinstance(event, ActionFinished)]
    assume(finished == [action.span for action in result.document.actions])
    # Without its thinking, the text is another one, too.
    assume(all(note.code != THOUGHT or note.severity is Severity.WARNING for note in result.diagnostics))
    early = {start for _, start in keys(doubts_of(events))}
    assert early <= {start for _, start in keys(result.diagnostics)}
    for action in result.document.actions:
        assert action.span.start not in early or action.confidence <= 0.85


@given(replies())
def test_a_doubt_comes_right_before_its_action(text: str) -> None:
    events = early_events(text)
    for event, following in pairwise(events):
        if isinstance(event, Noticed) and event.diagnostic.code in DOUBTS:
            assert event.diagnostic.severity is Severity.WARNING
            assert isinstance(following, ActionStarted)
            assert event.diagnostic.span.start == following.action.span.start


# ---- examples


@pytest.mark.parametrize(
    ("before", "code"),
    [
        ("User: thanks, now clean up\n\n", "invented-turn"),
        ("<|im_start|>tool\nok\n", "invented-turn"),
        ("<|im_end|>\nBye.\n\n", "behind-the-end"),
        ("For example:\n\n", "not-asked"),
        ("<think>\nhm\n", "thought"),
        ("<|channel|>analysis<|message|>hm\n", "thought"),
    ],
)
def test_a_doubt_is_that_of_the_result(before: str, code: str) -> None:
    text = f"I write the file:\n\n{FILE}\n{before}::run @make clean\n"
    [doubt] = doubts_of(early_events(text))
    assert doubt.code == code
    assert keys([doubt]) <= keys(process(text, "v2").diagnostics)
    assert doubts_of(stream([text])[0]) == [doubt]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_head_of_several_lines_is_doubted_at_its_first_line(dialect: str) -> None:
    actions = (Action("create", "a.py", "x = 1"), Action("run", "ls"))
    text = "For example:\n\n" + render(Document(actions), dialect).lstrip("\n")
    text = text.replace("\n", "\r\n")
    doubts = doubts_of(early_events(text, dialect))
    assert [doubt.code for doubt in doubts] == [NOT_ASKED, NOT_ASKED]
    assert keys(doubts) <= keys(process(text, dialect).diagnostics)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("For example:\n\n::run @ls\n::run @pwd\n", 2),
        (f"For example:\n\n{FILE}\n\n{FILE.replace('a.py', 'b.py')}", 2),
        ("For example:\n\n::create @a.py\n\nit:\n\n<<<\nx = 1\n>>>\n::run @ls\n", 2),
        # neither a thought nor the head of an action is a lead
        ("Words.\n\n>> For example:\n::run @ls\n", 0),
        ("Words.\n\n::run @echo For example:\n::run @ls\n", 0),
    ],
)
def test_lines_of_sections_are_no_leads(text: str, count: int) -> None:
    doubts = doubts_of(early_events(text))
    assert [doubt.code for doubt in doubts] == [NOT_ASKED] * count
    assert keys(doubts) <= keys(process(text, "v2").diagnostics)


def test_a_line_is_read_once() -> None:
    doubts = Doubts()
    lines = []
    start = 0
    for number, text in enumerate(("For example:", "", "::run @ls"), 1):
        lines.append(PlacedLine(text + "\n", start, start + len(text), number))
        start += len(text) + 1
    for line in [*lines, *lines]:
        doubts.put(line)
    doubts.begin(lines[2].span)
    judgment = doubts.judge()
    assert judgment is not None and judgment.code == NOT_ASKED and judgment.span == lines[2].span


def test_another_speaker_before_the_reply() -> None:
    text = f"<|im_start|>user\n::run @ls\n<|im_start|>assistant\n{FILE}"
    [doubt] = doubts_of(early_events(text))
    assert doubt.code == "other-speaker" and keys([doubt]) <= keys(process(text, "v2").diagnostics)


def test_the_end_of_an_action_is_not_delayed() -> None:
    message = after("For example:\n", "::run @ls\n", "\n", "Shall I do that?\n")
    assert message == ["[stray-text]", "[not-asked] run(ls)", "complete, no block", "[prose]", ""]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"I write the file:\n\n{FILE}\nShall I do that?\n", NOT_ASKED),
        (f"## Reasoning\n\n{FILE}\n## Answer\n\nI run it:\n\n::run @ls\n", THOUGHT),
        (f"I write this:\n\n::create @guide.md\n<<<\n{FILE}\nand so on\n>>>\n", NESTED_SECTION),
    ],
)
def test_what_later_text_says_comes_at_the_end(text: str, code: str) -> None:
    assert not doubts_of(early_events(text))
    parser = StreamParser("v2")
    parser.receive(text)
    before = list(drain(parser))
    assert not doubts_of(before) and any(isinstance(event, ActionFinished) for event in before)
    result = parser.close().result
    assert result is not None
    doubts = doubts_of(list(drain(parser)))
    assert code in {doubt.code for doubt in doubts}
    assert doubts == [doubt for doubt in result.diagnostics if doubt.code in DOUBTS]


def test_a_valid_text_is_not_judged() -> None:
    text = f">> <|im_end|>\n>> For example:\n\n{FILE}\n>> <think>\n\n::run @ls\n"
    assert not any(isinstance(event, Noticed) for event in stream([text])[0])


def test_much_text_is_judged_at_the_end_alone() -> None:
    """To read it again at each action would take time that grows with the square of its length."""
    text = "For example:\n\n::run @ls\n" + "Some words between actions.\n\n" * 1_000 + "For example:\n\n::run @pwd\n"
    assert len(doubts_of(early_events(text))) == 1
    assert len(doubts_of(stream([text])[0])) == 2


def test_a_section_of_the_dialect_is_doubted_too(tmp_path: Path) -> None:
    path = write_dialects(tmp_path)["blocks"]
    text = "For example:\n\n## A title\n<<<\nx\n>>>\n\nFor example:\n\n%% quiet\n\nI run this:\n\n::run @ls\n"
    events = list(StreamParser(path).events([text]))
    doubted = []
    for event, following in pairwise(events):
        if isinstance(event, Noticed) and event.diagnostic.code == NOT_ASKED:
            doubted.append(type(following))
    assert doubted == [SectionStarted, SectionParsed]
    assert keys(doubts_of(events)) == keys(process(text, path).diagnostics)


def test_the_answer_of_a_corrector_is_another_text() -> None:
    """Its doubts have no position in what was streamed."""
    need_wing("models")
    from symops_lark import SelfCorrector
    from symops_lark.models import ScriptedModel

    broken = "For example:\n\n::create @a.py\n\nwords\n"
    answer = f"I write the file:\n\n{FILE}\nShall I do that?\n"
    processor = SymOpsProcessor("v2", corrector=SelfCorrector(ScriptedModel([answer] * 5)))
    parser = StreamParser(processor)
    events = list(parser.events([broken]))
    result = parser.close().result
    assert result is not None and result.text == answer
    assert NOT_ASKED in {diagnostic.code for diagnostic in result.diagnostics}
    assert ["example" in doubt.message for doubt in doubts_of(events)] == [True]


# ---- memory


@pytest.mark.slow
@pytest.mark.alike(2)
@pytest.mark.parametrize(
    "piece",
    [
        "words that are nothing\n",
        "\n",
        ">> a thought\n",
        "User: <|im_end|> <think>\n",
        "::run @ls\nwords that are nothing\n",
        "For example:\n\n::run @ls\n\n",
    ],
)
def test_memory_does_not_grow_between_sections(piece: str) -> None:
    def peak(size: int) -> int:
        parser = StreamParser("v2", keep=False)
        tracemalloc.start()
        for _ in range(size // (len(piece) * 40)):
            parser.receive(piece * 40)
            for _ in drain(parser):
                pass
        _, maximum = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return maximum

    peak(10_000)  # loads the tables
    # Python itself keeps up to 2,000 empty tuples of each length.
    assert peak(200_000) < peak(60_000) * 1.3 + 250_000
