"""Compare two formats or models: which is better, by how much, and how certain that is.

All comparisons use the same cases, pair by pair.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeVar

from ...core.ground.json_objects import write_object
from ..measuring.intervals import cluster_interval, gather, p_of_no_difference
from ..measuring.statistics import Rate, detectable, holm
from .figures import after, by_format, ends_right, ends_valid, is_accepted, is_in
from .records import Record

Pair = tuple[Record, Record]
Try = tuple[str, bool, bool]  # a task, and whether an outcome holds on each side
K = TypeVar("K")
SURE = 0.05  # below this, a corrected p-value shows a difference


@dataclass(frozen=True, slots=True)
class Outcome:
    """A property of records that is compared.

    Attributes:
        name: Its name.
        holds: Returns whether a record has it; None if that is unknown.
        good: Whether it is good to have it.
    """

    name: str
    holds: Callable[[Record], bool | None]
    good: bool = True


OUTCOMES = (
    Outcome("right in the end", ends_right),
    Outcome(
        "wrong without alarm", lambda record: is_in(record.final, "wrong-without-alarm"), good=False
    ),
    Outcome("valid as written", lambda record: is_accepted(after(record, "strict"))),
    Outcome("valid in the end", ends_valid),
)


@dataclass(frozen=True, slots=True)
class Pairing:
    """The cases that both sides have, and the number of cases that only one side has."""

    pairs: tuple[Pair, ...]
    first_alone: int
    second_alone: int

    @property
    def tasks(self) -> int:
        """The number of tasks; with repetitions, there are more pairs than tasks."""
        return len({first.case.task for first, _ in self.pairs})


def known_tries(outcome: Outcome, pairing: Pairing) -> list[Try]:
    """Return the pairs in which an outcome is known on both sides."""
    tries = []
    for pair in pairing.pairs:
        first, second = map(outcome.holds, pair)
        # A reply without phases, or without known intentions, says nothing.
        if first is not None and second is not None:
            tries.append((pair[0].case.task, first, second))
    return tries


def rates_of(tries: Sequence[Try]) -> tuple[Rate, Rate]:
    """Return the rate of an outcome on each side; there is at least one try."""
    tasks, first, second = zip(*tries, strict=True)
    return Rate.of(zip(tasks, first, strict=True)), Rate.of(zip(tasks, second, strict=True))


def pair(first: Sequence[Record], second: Sequence[Record]) -> Pairing:
    """Pair records by task and repetition, in this order.

    Each side has each case at most once, and all records have phases.
    """
    first_by_case = _by_case(first)
    second_by_case = _by_case(second)
    # Sorted, so that the result does not depend on the order of the logs.
    cases = sorted(first_by_case.keys() & second_by_case.keys())
    pairs = tuple((first_by_case[case], second_by_case[case]) for case in cases)
    return Pairing(pairs, len(first) - len(cases), len(second) - len(cases))


def _by_case(records: Sequence[Record]) -> dict[tuple[str, int], Record]:
    return {(record.case.task, record.case.repetition): record for record in records}


@dataclass(frozen=True, slots=True)
class Comparison:
    """One outcome in all pairs in which it is known.

    Attributes:
        outcome: The name of the outcome.
        good: Whether it is good.
        tasks: The number of tasks.
        first: The rate of the first side.
        second: The rate of the second side.
        first_only: The number of pairs in which it holds on the first side only.
        second_only: The number of pairs in which it holds on the second side only.
        p: The p-value of the difference. Tasks are the unit: with one try for each task, it is
            that of McNemar's exact test.
        corrected: The p-value, corrected by Holm's method for all comparisons of one call.
        level: The level of the interval: 0.95 for one comparison, higher for several.
        interval: The interval of the difference. It excludes 0 exactly if `corrected` is below
            0.05.
        at_best: About the smallest difference that this number of tasks shows in 4 of 5 tries, with
            the least possible discordance, at a level of 5 % without a correction. None if no
            difference could be shown.
        as_seen: The same with the measured discordance.
    """

    outcome: str
    good: bool
    tasks: int
    first: Rate
    second: Rate
    first_only: int
    second_only: int
    p: float
    corrected: float
    level: float
    interval: tuple[float, float]
    at_best: float | None
    as_seen: float | None

    @property
    def n(self) -> int:
        """The number of pairs."""
        return self.first.n

    @property
    def difference(self) -> float:
        """The second rate minus the first."""
        return (self.second.value or 0.0) - (self.first.value or 0.0)

    @property
    def better(self) -> int:
        """1 or 2 if that side is shown to be better, 0 if no difference is shown."""
        # Holm's correction decides; the interval agrees with it.
        if self.corrected >= SURE:
            return 0
        return 2 if (self.difference > 0) == self.good else 1

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        names = ("outcome", "n", "tasks", "first", "second", "difference", "level", "interval")
        least = {"detectable_at_best": self.at_best, "detectable_as_seen": self.as_seen}
        counts = write_object(self, "first_only", "second_only", "p", "corrected", "better")
        return write_object(self, *names) | counts | least


def compare(
    pairings: Mapping[K, Pairing], outcomes: Sequence[Outcome] = OUTCOMES
) -> dict[K, list[Comparison]]:
    """Compare outcomes in some pairings, by the same keys.

    The p-values are corrected for all of them together. An outcome that is known in no pair is
    left out.
    """
    candidates = []
    comparisons: dict[K, list[Comparison]] = {}
    for key, pairing in pairings.items():
        comparisons[key] = []
        for outcome in outcomes:
            tries = known_tries(outcome, pairing)
            if tries:
                candidates.append((key, outcome, tries))
    clusters = [
        gather((task, second - first) for task, first, second in tries)
        for _, _, tries in candidates
    ]
    # Exact for one try in each task, else by the differences of the tasks.
    p_values = list(map(p_of_no_difference, clusters))
    corrected = holm(p_values)
    levels = _levels(p_values, corrected)
    for place, (key, outcome, tries) in enumerate(candidates):
        differences = clusters[place]
        tasks = differences.total()
        # The discordance: the mean square of a task's difference.
        squares = sum((change / n) ** 2 * count for (change, n), count in differences.items())
        # The pairs in which only one side has the outcome.
        changes = [second - first for _, first, second in tries]
        first, second = rates_of(tries)
        comparison = Comparison(
            outcome=outcome.name,
            good=outcome.good,
            tasks=tasks,
            first=first,
            second=second,
            first_only=changes.count(-1),
            second_only=changes.count(1),
            p=p_values[place],
            corrected=corrected[place],
            level=levels[place],
            interval=cluster_interval(differences, levels[place], -1.0),
            at_best=detectable(tasks, comparisons=len(candidates)),
            as_seen=detectable(tasks, squares / tasks, len(candidates)),
        )
        comparisons[key].append(comparison)
    return comparisons


def _levels(p_values: Sequence[float], corrected: Sequence[float]) -> list[float]:
    """Return for each p-value the level at which Holm's method decides about it.

    An interval at this level excludes 0 exactly if a difference is shown. The smallest p-value is
    compared with 0.05 divided by their number, the next with 0.05 divided by one less. After the
    first one that shows nothing, all others are decided at its level.
    """
    shown_count = sum(value < SURE for value in corrected)
    ranked = sorted(range(len(p_values)), key=p_values.__getitem__)
    # The number of comparisons that show a difference is also the rank of the first that does not.
    levels = [0.0] * len(p_values)
    for rank, place in enumerate(ranked):
        levels[place] = 1 - SURE / (len(p_values) - min(rank, shown_count))
    return levels


@dataclass(frozen=True, slots=True)
class Shown:
    """A difference between two formats that is shown."""

    better: str
    worse: str
    comparison: Comparison

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        names = write_object(self, "better", "worse")
        # The comparison has a number as `better`, which the name replaces.
        return names | self.comparison.to_dict() | {"better": self.better}


def compare_formats(records: Sequence[Record]) -> tuple[int, list[Shown]]:
    """Compare each two formats, on the cases that both have.

    How often replies are right, and wrong without an alarm, in the end is compared, with a
    correction for all comparisons together.

    Returns:
        The number of comparisons, and the differences that are shown.
    """
    pairings = {}
    for (a, first), (b, second) in combinations(by_format(records), 2):
        # Without a common case, there is nothing to compare.
        pairing = pair(first, second)
        if pairing.pairs:
            pairings[a, b] = pairing
    count = 0
    differences = []
    for names, comparisons in compare(pairings, OUTCOMES[:2]).items():
        count += len(comparisons)
        for comparison in comparisons:
            # 1 or 2: the place of the better format, counted from 1.
            side = comparison.better
            if side:
                differences.append(Shown(names[side - 1], names[2 - side], comparison))
    return count, differences
