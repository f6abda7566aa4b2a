"""Groups of the parts of a reading: also where a recovery grammar of somebody else gives lines odd roles."""

from __future__ import annotations

import pytest

from symops_lark.core.document import Completeness
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.grammar.mistakes import load_tagged
from symops_lark.core.recovery.engines.priced_rules import Step
from symops_lark.core.recovery.lines.kinds import Kind, Line
from symops_lark.core.recovery.outline.groups import Group, Part
from symops_lark.core.recovery.outline.outline import Outline, group_parts

NAMES = {"head": Kind.ACTION, "open": Kind.OPEN, "close": Kind.CLOSE, "blank": Kind.BLANK, "thought": Kind.THOUGHT}


def grouped(*rows: str) -> list[Group]:
    """Group lines of two characters by their roles, each perhaps with its mistakes behind a colon."""
    parts = []
    for at, row in enumerate(rows):
        role, _, mistakes = row.partition(":")
        line = Line(NAMES.get(role, Kind.TEXT), 2 * at, 2 * at + 1, 2 * at + 2)
        parts.append(Part(line, Step(role, tuple(mistakes.split()), (), 0)))
    return group_parts(Outline("x\n" * len(rows), tuple(parts), (), 0, load_tagged(load_dialect("v2"))))


@pytest.mark.parametrize(
    ("rows", "roles"),
    [
        (["body"], ["drop"]),
        (["open", "body", "close"], ["drop"]),
        (["choice"], ["drop"]),
        (["attribute", "wrap"], ["drop"]),
        (["thought", "wrap"], ["thought"]),
        (["head", "body"], ["head"]),
        (["unheard-of"], ["drop"]),
        (["drop", "drop"], ["drop"]),
        (["drop", "drop:stray-text"], ["drop", "drop"]),
        (["head", "open", "close", "body"], ["head"]),
        (["head", "blank", "open"], ["head"]),
        (["head", "open", "close", "blank", "close"], ["head", "drop"]),
        (["blank", "thought", "blank"], ["thought"]),
    ],
)
def test_each_line_is_in_a_group(rows: list[str], roles: list[str]) -> None:
    assert [group.role for group in grouped(*rows)] == roles


def test_a_group_knows_its_lines() -> None:
    (group,) = grouped("head", "blank", "open", "body", "body", "close")
    assert (group.first.line.start, group.end, group.line_end) == (0, 11, 12)
    assert [len(part) for part in (group.gaps, group.body)] == [1, 2]
    assert group.opener is not None and group.closer is not None and group.outer is None
    assert not group.open and not group.lacks_content
    assert group.judge_completeness(True) is Completeness.COMPLETE


def test_a_fence_around_a_block_is_not_its_opener() -> None:
    (group,) = grouped("head", "open", "open:fence-around-block", "close")
    assert group.outer is not None and group.opener is not None
    assert (group.outer.line.start, group.opener.line.start) == (2, 4)
    (group,) = grouped("head", "open", "open:doubled-opener", "close")
    assert group.outer is None


@pytest.mark.parametrize(
    ("rows", "suspect"),
    [
        (["head", "open", "body", "close", "head"], [False, True]),
        (["head", "open", "body:action-in-content", "close", "blank", "head"], [True, True]),
        (["head", "open", "body:action-in-content", "body", "close", "blank", "head"], [True, True]),
        (["head", "open", "body:action-in-content", "close", "blank", "thought", "head"], [True, True]),
        (["head", "open", "body", "close:suspect-closer", "thought", "blank"], [True]),
        (["head", "open", "body", "close", "drop:doubled-closer"], [False]),
        (["head", "open", "body", "close", "drop:leftover-text"], [True]),
        (["head", "open", "body", "close", "blank", "drop:leftover-text"], [False]),
        (["head", "open", "body", "close", "drop:stray-text"], [False]),
    ],
)
def test_what_stands_behind_a_block_tells_of_it(rows: list[str], suspect: list[bool]) -> None:
    assert [group.suspect for group in grouped(*rows) if group.role == "head"] == suspect
