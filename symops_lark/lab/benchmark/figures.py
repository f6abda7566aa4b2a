"""Figures: a number, what it is of, how sure it is, or why there is none; and how measures look at records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from ...core.ground.file_types import OTHER, language_of
from ..measuring.statistics import Rate, bootstrap
from .records import ASKING, PHASES, PhaseOutcome, Record

UNKNOWN = "nobody knows what was meant"
EVERY = "every"  # the part that is the whole
RIGHT, ALARM, NO_ANSWER, WRONG = OUTCOMES = ("right", "wrong with alarm", "no answer", "wrong without alarm")


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of one format.

    `axis` says what rows are told apart by (a phase, a language), `part` which of them it is; `name` is its column. A
    share is `k` of `n`, seen in so many `tasks`; other units have no `k`. `low` to `high` is the 95 % interval. Without
    a value, `why` says why it cannot be measured.
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
Hits = Iterable[tuple[str, bool | None]]  # the task of each try, and whether it is so; None where nobody knows


def share(format: str, name: str, hits: Hits, *, axis: str = "", part: str = "", why: str = UNKNOWN) -> Figure:
    """Return the share of what is true, of what is known, its interval drawn from whole tasks; `why` nothing is known.

    Repetitions of a task, and what one reply has several of, are alike: they say less than as many tasks would.
    """
    rate = Rate.of((task, hit) for task, hit in hits if hit is not None)
    low, high = rate.interval or (None, None)
    why = "" if rate.n else why
    return Figure(format, name, rate.value, rate.n, rate.k, low, high, "share", axis, part, why, rate.drawn)


def each(records: Iterable[Record], test: Callable[[Record], bool | None]) -> Iterator[tuple[str, bool | None]]:
    """Yield of each record its task, and what a test says of it."""
    return ((record.case.task, test(record)) for record in records)


def each_after(
    records: Iterable[Record], phase: str, test: Callable[[PhaseOutcome | None], Judgment]
) -> list[tuple[str, Judgment]]:
    """Return the task of each record, and what a test returns for its outcome after a phase."""
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
    format: str, name: str, tries: Sequence[tuple[str, int, int]], *, axis: str = "", part: str = "", why: str = ""
) -> Figure:
    """Return the ratio of two sums, with an interval by drawing tasks.

    `tries` have the name of their task, and what is summed above and below the line.
    """
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for task, *values in tries:
        sums[task] = [known + value for known, value in zip(sums[task], values, strict=True)]
    rows = [sums[task] for task in sorted(sums)]
    above, below = (sum(row[at] for row in rows) for at in (0, 1))
    if not below:
        return Figure(format, name, None, 0, unit="number", axis=axis, part=part, why=why)
    drawn = bootstrap(rows, lambda s: s[:, 0] / s[:, 1], f"{format}/{name}/{part}")
    low, high = drawn or (None, None)
    return Figure(format, name, above / below, len(tries), None, low, high, "number", axis, part, tasks=len(rows))


def by_format(records: Sequence[Record]) -> Iterator[tuple[str, list[Record]]]:
    """Return the records of each format, formats by name."""
    for format in sorted({record.case.format for record in records}):
        yield format, [record for record in records if record.case.format == format]


def phases_of(records: Sequence[Record]) -> list[str]:
    """Return the phases measured in these records, in order; correction is none if no model was ever asked again."""
    rows = [row for record in records for row in record.measured]
    asked = any(record.attempts > 1 for record in records)
    found = {row.phase for row in rows if row.phase != ASKING or row.seconds is not None or asked}
    return [phase for phase in PHASES if phase in found]


def after(record: Record, phase: str) -> PhaseOutcome | None:
    """Return what there is after a phase, or after the last one before it that the format has."""
    return next((row for row in reversed(record.phases) if PHASES.index(row.phase) <= PHASES.index(phase)), None)


def is_accepted(outcome: PhaseOutcome | None) -> bool:
    """Return whether a valid document has come out."""
    return outcome is not None and outcome.accepted


def state_of(outcome: PhaseOutcome | None) -> str | None:
    """Return the state of fidelity: what is not accepted is no answer; None if nobody knows."""
    if outcome is None or outcome.state is None:
        return None
    return outcome.state if outcome.accepted else "no-answer"


def outcome_of(outcome: PhaseOutcome | None) -> str | None:
    """Return which of the four `OUTCOMES` there is after a phase; None if nobody knows."""
    state = state_of(outcome)
    ends = {"right": RIGHT, "no-answer": NO_ANSWER, "wrong-without-alarm": WRONG}
    return None if state is None else ends.get(state, ALARM)


def is_in(outcome: PhaseOutcome | None, state: str) -> bool | None:
    """Return whether a state of fidelity is that of an outcome; None if nobody knows."""
    found = state_of(outcome)
    return None if found is None else found == state


def came_right(outcome: PhaseOutcome | None) -> bool | None:
    """Return whether what was meant has come out, and nothing else; None if nobody knows."""
    return is_in(outcome, "right")


def by_language(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Return the records that have a file in each language, languages by name; one with several is in several.

    Languages are those of the files that were meant, by the endings of their names.
    """
    found: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        files = [str(item["path"]) for item in record.expected or () if any(item.get("contents") or ())]
        for language in {language_of(path) or OTHER for path in files}:
            found[language].append(record)
    return dict(sorted(found.items()))


def ends_right(record: Record) -> bool | None:
    """Return whether the final document of a reply is right; None if that is not known."""
    return came_right(record.final)


def ends_valid(record: Record) -> bool:
    """Return whether a valid document came out of a reply."""
    return is_accepted(record.final)
