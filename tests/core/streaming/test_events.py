"""Streaming: what is announced, and when; what closing gives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from threading import get_ident

import pytest
from streams import after, drain, short, stream

import symops_lark
from symops_lark import (
    NEED_TEXT,
    Action,
    Completeness,
    Document,
    ErrorNote,
    ProtocolError,
    Question,
    Span,
    StreamParser,
    StreamResult,
    Vitals,
)
from symops_lark.core.document import Section
from symops_lark.core.streaming import ActionFinished, Event, assemble
from symops_lark.core.streaming.differences import find_differences


def test_each_line_is_announced_when_it_is_there() -> None:
    text = (">> go", "\n", "::create @a.py\n", "<<<\nx", " = 1\n", "y = 2\n", ">>>", "\n", "::run @ls\n", "\n")
    assert after(*text) == [
        "",
        "thought",
        "create(a.py)",
        "",
        "'x = 1'",
        r"'\ny = 2'",
        "",
        "complete",
        "run(ls)",
        "complete, no block",
        "",
    ]


def test_what_may_go_on_is_announced_when_it_does_not() -> None:
    assert after("? which\n", "  1. this\n", "::delete @a\n") == ["", "", "question delete(a)", "complete, no block"]
    assert after("[CONFIDENCE] 0.5\n", "[MOOD] 1\n", "\n", dialect="plain") == ["", "", "vitals", ""]
    attributed = after("::create @a\n", "  @deps: b\n", "<<<\n", ">>>\n", dialect="v2_1")
    assert attributed == ["", "", "create(a)", "complete", ""]
    assert after("[REASONING]\n", "one\n", "two", dialect="plain") == ["", "thought", "", "thought"]


def test_lines_that_may_stand_behind_a_forgotten_closer_wait_for_the_next() -> None:
    head = "::create @a\n<<<\nx\n"
    assert after(head, "\n", "::create @b\n", "y\n", ">>>\n")[1:] == [
        "",
        "",
        r"'\n' '\n::create @b' '\ny'",
        "complete",
        "",
    ]
    assert after(head, "\n", "::create @b\n", "<<<\n", "y\n", ">>>\n")[1:] == [
        "",
        "",
        "unterminated [missing-closer] create(b)",
        "'y'",
        "complete",
        "",
    ]
    assert after("$ create @ a\n--\nx\n", "$ create @ b\n", "--\n", "y\n", dialect="v1")[1:4] == [
        "",
        "",
        "unterminated [missing-closer] create(b) 'y'",
    ]
    assert after("$ create @ a\n--\nx\n", "$ create @ b\n", "--\n", "~ y\n", dialect="v1")[1:4] == [
        "",
        "",
        r"'\n$ create @ b' suspect thought",
    ]


def test_long_runs_of_such_lines_are_let_go() -> None:
    visited = after("::create @a\n<<<\n", "\n" * 30, "\n" * 30)
    assert [entry.count("'") // 2 for entry in visited[1:3]] == [0, 51]


def test_broken_lines_are_put_right_as_they_arrive() -> None:
    assert after('::Create "a.py"\n', "\n```python\n", "x\n", "```\n", "Done now, good luck.\n") == [
        "[capital-verb] [missing-target-mark] [quoted-path] create(a.py)",
        "[fence-for-opener]",
        "'x'",
        "complete",
        "[prose]",
        "",
    ]
    assert after("create a.py\n", "<<<\n", "x\n", ">>>\n")[:2] == ["", "[missing-all-marks] create(a.py)"]
    assert after("::create @a\nContent:\n", "<\n", "x\n", ">\n", "\n")[1:5] == [
        "[stray-text] [wrong-delimiter-length]",
        "'x'",
        "",
        "complete [near-closer]",
    ]


def test_lines_of_one_action_are_put_right_together() -> None:
    assert after("[Action Type] Create\n", "\n", "[ACTION_PATH]\n", "a.py\n", "[CONTENT_START]\n", dialect="plain") == [
        "",
        "",
        "",
        "",
        "[tag-misspelt] [tagged-verb-in-capitals] [value-below-tag] create(a.py)",
        "unterminated [missing-closer-at-end]",
    ]
    assert after("[ACTION_PATH] ls\n[ACTION_TYPE] run\n", "\n", dialect="plain") == [
        "",
        "run(ls) complete, no block",
        "",
    ]
    assert after("1. Create\n  path: a.py\n", "<<<\n", dialect="v2_1")[1].endswith("create(a.py)")
    assert after("create\n", "\n", "words\n", dialect="plain") == ["", "", "[stray-text] [stray-text]", ""]


def test_a_valid_text_may_hold_lines_that_look_misspelt() -> None:
    assert after("[REASONING]\n[Action Type] create\n", dialect="plain") == ["thought", ""]
    assert after("[Reasoning]\none\n[Action Type] run\n[ACTION_PATH] ls\n", "\n", dialect="plain") == [
        "[tag-misspelt] thought",
        "[tag-misspelt] run(ls) complete, no block",
        "",
    ]


def test_what_the_end_of_the_text_tells() -> None:
    assert after("::create @a\n<<<\nx\n", "\n::run @ls\n")[1:] == [
        "",
        "unterminated [missing-closer] run(ls) complete, no block",
    ]
    assert after("<think>\nLet me see.\n", "::run @ls\n") == [
        "[think]",
        "",
        "[prose] [thought] run(ls) complete, no block",
    ]
    assert after("<think>\n" + "x\n" * 60, "::run @ls\n")[1:] == ["", "[thought]"]
    assert after("run pytest\n", "\n", ">> go\n")[1:] == [
        "",
        "[missing-command-marks] run(pytest) complete, no block thought",
        "",
    ]


def test_what_is_cut_off() -> None:
    text = "::create @a\n<<<\nx = 1\n\ny"
    assert assemble(stream([text])[0]).actions[0].completeness is Completeness.TRUNCATED
    assert assemble(stream([text + "\n"])[0]).actions[0].completeness is Completeness.UNTERMINATED
    parser = StreamParser("v2")
    events = list(parser.events(["::run @pytest -q tes"], cut_off=True))
    assert isinstance(events[-1], ActionFinished) and events[-1].completeness is Completeness.TRUNCATED


def test_differences_say_what_was_announced_otherwise() -> None:
    closed = stream(["::create @a.py\n<<<\nx\ny >>>\n>> done\nz\n"])[1]
    assert [(d.kind, d.message, d.span.line) for d in closed.differences] == [
        ("changed", "content of a.py differs from line 2", 1),
        ("not-announced", "the document has the thought 'done', which was not announced", 5),
        ("not-announced", "the document has the thought 'z', which was not announced", 6),
    ]
    assert all(set(d.to_dict()) == {"kind", "message", "span"} for d in closed.differences)


def test_what_is_compared() -> None:
    def messages(announced: Sequence[Section], final: Sequence[Section]) -> list[str]:
        def placed(found: Sequence[Section]) -> list[Section]:
            return [replace(section, span=Span(9 * i, 9 * i + 1, i + 1)) for i, section in enumerate(found)]

        return [d.message for d in find_differences(placed(announced), Document(tuple(placed(final))))]

    action, other_action = Action("create", "a", "x"), Action("create", "a", "x", ("b",))
    assert messages([action], [action]) == [] == messages([], [])
    assert messages([action], []) == ["announced create a, which is not in the document"]
    assert messages([action], [other_action]) == ["create a: its dependencies, number or attributes differ"]
    assert messages([Action("create", "a")], [action]) == ["content of a differs: it was not announced"]
    assert messages([action], [Action("create", "a")]) == ["content of a differs: the document has none"]
    assert messages([Question("q")], [ErrorNote("E")]) == ["announced the question 'q'; the document has the error E"]
    assert messages([], [Vitals((("mood", 1.0),))]) == ["the document has vitals, which was not announced"]


# ---- closing


def test_a_text_without_sections_has_an_error_and_its_document() -> None:
    events, closed = stream(["Hello there, my friend.\n"])
    assert [short(event) for event in events] == ["[prose]"]
    assert closed.result is None and isinstance(closed.error, ProtocolError)
    assert closed.document is not None and closed.document.skipped and closed.to_dict()["error"]


def test_events_outlive_the_close_and_close_is_final() -> None:
    parser = StreamParser("v2")
    parser.receive(">> one\n>> two")
    closed = parser.close()
    assert [short(event) for event in drain(parser)] == ["thought", "thought"]
    assert parser.close() is closed and parser.next_event() is NEED_TEXT and repr(NEED_TEXT) == "NEED_TEXT"
    with pytest.raises(ValueError, match="closed"):
        parser.receive("x")


def test_a_stream_that_is_not_kept_has_no_result() -> None:
    events, closed = stream([">> one\n"], keep=False)
    assert assemble(events).thoughts == ("one",)
    assert closed == StreamResult(None) and closed.document is None and closed.to_dict()["result"] is None


def test_a_text_over_the_limit_is_announced_all_the_same() -> None:
    parser = StreamParser(symops_lark.SymOpsProcessor("v2", max_characters=5))
    assert len(list(parser.events([">> one\n"]))) == 1
    assert "limit" in str(parser.close().error) and parser.close().differences == ()


def test_every_event_is_json() -> None:
    text = ">> t\n::c0.5\n? q\n! E\n::create @a\n<<<\nx\n>>>\nwords\n"
    names = [event.to_dict()["event"] for event in stream([text])[0]]
    assert names == [
        "thought",
        "vitals",
        "question",
        "error",
        "action-started",
        "content",
        "action-finished",
        "diagnostic",
    ]


def test_asynchronous_pieces() -> None:
    async def pieces() -> AsyncIterator[str]:
        for piece in (">> o", "ne\n", ">> two"):
            await asyncio.sleep(0)
            yield piece

    async def collect() -> list[Event]:
        return [event async for event in StreamParser("v2").aevents(pieces())]

    assert assemble(asyncio.run(collect())).thoughts == ("one", "two")


@dataclass(frozen=True)
class ObservedPiece:
    """A chunk that records the threads in which it is read."""

    text: str
    threads: list[int]

    @property
    def choices(self) -> list[dict[str, object]]:
        self.threads.append(get_ident())
        return [{"delta": {"content": self.text}, "finish_reason": None}]


def test_pieces_are_not_read_in_the_thread_of_the_loop() -> None:
    threads: list[int] = []
    parser = StreamParser("v2")

    async def pieces() -> AsyncIterator[ObservedPiece]:
        yield ObservedPiece("::run ", threads)
        yield ObservedPiece("@ls\n", threads)

    async def collect() -> tuple[list[Event], int, StreamResult]:
        events = [event async for event in parser.aevents(pieces())]
        return events, get_ident(), await parser.aclose()

    events, loop, closed = asyncio.run(collect())
    assert assemble(events).actions[0].path == "ls" and closed is parser.close()
    assert len(threads) == 2 and loop not in threads
