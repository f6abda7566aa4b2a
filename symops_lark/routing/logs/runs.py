"""Judge the runs of a log: compute the winner again from the rows that competed with each other.

Invariants: the order of rows decides nothing. A run without one of its rows has no winner, and
never a wrong one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from ...core.ground.json_objects import JsonObject
from ...core.ground.numbers import counted
from ..metrics.selection import Candidate, select_winner
from .rows import Row


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """Something that does not follow, and its line, from 1; 0 if it has none."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class Verdict(JsonObject):
    """The result of a run.

    Attributes:
        decided: Whether there is a winner.
        winner: The winner.
        tie_break: The rule that decided between equal rewards.
        problems: What is wrong with the run.
        incomplete: Whether a row is missing.
    """

    decided: bool
    winner: str | None = None
    tie_break: str | None = None
    problems: tuple[Problem, ...] = ()
    incomplete: bool = False


def judge_run(rows: list[Row]) -> Verdict:
    """Return the winner of a run, and the problems of its rows.

    Args:
        rows: All rows of the run that the log has, in any order.
    """
    first = min(rows, key=attrgetter("line"))
    problems = tuple(_disagreements(rows, first))
    if problems:
        return Verdict(False, problems=problems)
    # The missing row might be that of the winner.
    if first.candidates is not None and len(rows) < first.candidates:
        return Verdict(False, incomplete=True)
    has_winner = first.is_training and first.run_id is not None
    if not has_winner:
        # Without the other rows, only this is certain: a winner has passed.
        if first.winner == first.model_id and not first.passed:
            message = f"the winner is {first.winner}, which did not pass"
            return Verdict(False, problems=(Problem(first.line, message),))
        return Verdict(False)
    winner, tie_break = find_winner([row for row in rows if row.competes])
    if winner != first.winner:
        message = (
            f"the winner of run {first.run_id} is {_name(first.winner)}, "
            f"and by its rows it is {_name(winner)}"
        )
        return Verdict(False, winner, tie_break, (Problem(first.line, message),))
    return Verdict(winner is not None, winner, tie_break)


def find_winner(rows: list[Row]) -> tuple[str | None, str | None]:
    """Return the winner among the rows of a run, and the rule that decided a tie."""
    passed = [row for row in rows if row.passed]
    if not passed:
        return None, None
    rewards = [row.judged for row in passed]
    best = max(rewards)
    # The usual case, which takes most of the time of large logs.
    if rewards.count(best) == 1:
        return passed[rewards.index(best)].model_id, None
    selection = select_winner(
        Candidate(row.model_id, row.passed, row.judged, row.cost, row.stable)
        for row in passed
        if row.judged == best
    )
    return selection.winner, selection.tie_break


# What all rows of a run have in common, and the names in messages.
_COMMON = ("prompt", "metric", "winner", "winner", "number of candidates")
_common = attrgetter("prompt_hash", "metric", "is_training", "winner", "candidates")


def _disagreements(rows: list[Row], first: Row) -> Iterator[Problem]:
    models = set()
    common = _common(first)
    for row in rows:
        if row.competes:
            if row.model_id in models:
                yield Problem(row.line, f"{row.model_id} is in run {row.run_id} twice")
            models.add(row.model_id)
        values = _common(row)
        if values == common:
            continue
        for name, value, expected in zip(_COMMON, values, common, strict=True):
            if value != expected:
                line = f"line {first.line} of the same run {row.run_id}"
                yield Problem(row.line, f"it has another {name} than {line}")
    if first.candidates is not None and len(rows) > first.candidates:
        count = counted(len(rows), "row")
        message = f"run {first.run_id} has {count}, and says that it has {first.candidates}"
        yield Problem(first.line, message)


def _name(winner: str | None) -> str:
    return "nobody" if winner is None else winner
