"""Runs of a log: the rows that competed with each other are brought together, and who won is found again.

Laws: the order of rows decides nothing; a run of which a row is missing has no winner, and never another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from ...core.ground.json_objects import JsonObject
from ...core.ground.numbers import counted
from ..metrics.selection import Candidate, select_winner
from .rows import Row


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """What does not follow, and on which line (from 1)."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class Verdict(JsonObject):
    """What a run comes to: whether its winner is known, who it is, by what tie-break, and what is wrong with it."""

    decided: bool
    winner: str | None = None
    tie_break: str | None = None
    problems: tuple[Problem, ...] = ()
    incomplete: bool = False


def judge_run(rows: list[Row]) -> Verdict:
    """Return who won among the rows of one run, which are in any order, and what of it the log says otherwise."""
    first = min(rows, key=lambda row: row.line) if len(rows) > 1 else rows[0]
    wrong = list(_disagreements(rows, first))
    if wrong:
        return Verdict(False, problems=tuple(wrong))
    if first.candidates is not None and len(rows) < first.candidates:
        return Verdict(False, incomplete=True)
    if not first.is_training or first.run_id is None:
        if first.winner == first.model_id and not first.passed:
            told = f"the winner is {first.winner}, which did not pass"
            return Verdict(False, problems=(Problem(first.line, told),))
        return Verdict(False)
    winner, tie_break = find_winner([row for row in rows if row.competes])
    if winner != first.winner:
        told = f"the winner of run {first.run_id} is {_name(first.winner)}, and by its rows it is {_name(winner)}"
        return Verdict(False, winner, tie_break, (Problem(first.line, told),))
    return Verdict(winner is not None, winner, tie_break)


def find_winner(rows: list[Row]) -> tuple[str | None, str | None]:
    """Return the winner among the rows of a run, and the tie-break; `select_winner` judges where rewards are equal."""
    passed = [row for row in rows if row.passed]
    if not passed:
        return None, None
    rewards = [row.judged for row in passed]
    best = max(rewards)
    if rewards.count(best) == 1:
        return passed[rewards.index(best)].model_id, None
    chosen = select_winner(
        Candidate(row.model_id, row.passed, row.judged, row.cost, row.stable) for row in passed if row.judged == best
    )
    return chosen.winner, chosen.tie_break


def _disagreements(rows: list[Row], first: Row) -> Iterator[Problem]:
    models, common = set(), _common(first)
    for row in rows:
        if row.competes:
            if row.model_id in models:
                yield Problem(row.line, f"{row.model_id} is in run {row.run_id} twice")
            models.add(row.model_id)
        if _common(row) == common:
            continue
        for name, mine, others in zip(_COMMON, _common(row), common, strict=True):
            if mine != others:
                yield Problem(row.line, f"it has another {name} than line {first.line} of the same run {row.run_id}")
    if first.candidates is not None and len(rows) > first.candidates:
        yield Problem(
            first.line, f"run {first.run_id} has {counted(len(rows), 'row')}, and says that it has {first.candidates}"
        )


_COMMON = ("prompt", "metric", "winner", "winner", "number of candidates")
_common = attrgetter("prompt_hash", "metric", "is_training", "winner", "candidates")  # what all rows of a run share


def _name(winner: Any) -> str:
    return "nobody" if winner is None else str(winner)
