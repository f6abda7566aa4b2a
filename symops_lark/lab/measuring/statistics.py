"""Rates with intervals, differences of pairs, and the power of a number of cases.

All results are the same on every machine: random numbers have a seed, and come from a generator
that numpy does not change.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.ground.json_objects import JsonObject, write_object
from .intervals import LEVEL, Cluster, cluster_interval, exact_interval, gather

Sums = Any  # a matrix of numpy: a row for each draw, a column for each sum
SAMPLES = 2000  # of a bootstrap
_MAX_ROWS = 200_000  # that are drawn at once: a limit for the memory
_UNITS = 10**9  # differences are found in billionths
EXTRA = "symops-lark[bench]"


@dataclass(frozen=True, slots=True)
class Rate(JsonObject):
    """A rate.

    Attributes:
        k: The number of tries that are counted.
        n: The number of all tries. If it is 0, the rate and its interval are None.
        clusters: The clusters of tries, such as tasks, with the number of equal ones. If it is
            empty, the tries are independent.
    """

    k: int
    n: int
    clusters: tuple[tuple[Cluster, int], ...] = ()

    @classmethod
    def of(cls, hits: Iterable[tuple[object, bool]]) -> Rate:
        """Return the rate of true values, each with the name of its cluster."""
        clusters = sorted(gather(hits).items())
        k = 0
        n = 0
        for (value, tries), count in clusters:
            k += int(value) * count
            n += int(tries) * count
        return cls(k, n, tuple(clusters))

    @property
    def value(self) -> float | None:
        """The rate itself."""
        if not self.n:
            return None
        return self.k / self.n

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval at 95 %, from clusters if there are any."""
        if not self.n:
            return None
        if self.clusters:
            return cluster_interval(dict(self.clusters))
        return exact_interval(self.k, self.n)

    @property
    def drawn(self) -> int:
        """The number of clusters, or of independent tries."""
        if not self.clusters:
            return self.n
        return sum(count for _, count in self.clusters)

    def to_dict(self) -> dict[str, Any]:
        """Return the rate as a JSON object, without `clusters` if there are none."""
        fields = write_object(self, "k", "n", "value", "interval")
        if self.clusters:
            pairs = [[list(cluster), count] for cluster, count in self.clusters]
            fields["clusters"] = pairs
        return fields


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values in the same order, corrected for their number by Holm's method."""
    corrected = [0.0] * len(values)
    largest = 0.0
    order = sorted(range(len(values)), key=values.__getitem__)
    for rank, index in enumerate(order):
        remaining = len(values) - rank
        value = min(1.0, remaining * values[index])
        # A larger p-value never becomes smaller than a smaller one.
        largest = max(largest, value)
        corrected[index] = largest
    return corrected


def resample(
    sums: Sequence[Sequence[float]],
    statistic: Callable[[Sums], Sums],
    seed: str,
    samples: int = SAMPLES,
) -> list[float]:
    """Return the sorted values of a statistic for random draws of clusters with replacement.

    Args:
        sums: A row for each cluster, such as all repetitions of a task, and a column for each
            number to sum.
        statistic: Computes the values from a matrix with the sums of each draw, with the same
            columns. Draws without a value (NaN) are left out.
        seed: The seed of the random numbers.
        samples: The number of draws.
    """
    numpy: Any = load_library("numpy")
    from hashlib import sha256

    rows = numpy.asarray(sums, float)
    # The numbers of RandomState never change (NEP 19); those of default_rng may.
    digest = sha256(seed.encode()).digest()
    start = int.from_bytes(digest[:4], "big")
    generator = numpy.random.RandomState(start)
    step = max(1, _MAX_ROWS // len(rows))
    blocks = []
    for first in range(0, samples, step):
        draws = min(step, samples - first)
        shape = (draws, len(rows))
        indexes = generator.randint(0, len(rows), size=shape, dtype=numpy.int64)
        blocks.append(rows[indexes].sum(1))
    totals = numpy.concatenate(blocks)
    with numpy.errstate(all="ignore"):
        values = statistic(totals)
    finite = values[numpy.isfinite(values)]
    return sorted(finite.tolist())


def bootstrap(
    sums: Sequence[Sequence[float]],
    statistic: Callable[[Sums], Sums],
    seed: str,
    samples: int = SAMPLES,
) -> tuple[float, float] | None:
    """Return the 95 % interval of a statistic; None if there are fewer than two clusters.

    Args:
        sums: See `resample`.
        statistic: See `resample`.
        seed: The seed of the random numbers.
        samples: The number of draws.
    """
    if len(sums) < 2:
        return None
    values = resample(sums, statistic, seed, samples)
    if not values:
        return None
    low = quantile(values, (1 - LEVEL) / 2)
    high = quantile(values, (1 + LEVEL) / 2)
    return low, high


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value that a share of the values is below, by linear interpolation."""
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = ordered[int(position)]
    above = ordered[ceil(position)]
    weight = position % 1
    return below + weight * (above - below)


def needed_pairs(difference: float, discordance: float | None = None) -> float:
    """Return about how many pairs McNemar's test needs to show a difference of two rates.

    The level is 5 % without a correction, the power 80 % (Connor 1987). The exact test has less
    power with few pairs, and so has any test that is corrected for several comparisons.

    Without `discordance` the result is that of the best case, in which the better one is right
    wherever the other one is. It is 155 for 85 % against 90 %. If the two erred independently,
    `discordance` would be 0.22 and the result 688.

    Args:
        difference: The difference of the rates.
        discordance: The share of pairs in which only one of the two is right. It cannot be
            smaller than the difference, which is the default.
    """
    share = max(difference, discordance or 0.0)
    deviate = NormalDist().inv_cdf
    # The deviations of the difference if there is none, and if there is this one.
    error = deviate((1 + LEVEL) / 2) * sqrt(share)
    variance = share - difference**2
    error += deviate(0.8) * sqrt(variance)
    return (error / difference) ** 2


def detectable(n: int, discordance: float | None = None, comparisons: int = 1) -> float | None:
    """Return about the smallest difference of two rates that n pairs show (`needed_pairs`).

    Args:
        n: The number of pairs.
        discordance: See `needed_pairs`.
        comparisons: The number of comparisons that Holm's method corrects for.

    Returns:
        The difference; None if the pairs show none, even if all of them differ in one direction.
    """
    least = 2 * 0.5**n  # McNemar's exact p-value of such pairs
    if least * comparisons >= 1 - LEVEL:
        return None
    candidates = range(1000, _UNITS + 1)
    index = bisect_left(
        candidates, True, key=lambda units: needed_pairs(units / _UNITS, discordance) <= n
    )
    if index == len(candidates):
        return None
    return candidates[index] / _UNITS


def load_library(name: str, extra: str = EXTRA) -> Any:
    """Return a library, imported.

    Args:
        name: The name of its module.
        extra: The extra that installs it.

    Raises:
        SymOpsError: It is not installed. The message names the extra.
    """
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        missing = (error.name or name).partition(".")[0]
        raise SymOpsError(f"this needs the library {missing}: pip install '{extra}'") from None
