"""What a run log comes to, model by model: counts, sums, the newest results. It takes as much memory for any log.

Law: rows and runs may come in any order, and in parts that are put together: the tallies are the same.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...core.ground.json_objects import write_object
from ...lab.measuring.statistics import Rate

PASS_WINDOW, WIN_WINDOW = 100, 1000
_FINE = 10**9  # sums are of whole numbers, so that their order decides nothing
_PERIODS = (16, 13, 10, 7, 4)  # characters of a timestamp: minute, hour, day, month, year
_MOST_PERIODS = 240
Order = tuple[Any, ...]


class Window:
    """The newest results, by their order, whenever they come."""

    __slots__ = ("items", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.items: list[tuple[Order, Any]] = []

    def add(self, order: Order, value: Any) -> None:
        """Take a result in."""
        items = self.items
        if not items or order > items[-1][0]:
            items.append((order, value))
        else:
            insort(items, (order, value))
        if len(items) > 2 * self.size:
            del items[: -self.size]

    @property
    def first(self) -> Order:
        """The order of the oldest of the newest results."""
        return self.items[-self.size :][0][0] if self.items else ()

    def values(self) -> list[Any]:
        """Return the newest results, the oldest of them first."""
        return [value for _, value in self.items[-self.size :]]

    def merge(self, other: Window) -> None:
        """Take in what another window has."""
        for order, value in other.items:
            self.add(order, value)


class Sums:
    """A number of rows, how many passed, and the sums of their rewards and costs."""

    __slots__ = ("cost", "passes", "reward", "rows")

    def __init__(self) -> None:
        self.rows = self.passes = self.reward = self.cost = 0

    def add(self, other: Sums) -> None:
        """Add what others have."""
        self.rows += other.rows
        self.passes += other.passes
        self.reward += other.reward
        self.cost += other.cost

    @property
    def mean_reward(self) -> float:
        """The mean of the rewards."""
        return self.reward / self.rows / _FINE

    @property
    def mean_cost(self) -> float:
        """The mean of the costs."""
        return self.cost / self.rows / _FINE


class Periods:
    """Sums over time: by the minute, and where there would be too many by the hour, the day, and so on."""

    def __init__(self) -> None:
        self.level = 0
        self.sums: dict[str, Sums] = {}

    def find(self, timestamp: str) -> Sums:
        """Return the sums of the period of a time."""
        key = timestamp[: _PERIODS[self.level]]
        found = self.sums.get(key)
        if found is None:
            found = self.sums[key] = Sums()
            if len(self.sums) > _MOST_PERIODS:
                self._fit()
                found = self.sums[key[: _PERIODS[self.level]]]
        return found

    def _fit(self) -> None:
        while len(self.sums) > _MOST_PERIODS and self.level < len(_PERIODS) - 1:
            self.coarsen(self.level + 1)

    def coarsen(self, level: int) -> None:
        """Put periods together."""
        while self.level < level:
            self.level += 1
            finer, self.sums = self.sums, {}
            for key, sums in finer.items():
                self.sums.setdefault(key[: _PERIODS[self.level]], Sums()).add(sums)

    def merge(self, other: Periods) -> None:
        """Take in what others have."""
        self.coarsen(other.level)
        other.coarsen(self.level)
        for key, sums in other.sums.items():
            self.sums.setdefault(key, Sums()).add(sums)
        self._fit()


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """Whose rows are counted together: one version of a model, under one metric."""

    model_id: str
    version: str
    metric: str


@dataclass(slots=True)
class Tally:
    """What one version of a model did under one metric.

    It has `competed` in the runs in which another model ran too and a winner was decided. `wins` has, of the newest of
    them, whether it won and how many competed. `unsealed` is the newest row without a valid seal, and `unsealed_run`
    the newest of those runs that has such a row.
    """

    key: Key
    competed: int = 0
    won: int = 0
    passes: Window = field(default_factory=lambda: Window(PASS_WINDOW))
    wins: Window = field(default_factory=lambda: Window(WIN_WINDOW))
    periods: Periods = field(default_factory=Periods)
    unsealed: Order = ()
    unsealed_run: Order = ()

    def add(
        self, order: Order, timestamp: str, passed: bool, reward: float, cost: float, *, sealed: bool = True
    ) -> None:
        """Count a row."""
        if not sealed:
            self.unsealed = max(self.unsealed, order)
        sums = self.periods.find(timestamp)
        sums.rows += 1
        sums.passes += passed
        sums.reward += round(reward * _FINE)
        sums.cost += round(cost * _FINE)
        self.passes.add(order, passed)

    def compete(self, order: Order, won: bool, among: int, *, sealed: bool = True) -> None:
        """Count a run that was decided."""
        if not sealed:
            self.unsealed_run = max(self.unsealed_run, order)
        self.competed += 1
        self.won += won
        self.wins.add(order, (won, among))

    def merge(self, other: Tally) -> None:
        """Add what another part of the log says."""
        self.competed += other.competed
        self.won += other.won
        self.passes.merge(other.passes)
        self.wins.merge(other.wins)
        self.periods.merge(other.periods)
        self.unsealed = max(self.unsealed, other.unsealed)
        self.unsealed_run = max(self.unsealed_run, other.unsealed_run)

    @property
    def sums(self) -> Sums:
        """The sums of all its rows."""
        whole = Sums()
        for sums in self.periods.sums.values():
            whole.add(sums)
        return whole

    @property
    def pass_rate(self) -> Rate:
        """How often it passed, of all its rows."""
        sums = self.sums
        return Rate(sums.passes, sums.rows)

    @property
    def win_rate(self) -> Rate:
        """How often it won, of the decided runs in which it competed with another."""
        return Rate(self.won, self.competed)

    @property
    def newest_passes(self) -> Rate:
        """How often it passed, of the newest rows."""
        values = self.passes.values()
        return Rate(sum(values), len(values))

    @property
    def newest_wins(self) -> Rate:
        """How often it won, of the newest runs in which it competed."""
        values = self.wins.values()
        return Rate(sum(won for won, _ in values), len(values))

    @property
    def competitors(self) -> float:
        """How many competed in those runs, in the mean."""
        values = self.wins.values()
        return sum(among for _, among in values) / len(values) if values else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as a JSON object."""
        return {
            **write_object(self.key),
            "rows": self.sums.rows,
            **write_object(self, "pass_rate", "win_rate", "newest_passes", "newest_wins", "competitors"),
            **write_object(self.sums, "mean_reward", "mean_cost"),
        }


class Tallies:
    """The tallies of all models."""

    def __init__(self) -> None:
        self.by_key: dict[Key, Tally] = {}
        self._found: dict[tuple[str, str, str], Tally] = {}

    def find(self, model_id: str, version: str, metric: str) -> Tally:
        """Return the tally of a model's version under a metric."""
        names = model_id, version, metric
        tally = self._found.get(names)
        if tally is None:
            key = Key(*names)
            tally = self._found[names] = self.by_key[key] = Tally(key)
        return tally

    def __iter__(self) -> Iterator[Tally]:
        return iter(self.by_key[key] for key in sorted(self.by_key))

    def merge(self, other: Tallies) -> None:
        """Add what another part of the log says."""
        for key, tally in other.by_key.items():
            self.find(key.model_id, key.version, key.metric).merge(tally)
