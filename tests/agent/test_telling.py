"""The events of a run as people read them, line by line."""

from __future__ import annotations

from typing import Any

import pytest

from symops_lark.agent import Event, Kind
from symops_lark.agent.telling import first_line, tell_event

LOSER = {"model_id": "b", "passed": False, "why": "gate: no prompt has shown it\nmore", "facts": {}}
FAILED = {
    "model_id": "c",
    "passed": False,
    "why": "\n".join(["tests: 1 of 2 failed", *(f"row {number}" for number in range(8))]),
    "facts": {"failed": 1},
}
END_OF_ROWS = [f"  | row {number}" for number in range(2, 8)]
TRIES = [{"model_id": "a", "passed": True, "why": "", "facts": {}}, LOSER, FAILED]
TOLD_TRIES = [
    "  a: passed",
    "  b: failed: gate: no prompt has shown it",
    "  c: failed: tests: 1 of 2 failed",
    *END_OF_ROWS,
]
TESTED = {"total": 2, "passed": 1, "failed": 1, "report": FAILED["why"]}


@pytest.mark.parametrize(
    ("kind", "data", "lines"),
    [
        (Kind.TASK, {}, []),
        (Kind.FRAME, {}, ["frame: risk unknown"]),
        (
            Kind.FRAME,
            {"risk_level": "high", "missing_slots": ["goal", "scope"], "refused": "a quote is wrong:\nit is not there"},
            ["frame: risk high, missing: goal, scope", "  refused: a quote is wrong: it is not there"],
        ),
        (Kind.EXPLORED, {"question": "which?"}, ["explored: no files after 0 searches: nothing"]),
        (
            Kind.EXPLORED,
            {"files": [{"path": "a.py"}, {"path": "a.py"}, {"path": "b.py"}], "calls": 1},
            ["explored: 2 files after 1 search: a.py, b.py"],
        ),
        (
            Kind.UNDERSTOOD,
            {"phase": "EXPLORATION", "gaps": ["why?", "where?"]},
            ["understood: EXPLORATION", "  question: why?", "  question: where?"],
        ),
        (Kind.PROMPT, {"tokens": 1, "counter": "words", "cut": [], "tests": "sandbox"}, ["prompt: 1 token (words)"]),
        (
            Kind.PROMPT,
            {"tokens": 1200, "counter": "words", "cut": ["a.py: left out"], "tests": "no: it is missing"},
            ["prompt: 1,200 tokens (words)", "  cut: a.py: left out", "  tests decide no contest: it is missing"],
        ),
        (Kind.WINNER, {"model_id": "a", "why": "it passed", "tries": TRIES}, ["winner: a (it passed)", *TOLD_TRIES]),
        (Kind.END, {"tries": TRIES}, TOLD_TRIES),
        (Kind.END, {"status": "FAILED"}, []),
        (
            Kind.PLAN,
            {"plan": {"changes": []}, "refused": ["it is a folder"]},
            ["plan: nothing", "  refused: it is a folder"],
        ),
        (
            Kind.PLAN,
            {
                "plan": {"changes": [{"operation": "create", "path": "a"}, {"operation": "run", "path": "b"}]},
                "refused": [],
            },
            ["plan: create a, run b"],
        ),
        (Kind.ASKED, {"asked": []}, []),
        (Kind.ASKED, {"asked": ["a.py", "b.py"]}, ["agreed to: a.py, b.py"]),
        (Kind.APPLIED, {"files": ["a.py", "b.py"]}, ["written: a.py, b.py"]),
        (Kind.APPLIED, {"files": ["a.py"], "recovered": True}, ["written: a.py (by the process before)"]),
        (Kind.TESTED, {"total": 0}, []),
        (Kind.TESTED, {**TESTED, "failed": 0, "passed": 2}, ["tests: 2 of 2 passed"]),
        (Kind.TESTED, TESTED, ["tests: 1 of 2 passed", *END_OF_ROWS]),
        (
            Kind.JUDGMENT,
            {"rule": 0, "step": "fix", "condition": "all pass", "next": "COMPLETE"},
            ["judged: all pass → COMPLETE (rule 1 of fix)"],
        ),
    ],
)
def test_an_event_in_lines(kind: Kind, data: dict[str, Any], lines: list[str]) -> None:
    assert list(tell_event(Event(0, "", "0" * 32, 1, kind, data))) == lines


@pytest.mark.parametrize(
    ("text", "line"), [("", ""), ("a", "a"), ("a\nb:\nc", "a"), ("a:\nb\nc", "a: b"), ("a:", "a:")]
)
def test_the_first_line_says_what_it_announces(text: str, line: str) -> None:
    assert first_line(text) == line
