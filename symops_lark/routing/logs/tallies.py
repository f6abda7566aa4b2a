"""The figures of a run log for each model: counts, sums, and the newest results.

They take the same memory for any log. Invariant: rows and runs may come in any order, and in parts
that are merged; the figures are the same.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...core.ground.json_objects import write_object
from ...lab.measuring.statistics import Rate

PASS_WINDOW = 100  # rows
WIN_WINDOW = 1000  # runs
_FINE = 10**9  # sums are integers, so that the order of rows does not matter
_PERIODS = (16, 13, 10, 7, 4)  # characters of a timestamp: minute, hour, day, month, year
_MAX_PERIODS = 240  # points of a chart
Order = tuple[Any, ...]


class Window:
    """The newest results by their order, which need not be that in which they are added."""

    __slots__ = ("items", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.items: list[tuple[Order, Any]] = []

    def add(self, order: Order, value: Any) -> None:
        """Add a result."""
        items = self.items
        if not items or order > items[-1][0]:
            items.append((order, value))
        else:
            insort(items, (order, value))
        # Not each time: a deletion takes time linear in the size.
        if len(items) > 2 * self.size:
            del items[: -self.size]

    @property
    def first(self) -> Order:
        """The order of the oldest result of the window."""
        if not self.items:
            return ()
        oldest, _ = self.items[-self.size :][0]
        return oldest

    def values(self) -> list[Any]:
        """Return the results of the window, the oldest first."""
        return [value for _, value in self.items[-self.size :]]

    def merge(self, other: Window) -> None:
        """Add the results of another window."""
        for order, value in other.items:
            self.add(order, value)


class Sums:
    """A number of rows, how many passed, and the sums of their rewards and costs."""

    __slots__ = ("cost", "passes", "reward", "rows")

    def __init__(self) -> None:
        self.rows = 0
        self.passes = 0
        self.reward = 0
        self.cost = 0

    def add(self, other: Sums) -> None:
        """Add other sums."""
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
    """Sums over time: by the minute, or if there are too many, by the hour, the day, and so on."""

    def __init__(self) -> None:
        self.level = 0
        self.sums: dict[str, Sums] = {}

    def find(self, timestamp: str) -> Sums:
        """Return the sums of the period of a time."""
        key = timestamp[: _PERIODS[self.level]]
        sums = self.sums.get(key)
        if sums is None:
            sums = self.sums[key] = Sums()
            if len(self.sums) > _MAX_PERIODS:
                self._fit()
                # Its period is a part of a longer one now.
                sums = self.sums[key[: _PERIODS[self.level]]]
        return sums

    def _fit(self) -> None:
        while len(self.sums) > _MAX_PERIODS and self.level < len(_PERIODS) - 1:
            self.coarsen(self.level + 1)

    def coarsen(self, level: int) -> None:
        """Merge periods into longer ones."""
        while self.level < level:
            self.level += 1
            finer, self.sums = self.sums, {}
            for key, sums in finer.items():
                longer = key[: _PERIODS[self.level]]
                self.sums.setdefault(longer, Sums()).add(sums)

    def merge(self, other: Periods) -> None:
        """Add the sums of another part of the log."""
        self.coarsen(other.level)
        other.coarsen(self.level)
        for key, sums in other.sums.items():
            self.sums.setdefault(key, Sums()).add(sums)
        self._fit()


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """The rows that are counted together: one version of a model, under one metric."""

    model_id: str
    version: str
    metric: str


@dataclass(slots=True)
class Tally:
    """The figures of one version of a model under one metric.

    Attributes:
        key: The version and the metric.
        competed: The number of runs with a winner, in which another model competed, too.
        won: How many of them it won.
        passes: Whether it passed, in its newest rows.
        wins: Whether it won and how many models competed, in the newest of these runs.
        periods: Sums over time.
        unsealed: The newest row without a valid seal.
        unsealed_run: The newest of these runs that has such a row.
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
        self,
        order: Order,
        timestamp: str,
        passed: bool,
        reward: float,
        cost: float,
        *,
        sealed: bool = True,
    ) -> None:
        """Count a row.

        Args:
            order: Its order.
            timestamp: Its time.
            passed: Whether it passed.
            reward: Its reward.
            cost: Its cost.
            sealed: Whether it has a valid seal.
        """
        if not sealed:
            self.unsealed = max(self.unsealed, order)
        sums = self.periods.find(timestamp)
        sums.rows += 1
        sums.passes += passed
        sums.reward += round(reward * _FINE)
        sums.cost += round(cost * _FINE)
        self.passes.add(order, passed)

    def compete(self, order: Order, won: bool, among: int, *, sealed: bool = True) -> None:
        """Count a run with a winner.

        Args:
            order: The order of its newest row.
            won: Whether this model won.
            among: The number of models that competed.
            sealed: Whether all its rows have a valid seal.
        """
        if not sealed:
            self.unsealed_run = max(self.unsealed_run, order)
        self.competed += 1
        self.won += won
        self.wins.add(order, (won, among))

    def merge(self, other: Tally) -> None:
        """Add the figures of another part of the log."""
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
        total = Sums()
        for sums in self.periods.sums.values():
            total.add(sums)
        return total

    @property
    def pass_rate(self) -> Rate:
        """The rate of passes in all its rows."""
        sums = self.sums
        return Rate(sums.passes, sums.rows)

    @property
    def win_rate(self) -> Rate:
        """The rate of wins in the runs in which it competed with another model."""
        return Rate(self.won, self.competed)

    @property
    def newest_passes(self) -> Rate:
        """The rate of passes in the newest rows."""
        values = self.passes.values()
        return Rate(sum(values), len(values))

    @property
    def newest_wins(self) -> Rate:
        """The rate of wins in the newest of these runs."""
        values = self.wins.values()
        wins = sum(won for won, _ in values)
        return Rate(wins, len(values))

    @property
    def competitors(self) -> float:
        """The mean number of models in the newest of these runs."""
        values = self.wins.values()
        total: float = sum(among for _, among in values)
        return total / len(values) if values else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as a JSON object."""
        rates = ("pass_rate", "win_rate", "newest_passes", "newest_wins", "competitors")
        return {
            **write_object(self.key),
            "rows": self.sums.rows,
            **write_object(self, *rates),
            **write_object(self.sums, "mean_reward", "mean_cost"),
        }


class Tallies:
    """The tallies of all models."""

    def __init__(self) -> None:
        self.by_key: dict[Key, Tally] = {}
        # By a tuple, whose hash is computed faster than that of a dataclass.
        self._by_names: dict[tuple[str, str, str], Tally] = {}

    def find(self, model_id: str, version: str, metric: str) -> Tally:
        """Return the tally of a version of a model under a metric; it is created if necessary.

        Args:
            model_id: The model.
            version: The version.
            metric: The name of the metric.
        """
        names = (model_id, version, metric)
        tally = self._by_names.get(names)
        if tally is None:
            key = Key(*names)
            tally = self._by_names[names] = self.by_key[key] = Tally(key)
        return tally

    def __iter__(self) -> Iterator[Tally]:
        for key in sorted(self.by_key):
            yield self.by_key[key]

    def merge(self, other: Tallies) -> None:
        """Add the figures of another part of the log."""
        for key, tally in other.by_key.items():
            self.find(key.model_id, key.version, key.metric).merge(tally)
