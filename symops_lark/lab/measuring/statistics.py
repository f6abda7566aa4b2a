"""Rates with intervals, differences of pairs, and how small a difference n cases can show.

Everything is the same on every machine: whatever is drawn is drawn from a seed, by a generator that numpy has frozen.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.ground.json_objects import JsonObject, write_object
from .intervals import LEVEL, Cluster, cluster_interval, exact_interval, gather

Sums = Any  # a matrix of numpy: a row for each draw, a column for each number that is summed
SAMPLES = 2000  # of a bootstrap
_AT_ONCE = 200_000  # rows that are drawn at once
EXTRA = "symops-lark[bench]"


@dataclass(frozen=True, slots=True)
class Rate(JsonObject):
    """So many (k) of n; the rate and its interval are None if n is 0.

    `clusters` says of how many tries, in how many clusters such as tasks, so many were seen; without it each try stands
    alone.
    """

    k: int
    n: int
    clusters: tuple[tuple[Cluster, int], ...] = ()

    @classmethod
    def of(cls, hits: Iterable[tuple[object, bool]]) -> Rate:
        """Return the rate of what is true, of tries that each have the name of their cluster."""
        clusters = gather(hits)
        k, n = (int(sum(cluster[at] * count for cluster, count in clusters.items())) for at in (0, 1))
        return cls(k, n, tuple(sorted(clusters.items())))

    @property
    def value(self) -> float | None:
        """The rate itself."""
        return self.k / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval at 95 %, whole clusters drawn; of tries that stand alone Clopper and Pearson's."""
        if not self.n:
            return None
        return cluster_interval(dict(self.clusters)) if self.clusters else exact_interval(self.k, self.n)

    @property
    def drawn(self) -> int:
        """The number of clusters, or of tries that stand alone."""
        return sum(count for _, count in self.clusters) if self.clusters else self.n

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object; `clusters` are there where tries do not stand alone."""
        clusters = [[[*cluster], count] for cluster, count in self.clusters]
        return write_object(self, "k", "n", "value", "interval") | ({"clusters": clusters} if clusters else {})


def holm(values: Sequence[float]) -> list[float]:
    """Correct p-values for their number, by Holm's method; they come back in their order."""
    corrected, most = [0.0] * len(values), 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=lambda place: values[place])):
        most = max(most, min(1.0, (len(values) - rank) * values[place]))
        corrected[place] = most
    return corrected


def resample(
    sums: Sequence[Sequence[float]], statistic: Callable[[Sums], Sums], seed: str, samples: int = SAMPLES
) -> list[float]:
    """Return the statistic of each draw of clusters, drawn with replacement, in order of size.

    `sums` has a row for each cluster (all repetitions of one task, say) and a column for each number that is summed;
    `statistic` takes the sums of each draw as a matrix with these columns. Draws that have none (NaN) are left out.
    """
    numpy: Any = load_library("numpy")
    from hashlib import sha256

    rows = numpy.asarray(sums, dtype=float)
    # The stream of RandomState never changes (NEP 19); that of default_rng may, with numpy's version.
    draw = numpy.random.RandomState(int.from_bytes(sha256(seed.encode()).digest()[:4], "big"))
    blocks = []
    for first in range(0, samples, step := max(1, _AT_ONCE // len(rows))):
        shape = (min(step, samples - first), len(rows))
        blocks.append(rows[draw.randint(0, len(rows), size=shape, dtype=numpy.int64)].sum(axis=1))
    totals = numpy.concatenate(blocks)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        found = statistic(totals)
    return sorted(float(value) for value in found[numpy.isfinite(found)])


def bootstrap(
    sums: Sequence[Sequence[float]], statistic: Callable[[Sums], Sums], seed: str, samples: int = SAMPLES
) -> tuple[float, float] | None:
    """Return the 95 % interval of a statistic by drawing clusters; None if there are fewer than two of them."""
    if len(sums) < 2 or not (drawn := resample(sums, statistic, seed, samples)):
        return None
    return quantile(drawn, (1 - LEVEL) / 2), quantile(drawn, (1 + LEVEL) / 2)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values lies, between two of them by a straight line."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = ordered[int(place)]
    return below + place % 1 * (ordered[ceil(place)] - below)


def needed_pairs(difference: float, discordance: float | None = None) -> float:
    """Return how many pairs show a difference of two rates by McNemar's test (Connor 1987): at 5 %, in 4 of 5 tries.

    `discordance` is the share of pairs that only one of the two gets right. It cannot be smaller than the difference;
    without it, it is taken to be as small: whatever the worse one gets right, the better one does too. That is the
    best case, and gives the known 155 pairs for 85 % against 90 %. If the two erred independently it would be 0.22
    there, and 688 pairs.
    """
    share = max(difference, discordance or 0.0)
    sure, seen = NormalDist().inv_cdf((1 + LEVEL) / 2), NormalDist().inv_cdf(0.8)
    root = sure * share**0.5 + seen * (share - difference**2) ** 0.5
    return float((root / difference) ** 2)


def detectable(n: int, discordance: float | None = None) -> float | None:
    """Return the smallest difference of two rates that n pairs show in 4 of 5 tries; None if they show none at all."""
    steps = range(1000, 10**9 + 1)  # of a billionth each
    found = bisect_left(steps, True, key=lambda step: needed_pairs(step / 10**9, discordance) <= n)
    return steps[found] / 10**9 if found < len(steps) else None


def load_library(name: str, extra: str = EXTRA) -> Any:
    """Return a library of an extra, imported; raises `SymOpsError` that says what to install."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        missing = (error.name or name).partition(".")[0]
        raise SymOpsError(f"this needs the library {missing}: pip install '{extra}'") from None
