"""Which of two is better, by how much, and how sure that is: the same cases, pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ...core.ground.json_objects import write_object
from ..measuring.intervals import Clusters, cluster_interval, gather, p_of_no_difference
from ..measuring.statistics import Rate, detectable, holm
from .figures import after, by_format, came_right, is_accepted, is_in
from .records import Record

Pair = tuple[Record, Record]
SURE = 0.05  # below this a corrected p-value is called a difference


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is compared: of a record whether it is so, or None if nobody knows; and whether that is good."""

    name: str
    holds: Callable[[Record], bool | None]
    good: bool = True


OUTCOMES = (
    Outcome("right in the end", lambda record: came_right(record.final)),
    Outcome("wrong without alarm", lambda record: is_in(record.final, "wrong-without-alarm"), good=False),
    Outcome("valid as written", lambda record: is_accepted(after(record, "strict"))),
    Outcome("valid in the end", lambda record: is_accepted(record.final)),
)


def known_pairs(outcome: Outcome, pairing: Pairing) -> list[Pair]:
    """Return the pairs of which an outcome is known on both sides."""
    return [(a, b) for a, b in pairing.pairs if outcome.holds(a) is not None and outcome.holds(b) is not None]


@dataclass(frozen=True, slots=True)
class Pairing:
    """The cases that both have, and how many of each stand alone."""

    pairs: tuple[Pair, ...]
    first_alone: int
    second_alone: int

    @property
    def tasks(self) -> int:
        """The number of tasks; there are more pairs than these where tasks were asked more than once."""
        return len({first.case.task for first, _ in self.pairs})


def pair(first: Sequence[Record], second: Sequence[Record]) -> Pairing:
    """Pair records by task and repetition, in order; each side has each case at most once, all with phases."""
    found = [{(r.case.task, r.case.repetition): r for r in records} for records in (first, second)]
    both = sorted(found[0].keys() & found[1].keys())
    pairs = tuple((found[0][case], found[1][case]) for case in both)
    return Pairing(pairs, len(first) - len(both), len(second) - len(both))


@dataclass(frozen=True, slots=True)
class Comparison:
    """One outcome in all pairs of which it is known, of so many `tasks`.

    `difference` is the second's rate less the first's; `first_only` and `second_only` are the pairs in which it holds
    of one alone. `p` is the p-value that whole tasks, drawn, give the difference (McNemar's, exact, where each task was
    asked once), `corrected` by Holm's method for all that is compared at once. `interval` is what decides: at that
    `level`, which is 0.95 for one comparison and higher for several, it excludes 0 just where `corrected` is below
    0.05. `at_best` and `as_seen` are the smallest differences that so many tasks show in 4 of 5 tries: with as little
    discordance as there can be, and with as much as was seen.
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
        """The second's rate less the first's."""
        return (self.second.value or 0.0) - (self.first.value or 0.0)

    @property
    def better(self) -> int:
        """1 or 2 if that one is shown to be better, 0 if no difference is shown."""
        if self.corrected >= SURE:
            return 0
        return 2 if (self.difference > 0) == self.good else 1

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        names = ("outcome", "n", "tasks", "first", "second", "difference", "level", "interval", "first_only")
        least = {"detectable_at_best": self.at_best, "detectable_as_seen": self.as_seen}
        return write_object(self, *names, "second_only", "p", "corrected", "better") | least


def compare(pairings: Mapping[str, Pairing], outcomes: Sequence[Outcome] = OUTCOMES) -> dict[str, list[Comparison]]:
    """Compare outcomes of some pairings, by their names; p-values are corrected for all of them together.

    An outcome that is not known of any pair is left out.
    """
    found = [
        (name, outcome, known, _differences(outcome, known))
        for name, pairing in pairings.items()
        for outcome in outcomes
        if (known := known_pairs(outcome, pairing))
    ]
    values = [p_of_no_difference(differences) for *_, differences in found]
    corrected_values = holm(values)
    result: dict[str, list[Comparison]] = {name: [] for name in pairings}
    for (name, outcome, known, differences), p, corrected, level in zip(
        found, values, corrected_values, _levels(values, corrected_values), strict=True
    ):
        first, second = (Rate.of((pair[0].case.task, bool(outcome.holds(pair[at]))) for pair in known) for at in (0, 1))
        only = [(bool(outcome.holds(one)), bool(outcome.holds(other))) for one, other in known]
        tasks = sum(differences.values())
        squares = sum((seen / n) ** 2 * count for (seen, n), count in differences.items()) / tasks
        made = Comparison(
            outcome=outcome.name,
            good=outcome.good,
            tasks=tasks,
            first=first,
            second=second,
            first_only=only.count((True, False)),
            second_only=only.count((False, True)),
            p=p,
            corrected=corrected,
            level=level,
            interval=cluster_interval(differences, level, -1.0),
            at_best=detectable(tasks),
            as_seen=detectable(tasks, squares),
        )
        result[name].append(made)
    return result


def _differences(outcome: Outcome, known: Sequence[Pair]) -> Clusters:
    return gather((a.case.task, bool(outcome.holds(b)) - bool(outcome.holds(a))) for a, b in known)


def _levels(values: Sequence[float], corrected: Sequence[float]) -> list[float]:
    """Return for each p-value the level at which Holm's method decides it: an interval of it excludes 0 if shown.

    The smallest is held against 0.05 over their number, the next against 0.05 over one less; where one fails, so does
    whatever is greater, at the same level.
    """
    ranked = sorted(range(len(values)), key=lambda place: values[place])
    shown = sum(value < SURE for value in corrected)
    levels = {place: 1 - SURE / (len(values) - min(rank, shown)) for rank, place in enumerate(ranked)}
    return [levels[place] for place in range(len(values))]


@dataclass(frozen=True, slots=True)
class Shown:
    """A difference of two formats that is shown."""

    better: str
    worse: str
    comparison: Comparison

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {**write_object(self, "better", "worse"), **self.comparison.to_dict(), "better": self.better}


def compare_formats(records: Sequence[Record]) -> tuple[int, list[Shown]]:
    """Return how many comparisons of two formats there are, on the cases that both have, and what they show.

    What is compared is how often replies are right, and wrong without an alarm, in the end; corrected for all at once.
    """
    both = {(a, b): pair(first, second) for (a, first), (b, second) in combinations(by_format(records), 2)}
    named = {"\n".join(names): pairing for names, pairing in both.items() if pairing.pairs}
    found = [(names.split("\n"), made) for names, each in compare(named, OUTCOMES[:2]).items() for made in each]
    shown = [Shown(names[made.better - 1], names[2 - made.better], made) for names, made in found if made.better]
    return len(found), shown
