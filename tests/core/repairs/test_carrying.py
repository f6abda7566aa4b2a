"""From the repaired text back to the caller's: which action pays for a repair, and what each is then."""

from __future__ import annotations

import pytest

from symops_lark.core.document import Action, Completeness, CustomSection, Document, Part, Section, Skipped, Thought
from symops_lark.core.grammar.codes import LOST_ACTION
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.recovery.doubts.confidence import action_confidence
from symops_lark.core.repairs import Repair, Repaired, RepairEngine
from symops_lark.core.repairs.carrying import carry_back, carry_findings
from symops_lark.core.text.source import Source, Span

TEXT = "::create @a\n<<<\nx\n>>>\n::run @b\n>> so\n::run @c\n"
PLACES = [(0, 21), (22, 30), (37, 45)]  # of its three actions
SOURCE = Source(TEXT)


def repair(start: int, end: int, cost: float = 1.0) -> Repair:
    return Repair("rule", "", SOURCE.span(start, end), SOURCE.span(start, end), cost, TEXT[start:end], "")


def sections(confidence: float = 1.0) -> tuple[Section, ...]:
    text = [("create", "a"), ("run", "b"), ("run", "c")]
    actions = [
        Action(verb, path, confidence=confidence, span=SOURCE.span(*place))
        for (verb, path), place in zip(text, PLACES, strict=True)
    ]
    return (*actions[:2], Thought("so", SOURCE.span(31, 36)), actions[2])


def costs(*repairs: Repair) -> list[float]:
    document = carry_back(Document(sections()), Repaired(TEXT, TEXT, repairs))
    table = {action_confidence(cost): cost for cost in (0.0, 1.0, 2.0, 3.0)}
    return [table[action.confidence] for action in document.actions]


@pytest.mark.parametrize(
    ("start", "end", "paid"),
    [
        (0, 8, [1, 0, 0]),
        (18, 21, [1, 0, 0]),
        (20, 21, [1, 0, 0]),
        (0, 0, [0, 0, 0]),  # what is put before an action closes the one before it
        (22, 22, [1, 0, 0]),
        (37, 37, [0, 0, 0]),
        (22, 23, [0, 1, 0]),
        (30, 30, [0, 1, 0]),
        (31, 31, [0, 1, 0]),  # a closer in the line below
        (32, 32, [0, 0, 0]),
        (30, 31, [0, 0, 0]),
        (31, 36, [0, 0, 0]),
        (45, 45, [0, 0, 1]),
        (46, 46, [0, 0, 1]),
        (45, 46, [0, 0, 0]),
        (0, 46, [1, 1, 1]),  # a wrapper
        (0, 22, [1, 0, 0]),
        (0, 23, [1, 1, 0]),
        (22, 46, [0, 1, 1]),
        (31, 46, [0, 0, 1]),
    ],
)
def test_an_action_pays_for_the_repairs_in_it(start: int, end: int, paid: list[float]) -> None:
    assert costs(repair(start, end)) == paid


def test_repairs_of_an_action_add_up() -> None:
    assert costs(repair(0, 2), repair(3, 8), repair(22, 24), repair(0, 46)) == [3, 2, 1]


@pytest.mark.parametrize(
    ("confidence", "cost", "left"),
    [
        (1.0, 0.0, 0.95),
        (0.95, 0.0, 0.95),
        (0.95, 1.0, 0.9025),
        (0.475, 0.0, 0.475),
        (0.57, 1.0, 0.5415),  # mistakes of recovery come on top
    ],
)
def test_what_was_doubted_before_is_doubted_more(confidence: float, cost: float, left: float) -> None:
    document = Document(sections(confidence))
    carried = carry_back(document, Repaired(TEXT, TEXT, (repair(0, 2, cost),)))
    assert carried.actions[0].confidence == left


@pytest.mark.parametrize("known", [Completeness.SUSPECT, Completeness.TRUNCATED, Completeness.UNTERMINATED])
def test_what_is_not_whole_is_in_doubt(known: Completeness) -> None:
    first, second, *_ = carry_back(Document(sections()), Repaired(TEXT, TEXT, completeness=((22, known),))).actions
    assert (first.confidence, first.completeness) == (0.95, Completeness.COMPLETE)
    assert (second.confidence, second.completeness) == (0.85, known)


def test_sections_of_a_dialects_own_pay_as_actions_do() -> None:
    own = CustomSection("note", (Part("title", "x"),), "?", span=SOURCE.span(0, 21))
    skipped = Skipped("?", span=SOURCE.span(22, 30))
    document = Document((own, skipped, *sections()[2:]))
    first, second, thought, last = carry_back(document, Repaired(TEXT, TEXT, (repair(3, 3),))).sections
    assert (first.confidence, first.text) == (0.9025, TEXT[0:21])  # type: ignore[union-attr]
    assert second.text == TEXT[22:30] and thought == sections()[2] and last == sections()[3]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("left", "right", "end"),
    [
        ((0, 12), (8, 20), 8),
        ((0, 8), (8, 20), 8),
        ((0, 20), (8, 20), 20),
        ((0, 20), (8, 12), 20),
        ((8, 12), (8, 20), 12),
        ((9, 12), (8, 20), 12),
        ((0, 4), (8, 20), 4),
    ],
)
def test_a_closer_on_the_line_of_the_next_action_belongs_to_this_one(
    left: tuple[int, int], right: tuple[int, int], end: int
) -> None:
    document = Document(tuple(Action("run", "x", span=Span(*place)) for place in (left, right)))
    first, second = carry_back(document, Repaired(TEXT, TEXT)).actions
    assert (first.span.start, first.span.end, second.span.start, second.span.end) == (left[0], end, *right)


def test_what_is_lost_is_told_once() -> None:
    dialect = load_dialect("v2")
    repaired = RepairEngine(dialect).repair("::run @ls\n::create @\n>> so\n::remove @\n")
    assert repaired.lost == (10, 27)
    [first, second] = [finding for finding in carry_findings(repaired, None, dialect) if finding.code == LOST_ACTION]
    assert (first.span.start, first.span.line, second.span.start) == (10, 2, 27)
    document = Document(diagnostics=(first, second))
    repeated = carry_findings(Repaired(repaired.original, repaired.original, lost=(10, 27)), document, dialect)
    assert repeated == [first, second]
