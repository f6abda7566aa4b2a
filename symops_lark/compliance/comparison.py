"""Which of two is better, by how much, and how sure that is: the same cases, pair by pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..json_objects import write_object
from ..measuring.statistics import Rate, bootstrap, detectable, holm, mcnemar
from .figures import after, is_accepted, is_exact, is_in
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
    Outcome("exact in the end", lambda record: is_exact(record.final)),
    Outcome("wrong accepted", lambda record: is_in(record.final, "wrong-accepted"), good=False),
    Outcome("valid as written", lambda record: is_accepted(after(record, "strict"))),
    Outcome("valid in the end", lambda record: is_accepted(record.final)),
)


@dataclass(frozen=True, slots=True)
class Pairing:
    """The cases that both have, and how many of each stand alone."""

    pairs: tuple[Pair, ...]
    first_alone: int
    second_alone: int

    @property
    def is_repeated(self) -> bool:
        """Whether tasks were asked more than once."""
        return len({first.case.task for first, _ in self.pairs}) < len(self.pairs)


def pair(first: Sequence[Record], second: Sequence[Record]) -> Pairing:
    """Pair records by task and repetition, in order; each side has each case at most once, all with phases."""
    found = [{(r.case.task, r.case.repetition): r for r in records} for records in (first, second)]
    both = sorted(found[0].keys() & found[1].keys())
    pairs = tuple((found[0][case], found[1][case]) for case in both)
    return Pairing(pairs, len(first) - len(both), len(second) - len(both))


@dataclass(frozen=True, slots=True)
class Comparison:
    """One outcome in all pairs of which it is known.

    `difference` is the second's rate less the first's, `interval` its 95 % interval by drawing tasks; `first_only` and
    `second_only` are the pairs in which it holds of one alone. `p` is McNemar's, exact; `corrected` by Holm's method
    for all that is compared at once. `at_best` and `as_seen` are the smallest differences that so many pairs show in 4
    of 5 tries: with as little discordance as there can be, and with as much as was seen.
    """

    outcome: str
    good: bool
    first: Rate
    second: Rate
    interval: tuple[float, float] | None
    first_only: int
    second_only: int
    p: float
    corrected: float
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
        """1 or 2 if that one is shown to be better, 0 if no difference is shown.

        Both must show it: the test, and the interval, which alone knows that repetitions of a task are alike.
        """
        if self.corrected >= SURE or not self.difference:
            return 0
        if self.interval is None or self.interval[0] <= 0 <= self.interval[1]:
            return 0
        return 2 if (self.difference > 0) == self.good else 1

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        names = (
            "outcome",
            "n",
            "first",
            "second",
            "difference",
            "interval",
            "first_only",
            "second_only",
            "p",
            "corrected",
        )
        least = {"detectable_at_best": self.at_best, "detectable_as_seen": self.as_seen}
        return write_object(self, *names, "better") | least


def compare(pairings: Mapping[str, Pairing]) -> dict[str, list[Comparison]]:
    """Compare all outcomes of some pairings, by their names; p-values are corrected for all of them together.

    An outcome that is not known of any pair is left out.
    """
    found = [
        (name, made)
        for name, pairing in pairings.items()
        for outcome in OUTCOMES
        if (made := _compare(outcome, pairing, name)) is not None
    ]
    result: dict[str, list[Comparison]] = {name: [] for name in pairings}
    for (name, made), corrected in zip(found, holm([made.p for _, made in found]), strict=True):
        result[name].append(replace(made, corrected=corrected))
    return result


def _compare(outcome: Outcome, pairing: Pairing, seed: str) -> Comparison | None:
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    counts = [0, 0, 0, 0]  # pairs, first, second, both
    for one, other in pairing.pairs:
        first, second = outcome.holds(one), outcome.holds(other)
        if first is None or second is None:
            continue
        for place, value in enumerate((1, first, second, first and second)):
            counts[place] += value
        for place, value in enumerate((first, second, 1)):
            sums[one.case.task][place] += value
    n, k_first, k_second, both = counts
    if not n:
        return None
    only = k_first - both, k_second - both
    p = mcnemar(*only)
    drawn = bootstrap(
        [sums[task] for task in sorted(sums)], lambda s: (s[:, 1] - s[:, 0]) / s[:, 2], f"{seed}/{outcome.name}"
    )
    rates = Rate(k_first, n), Rate(k_second, n)
    least = detectable(n), detectable(n, sum(only) / n)
    return Comparison(outcome.name, outcome.good, *rates, drawn, *only, p, p, *least)
