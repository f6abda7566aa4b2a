"""How sure a rate or a mean is that was seen in clusters, such as all repetitions of a task: whole clusters are drawn.

Each draw gives every cluster a random weight (Rubin's bootstrap), and adds a cluster as bad as can be for the lower end
of an interval, one as good as can be for the upper end: the next one that might come (Gaffke 2005). What so many draws
would give is worked out here, not drawn, so it is the same everywhere. Laws: where each cluster is one try, intervals
are Clopper and Pearson's and the p-value is McNemar's, both exact; an interval excludes 0 just where the p-value of its
level says so; of what was never seen in m clusters alike in size the rate is at most 1 - 0.025 ** (1 / m).
"""

from __future__ import annotations

import cmath
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import exp, pi
from statistics import NormalDist
from typing import Any

LEVEL = 0.95
_STEP, _POINTS = 0.5, 18  # of an integral over a Gaussian bell
_HALVINGS, _TURNS = 45, 30
_NORMAL = NormalDist()
Cluster = tuple[float, float]  # what was seen in it, summed, and the number of its tries
Clusters = Mapping[Any, int]  # how many clusters (`Cluster`) are alike
_Rows = tuple[tuple[float, float, int], ...]
_Parts = list[tuple[float, int]]  # a random variable: the sum of each number times that of so many exponential weights


def exact_interval(k: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Return the interval of the rate of which n tries, each by itself, saw k: Clopper and Pearson's; 0 to 1 if n is 0.

    It is two-sided, so of nothing in n the upper end is about 3.7/n, where the rule of three, which has one side, says
    3/n: one rule for all rates, and none of them looks surer for having been 0.
    """
    return cluster_interval({(1, 1): k, (0, 1): n - k}, level)


def cluster_interval(clusters: Clusters, level: float = LEVEL, least: float = 0.0) -> tuple[float, float]:
    """Return the interval of what was seen over the tries, of which each gives something from `least` up to 1.

    0 stands for `least` in a rate, -1 in a difference of two. Without clusters the interval is all that there can be.
    """
    rows = _sort(clusters)
    if not rows:
        return least, 1.0
    mirrored = _sort({(-seen, n): count for (seen, n), count in clusters.items()})
    chance = (1 - level) / 2
    return _lower(rows, least, chance), -_lower(mirrored, -1.0, chance)


def p_of_no_difference(clusters: Clusters) -> float:
    """Return the two-sided p-value that a difference, of which each try gives from -1 to 1, is 0 on the whole."""
    rows = _sort(clusters)
    extra = sum(n * count for _, n, count in rows) / max(1, sum(count for _, _, count in rows))
    sides = ([(sign * seen, count) for seen, _, count in rows] for sign in (1, -1))
    return min(1.0, 2 * min(_chance_below_0([*side, (-extra, 1)]) for side in sides)) if rows else 1.0


def gather(tries: Iterable[tuple[object, float]]) -> Counter[Cluster]:
    """Return the clusters of single tries, each with the name of its cluster and what was seen in it."""
    sums: dict[object, tuple[float, int]] = {}
    for name, seen in tries:
        before, n = sums.get(name, (0, 0))
        sums[name] = before + seen, n + 1
    return Counter(sums.values())


def _sort(clusters: Clusters) -> _Rows:
    return tuple(sorted((seen, n, count) for (seen, n), count in clusters.items() if count and n))


@lru_cache(maxsize=4096)
def _lower(rows: _Rows, least: float, chance: float) -> float:
    """Return the number that the draws stay below with a chance, a cluster of `least` added to those that there are."""
    most = max(seen / n for seen, n, _ in rows)
    if most <= least:
        return least
    extra = sum(n * count for _, n, count in rows) / sum(count for _, _, count in rows)

    def miss(root: float) -> float:
        """How far the normal deviate of the chance is from that of the one looked for: nearly straight in the root."""
        mean = least + root * root
        parts = [(seen - mean * n, count) for seen, n, count in rows]
        found = _chance_below_0([*parts, (extra * (least - mean), 1)])
        return _NORMAL.inv_cdf(min(max(found, 1e-300), 1 - 1e-16)) - deviate

    deviate = _NORMAL.inv_cdf(chance)
    low, high, last = 0.0, (most - least) ** 0.5, 0
    at_low, at_high = _NORMAL.inv_cdf(1e-300) - deviate, _NORMAL.inv_cdf(1 - 1e-16) - deviate
    while True:  # regula falsi after Illinois
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        found = miss(middle)
        if abs(found) < 1e-8 or high - low < 1e-13 * high:
            return float(least + middle * middle)
        if found < 0:
            low, at_low, at_high = middle, found, at_high / (2 if last < 0 else 1)
        else:
            high, at_high, at_low = middle, found, at_low / (2 if last > 0 else 1)
        last = -1 if found < 0 else 1


def _chance_below_0(parts: _Parts) -> float:
    """Return the chance that the random variable is below 0, by its moment-generating function (Lugannani and Rice)."""
    parts = sorted((value, count) for value, count in parts if value and count)
    if not parts or parts[0][0] > 0:
        return 0.0
    if parts[-1][0] < 0:
        return 1.0
    mean = sum(value * count for value, count in parts)
    if mean > 0:  # the smaller of the two chances is the one that is found without loss
        return _small_chance(sorted((-value, count) for value, count in parts))
    return 1 - _small_chance(parts)


def _small_chance(parts: _Parts) -> float:
    """Return the chance of more than 0, which is below the mean of none: an integral over a line of the complex plane.

    The line is that of steepest descent: it crosses the real axis where the integrand is least, and each step along it
    takes the logarithm of the integrand down by a real number alone.
    """
    low, high = 0.0, 1 / max(parts)[0]
    for _ in range(_HALVINGS):
        at = (low + high) / 2
        low, high = (at, high) if sum(n * value / (1 - value * at) for value, n in parts) < 1 / at else (low, at)
    top, _ = _integrand(parts, at)
    forward = 1j * (sum(n * (value / (1 - value * at)) ** 2 for value, n in parts) + at**-2) ** -0.5
    point, total = complex(at), forward.imag / 2
    for depth in (_STEP * number for number in range(1, _POINTS)):
        point += forward * _STEP
        for _ in range(_TURNS):
            height, slope = _integrand(parts, point)
            step = (height - top + depth**2 / 2) / slope
            point -= step
            if abs(step) <= 1e-6 * abs(point):  # what is left is about its square
                break
        forward = -depth / _integrand(parts, point)[1]
        total += exp(-(depth**2) / 2) * forward.imag
    return float(min(1.0, exp(top.real) * total * _STEP / pi))


def _integrand(parts: _Parts, point: complex) -> tuple[complex, complex]:
    """Return the logarithm of the integrand, and its derivative."""
    height, slope = -cmath.log(point), -1 / point
    for value, count in parts:
        rest = 1 - value * point
        height -= count * cmath.log(rest)
        slope += count * value / rest
    return height, slope
