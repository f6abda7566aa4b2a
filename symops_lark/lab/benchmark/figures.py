"""Figures: a number with its unit and its interval, or the reason why there is none.

The functions below are the questions that measures ask about records.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from ...core.ground.file_types import OTHER, language_of
from ..measuring.statistics import Rate, bootstrap
from .records import ASKING, PHASES, PhaseOutcome, Record

UNKNOWN = "nobody knows what was meant"
EVERY = "every"  # the part that contains all records
RIGHT, ALARM, NO_ANSWER, WRONG = OUTCOMES = (
    "right",
    "wrong with alarm",
    "no answer",
    "wrong without alarm",
)
# Outcomes by the state of fidelity. All other states are wrong with an alarm.
_OUTCOMES_BY_STATE = {"right": RIGHT, "no-answer": NO_ANSWER, "wrong-without-alarm": WRONG}


@dataclass(frozen=True, slots=True)
class Figure:
    """One number about one format.

    Attributes:
        format: The name of the format.
        name: The name of the measure, which is a column of a table.
        value: The number; None if it cannot be measured.
        n: The number of tries.
        k: The number of successes, for shares only.
        low: The lower end of the 95 % interval.
        high: The upper end of the 95 % interval.
        unit: The unit.
        axis: What the rows of the table are, such as phases or languages.
        part: The row, such as one phase.
        why: Why there is no value.
        tasks: The number of different tasks.
    """

    format: str
    name: str
    value: float | None
    n: int
    k: int | None = None
    low: float | None = None
    high: float | None = None
    unit: Literal["share", "number", "milliseconds"] = "share"
    axis: str = ""
    part: str = ""
    why: str = ""
    tasks: int = 0

    @property
    def amount(self) -> float:
        """The value, 0 if there is none."""
        return self.value or 0.0


Judgment = TypeVar("Judgment")
Measure = Callable[[Sequence[Record]], Iterator[Figure]]
Hits = Iterable[tuple[str, bool | None]]  # of each try, its task and its success; None if unknown


def share(
    format: str, name: str, hits: Hits, *, axis: str = "", part: str = "", why: str = UNKNOWN
) -> Figure:
    """Return the share of successes among the tries whose success is known.

    The interval takes tasks as units: repetitions of a task resemble each other, and so do several
    results of one reply.

    Args:
        format: The name of the format.
        name: The name of the measure.
        hits: The tries.
        axis: What the rows of the table are.
        part: The row.
        why: The reason to give if nothing is known.
    """
    rate = Rate.of((task, hit) for task, hit in hits if hit is not None)
    low, high = rate.interval or (None, None)
    # The reason is for a missing value only.
    if rate.n:
        why = ""
    return Figure(
        format, name, rate.value, rate.n, rate.k, low, high, "share", axis, part, why, rate.drawn
    )


def each(
    records: Iterable[Record], test: Callable[[Record], bool | None]
) -> Iterator[tuple[str, bool | None]]:
    """Yield the task of each record, and the result of a test."""
    return ((record.case.task, test(record)) for record in records)


def each_after(
    records: Iterable[Record], phase: str, test: Callable[[PhaseOutcome | None], Judgment]
) -> list[tuple[str, Judgment]]:
    """Return the task of each record, and what a test returns for its outcome after a phase.

    Args:
        records: The records.
        phase: The name of the phase.
        test: The test.
    """
    return [(record.case.task, test(after(record, phase))) for record in records]


def divide(
    format: str,
    names: Iterable[str],
    values: Sequence[tuple[str, str | None]],
    *,
    axis: str = "",
    part: str = "",
    why: str = UNKNOWN,
) -> Iterator[Figure]:
    """Yield the share of each of some values.

    Args:
        format: The format of the figures.
        names: The values; they are the names of the figures.
        values: The task of each try and its value, None if it is not known.
        axis: The axis of the figures.
        part: The part of the figures.
        why: The reason if nothing is known.
    """
    known = [(task, value) for task, value in values if value is not None]
    for name in names:
        hits = ((task, value == name) for task, value in known)
        yield share(format, name, hits, axis=axis, part=part, why=why)


def ratio(
    format: str,
    name: str,
    tries: Sequence[tuple[str, int, int]],
    *,
    axis: str = "",
    part: str = "",
    why: str = "",
) -> Figure:
    """Return the ratio of two sums, with an interval by the bootstrap over tasks.

    Args:
        format: The name of the format.
        name: The name of the measure.
        tries: Of each try, its task, and the summands of the numerator and the denominator.
        axis: What the rows of the table are.
        part: The row.
        why: The reason to give if the denominator is 0.
    """
    sums: dict[str, tuple[int, int]] = {}
    for task, above, below in tries:
        old_above, old_below = sums.get(task, (0, 0))
        sums[task] = (old_above + above, old_below + below)
    # The bootstrap depends on the order of its rows.
    rows = list(dict(sorted(sums.items())).values())
    numerator, denominator = map(sum, zip((0, 0), *rows, strict=True))
    if not denominator:
        return Figure(format, name, None, 0, unit="number", axis=axis, part=part, why=why)
    interval = bootstrap(rows, lambda s: s[:, 0] / s[:, 1], f"{format}/{name}/{part}")
    low, high = interval or (None, None)
    return Figure(
        format,
        name,
        numerator / denominator,
        len(tries),
        None,
        low,
        high,
        "number",
        axis,
        part,
        tasks=len(rows),
    )


def by_format(records: Sequence[Record]) -> Iterator[tuple[str, list[Record]]]:
    """Yield the name of each format and its records, in the order of the names."""
    groups = defaultdict(list)
    for record in records:
        groups[record.case.format].append(record)
    yield from sorted(groups.items())


def phases_of(records: Sequence[Record]) -> list[str]:
    """Return the phases that were measured in these records, in order.

    Correction counts only if a model was asked again, or could have been.
    """
    # A corrector without a model leaves a phase that has no time.
    was_asked = any(record.attempts > 1 for record in records)
    phases = set()
    for record in records:
        for row in record.measured:
            if row.phase != ASKING or row.seconds is not None or was_asked:
                phases.add(row.phase)
    return [phase for phase in PHASES if phase in phases]


def after(record: Record, phase: str) -> PhaseOutcome | None:
    """Return the outcome after a phase, or after the last phase before it that the format has."""
    for row in reversed(record.phases):
        if PHASES.index(row.phase) <= PHASES.index(phase):
            return row
    return None


def is_accepted(outcome: PhaseOutcome | None) -> bool:
    """Return whether there is a valid document."""
    return outcome is not None and outcome.accepted


def state_of(outcome: PhaseOutcome | None) -> str | None:
    """Return the state of fidelity; None if the intention is unknown."""
    if outcome is None or outcome.state is None:
        return None
    # An invalid document does not count as an answer, whatever its actions are.
    return outcome.state if outcome.accepted else "no-answer"


def outcome_of(outcome: PhaseOutcome | None) -> str | None:
    """Return which of the four `OUTCOMES` a phase has; None if the intention is unknown."""
    state = state_of(outcome)
    return None if state is None else _OUTCOMES_BY_STATE.get(state, ALARM)


def is_in(outcome: PhaseOutcome | None, state: str) -> bool | None:
    """Return whether an outcome has a state of fidelity; None if the intention is unknown."""
    actual = state_of(outcome)
    return None if actual is None else actual == state


def came_right(outcome: PhaseOutcome | None) -> bool | None:
    """Return whether exactly the intended actions were read; None if these are unknown."""
    return is_in(outcome, "right")


def by_language(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Return the records by the languages of their intended files, languages by name.

    A record with files in several languages is in several lists.
    """
    groups = defaultdict(list)
    for record in records:
        languages = set()
        for item in record.expected or ():
            # Only actions with a content are files.
            if any(item.get("contents") or ()):
                languages.add(language_of(str(item["path"])) or OTHER)
        for language in languages:
            groups[language].append(record)
    return dict(sorted(groups.items()))


def ends_right(record: Record) -> bool | None:
    """Return whether the final document of a reply is right; None if that is not known."""
    return came_right(record.final)


def ends_valid(record: Record) -> bool:
    """Return whether a valid document came out of a reply."""
    return is_accepted(record.final)
