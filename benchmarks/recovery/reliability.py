"""How far actions that came out of damaged replies can be trusted: what they say of themselves, how many are right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from symops_lark.adapters.cli.tables import draw_table
from symops_lark.core.ground.numbers import counted
from symops_lark.lab.benchmark.fidelity import SURE
from symops_lark.lab.benchmark.records import ActionOutcome
from symops_lark.lab.benchmark.report.verdicts import rated
from symops_lark.lab.measuring.statistics import Rate

from .cases import Verdict

_EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, SURE, 0.95, 1.0)
Bin = tuple[bool, float, float]  # whether complete, and the confidences from which and to which


def summary(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """Return the counts of a set of verdicts: of actions that are sure, of lost ones, of replies read otherwise.

    Sure are those that call themselves complete, with a confidence of at least 0.9.
    """
    verdicts = list(verdicts)
    matching_verdicts = [item for item in verdicts if item.counted]
    sure = [action for action in _actions(matching_verdicts) if action.complete and action.confidence >= SURE]
    otherwise = [item for item in verdicts if not item.counted and not item.exact]
    return {
        "sure": len(sure),
        "sure_right": sum(action.right is True for action in sure),
        "wrong_without_alarm": sum(len(item.silent) for item in matching_verdicts),
        "lost": sum((item.record.final and item.record.final.lost) or 0 for item in matching_verdicts),
        "lost_unsaid": sum(len(item.unsaid) for item in matching_verdicts),
        "still_strict_but_different": len(otherwise),
        "of_these_without_alarm": sum(_is_quiet(item) for item in otherwise),
    }


def bins(verdicts: Iterable[Verdict]) -> dict[Bin, list[ActionOutcome]]:
    """Return the actions by what they say of themselves, the surest first; bins without actions are left out."""
    actions = list(_actions(item for item in verdicts if item.counted))
    table: dict[Bin, list[ActionOutcome]] = {}
    for complete in (True, False):
        for low, high in reversed([*pairwise(_EDGES), (1.0, 2.0)]):
            some = [a for a in actions if a.complete is complete and low <= a.confidence < high]
            if some:
                table[complete, low, min(high, 1.0)] = some
    return table


def lines(single: Sequence[Verdict], mixed: Sequence[Verdict]) -> Iterator[str]:
    """Yield the table of all actions that came out, and below it what is asked of one mistake and of several."""
    yield "How far actions can be trusted that came out of damaged replies: all kinds, one mistake and several"
    rows = []
    for (complete, low, high), some in bins([*single, *mixed]).items():
        right = sum(action.right is True for action in some)
        quiet = sum(action.right is False and not action.flagged for action in some) if complete and low >= SURE else 0
        line_text = f"{low:.2f}" if low == high else f"{low:.2f} to {high:.2f}"
        row = [
            "complete" if complete else "not complete",
            line_text,
            len(some),
            right,
            rated(Rate(right, len(some))),
            quiet,
        ]
        rows.append(list(map(str, row)))
    yield from draw_table(
        ["calls itself", "confidence", "n", "right", "rate", "wrong without alarm"], rows, texts=(0, 1)
    )
    for title, verdicts in (("one mistake", single), ("two to four", mixed)):
        if verdicts:
            yield from ("", title, *(f"  {text}" for text in _sentences(summary(verdicts))))


def _sentences(count: dict[str, int]) -> Iterator[str]:
    yield f"right among complete at {SURE} or more: {rated(Rate(count['sure_right'], count['sure']), counted=True)}"
    yield f"wrong without alarm: {counted(count['wrong_without_alarm'], 'action')}"
    lost, unsaid = count["lost"], count["lost_unsaid"]
    yield f"lost actions: {lost}, of which {lost - unsaid} are said and {unsaid} not"
    different, quiet = count["still_strict_but_different"], count["of_these_without_alarm"]
    yield f"replies that are strictly valid and not what was meant: {different}, {quiet} of them without alarm"


def as_json(single: Sequence[Verdict], mixed: Sequence[Verdict]) -> dict[str, Any]:
    """Return the same figures for a JSON object."""
    rows = [
        {
            "complete": complete,
            "confidence": [low, high],
            "n": len(some),
            "right": sum(action.right is True for action in some),
        }
        for (complete, low, high), some in bins([*single, *mixed]).items()
    ]
    return {"bins": rows, "one_mistake": summary(single), "several_mistakes": summary(mixed)}


def _actions(verdicts: Iterable[Verdict]) -> Iterator[ActionOutcome]:
    for item in verdicts:
        yield from item.record.actions


def _is_quiet(verdict: Verdict) -> bool:
    final = verdict.record.final
    return final is not None and bool(final.silent or final.unsaid)
