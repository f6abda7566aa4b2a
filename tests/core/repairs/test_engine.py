"""The engine: which rules answer which mistakes, and what is told of actions that are not whole."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from symops_lark.core.repairs import RepairEngine, Rule

V2 = RepairEngine("v2")
BLOCK = "::create @a.py\n<<<\n{}>>>\n"


@cache
def engine_of(dialect: str) -> RepairEngine:
    return RepairEngine(dialect)


def rule(verb: str, argument: Any, mistake: str) -> Rule:
    data = {"id": verb, "summary": "", "cost": 1.0, "verb": verb, "argument": argument, "mistakes": (mistake,)}
    return Rule.from_data(data)


@pytest.mark.parametrize(
    ("where", "left"),
    [
        ("before", "::run @b\nc\n::run @d\ne\n"),
        ("between", "a\n::run @b\n::run @d\ne\n"),
        ("after", "a\n::run @b\nc\n::run @d\n"),
        ("anywhere", "::run @b\n::run @d\n"),
        (True, "::run @b\n::run @d\n"),
        ("elsewhere", "a\n::run @b\nc\n::run @d\ne\n"),
    ],
)
def test_a_rule_says_where_lines_are_dropped(where: object, left: str) -> None:
    engine = RepairEngine("v2", rules=[rule("drop_lines", where, "stray-text")])
    assert engine.repair("a\n::run @b\nc\n::run @d\ne\n").text == left


def test_only_a_rule_that_drops_lines_drops_them() -> None:
    text = "a\n::run @b\n"
    assert RepairEngine("v2", rules=[]).repair(text).text == text
    assert RepairEngine("v2", rules=[rule("write_line", "?", "stray-text")]).repair(text).text == text


@pytest.mark.parametrize(
    ("verb", "argument", "opener"),
    [("write_line", "{open}", "<<<<"), ("write_line", "?", "?"), ("drop_lines", True, "```")],
)
def test_a_rule_writes_what_it_says(verb: str, argument: object, opener: str) -> None:
    """It need not be a delimiter; one that is has the length of its partner."""
    engine = RepairEngine("v2_long_fence", rules=[rule(verb, argument, "fence-for-opener")])
    text = "::create @a.py\n{}\nx\n>>>>\n"
    assert engine.repair(text.format("```")).text == text.format(opener)


@pytest.mark.parametrize(
    ("text", "cut_off", "states"),
    [
        ("::create @a.py\n<<<\nx", None, ["truncated"]),
        ("::create @a.py\n<<<\nx\n", None, ["unterminated"]),
        ("::create @a.py\n<<<\nx", False, ["unterminated"]),
        ("::create @a.py\n<<<\nx\n", True, ["truncated"]),
        ("::create @a.py\n<<<\nx\n::run @ls\n", True, ["unterminated"]),
        ("::Create @a.py\n<<<\nx\n>>>\n", True, []),
    ],
)
def test_what_is_not_whole_is_told(text: str, cut_off: bool | None, states: list[str]) -> None:
    repaired = V2.repair(text, cut_off=cut_off)
    assert [(place, str(state)) for place, state in repaired.completeness] == [(0, state) for state in states]
    assert repaired.document is not None


def test_what_is_known_to_be_broken_is_not_read_first() -> None:
    assert V2.repair("::run @ls\n").document is not None
    assert V2.repair("::run @ls\n", known_broken=True).document is None  # nothing was made right
    assert V2.repair("::Run @ls\n", known_broken=True).document is not None


@pytest.mark.parametrize(
    ("text", "dialect", "left", "rules"),
    [
        ("  <<<\n  x\n  >>>\n", "v2", "<<<\nx\n>>>\n", {"indented-block", "indented-mark"}),
        ("<<<\n~~~\nx\n~~~\n>>>>\n", "v2", "<<<\nx\n>>>\n", {"fence-in-block"}),
        ("\n\n<<<\nx\n>>>\n", "v2", "<<<\nx\n>>>\n", {"blank-before-block"}),
        ("```\nx\n```\n", "v2", "<<<\nx\n>>>\n", {"fence-for-delimiter"}),
        ("```python\n<<<\nx\n>>>\n```\n", "v2", "<<<\nx\n>>>\n", {"fence-around-block"}),
        ("<<<\nx\n", "v2", "<<<\nx\n>>>\n", {"missing-closer"}),
        ("x\n>>>\n", "v2", "<<<\nx\n>>>\n", {"missing-opener"}),
        ("<<<<<\nx\n>>>>\n", "v2_long_fence", "<<<<<\nx\n>>>>>\n", {"wrong-closer-length"}),
        ("<<\nx\n>>>>>\n", "v2_long_fence", "<<<<<\nx\n>>>>>\n", {"wrong-delimiter-length"}),
        ("```\n<<<\nx\n>>>\n```\n", "v2_long_fence", "<<<\nx\n>>>\n", {"fence-around-block"}),
        ("< < < < <\nx\n> > > > >\n", "v2_long_fence", "<<<<<\nx\n>>>>>\n", {"loose-opener"}),
        ("  <<<\n  x\n    >>>\n", "v2", "<<<\nx\n>>>\n", {"indented-block"}),
        ("    <<<\n  x\n  >>>\n", "v2", "<<<\nx\n>>>\n", {"indented-block"}),
        ("<<<<\nx\n", "v2_long_fence", "<<<<\nx\n>>>>\n", {"missing-closer"}),
        ("x\n>>>>\n", "v2_long_fence", "<<<<\nx\n>>>>\n", {"missing-opener"}),
    ],
)
def test_a_block_is_put_right(text: str, dialect: str, left: str, rules: set[str]) -> None:
    repaired = engine_of(dialect).repair("::create @a.py\n" + text)
    assert repaired.text == "::create @a.py\n" + left
    assert rules <= {repair.rule for repair in repaired.repairs}
    assert repaired.document is not None


def test_blank_lines_are_taken_out_of_an_action_and_left_behind_it() -> None:
    text = "::create @a.py\n\n  @deps: b.py\n\n>> so\n"
    assert RepairEngine("v2_attributes").repair(text).text == text.replace("a.py\n\n", "a.py\n")
