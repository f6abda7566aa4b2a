"""Intervals of rates and means of clustered tries, such as the repetitions of a task.

Method: a bootstrap that resamples clusters. Each draw gives every cluster a random weight (Rubin's
Bayesian bootstrap). It also adds one more cluster, the next one that might come (Gaffke 2005): the
worst possible one for the lower end of an interval, the best possible one for the upper end. The
limit for infinitely many draws is computed, not drawn, so it is the same on every machine.

Invariants (tests/lab/benchmark/test_statistics.py):

1. If each cluster is one try, the interval is that of Clopper and Pearson, and the p-value that of
   McNemar's test. Both are exact.
2. An interval excludes 0 exactly if the p-value is below its level.
3. If something was not observed in m clusters of the same size, its rate is at most
   1 - 0.025 ** (1 / m).
"""

from __future__ import annotations

import cmath
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import exp, pi, sqrt
from statistics import NormalDist
from typing import Any

LEVEL = 0.95
_STEP = 0.5  # between two points of an integral over a normal density, in standard deviations
_POINTS = 18  # of the integral: up to 9 standard deviations
_HALVINGS = 45  # of an interval: to the precision of a float
_MAX_CORRECTIONS = 30  # of a point on the path: usually 4 are enough
Cluster = tuple[float, float]  # the sum of the values of its tries, and their number
Clusters = Mapping[Any, int]  # the number of equal clusters, by the cluster
_Row = tuple[float, float, int]
_Rows = tuple[_Row, ...]
# A random variable: the sum of each number times that many random weights (exponential).
_Parts = list[tuple[float, int]]


def exact_interval(k: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Return the interval of a rate of independent tries, after Clopper and Pearson.

    It is two-sided. If nothing was observed, its upper end is about 3.7/n; the one-sided rule of
    three gives 3/n. There is one rule for all rates, so that a rate of 0 does not look more
    certain than others.

    Args:
        k: The number of tries that are counted.
        n: The number of all tries. If it is 0, the interval is from 0 to 1.
        level: The probability that the interval contains the true rate.
    """
    clusters = {(1, 1): k, (0, 1): n - k}
    return cluster_interval(clusters, level)


def cluster_interval(
    clusters: Clusters, level: float = LEVEL, least: float = 0.0
) -> tuple[float, float]:
    """Return the interval of the mean value of a try.

    Args:
        clusters: The clusters. If there are none, the interval is from `least` to 1.
        level: The probability that the interval contains the true mean.
        least: The smallest possible value: 0 for a rate, -1 for a difference of two rates. The
            largest is 1.
    """
    rows = _rows(clusters)
    if not rows:
        return least, 1.0
    chance = (1 - level) / 2
    low = _lower(rows, least, chance)
    # The upper end is the lower one of the negative values.
    mirrored = _rows(clusters, -1)
    high = -_lower(mirrored, -1.0, chance)
    return low, high


def p_of_no_difference(clusters: Clusters) -> float:
    """Return the two-sided p-value of a mean of 0, for tries with values from -1 to 1."""
    rows = _rows(clusters)
    if not rows:
        return 1.0
    # The next cluster has the value that contradicts most.
    below = _chance_below(rows, 0.0, -1.0)
    above = _chance_below(_rows(clusters, -1), 0.0, -1.0)
    return min(1.0, 2 * min(below, above))


def gather(tries: Iterable[tuple[object, float]]) -> Counter[Cluster]:
    """Return the clusters of single tries, each with the name of its cluster and its value."""
    clusters: dict[object, Cluster] = {}
    for name, value in tries:
        total, n = clusters.get(name, (0, 0))
        clusters[name] = (total + value, n + 1)
    return Counter(clusters.values())


def _rows(clusters: Clusters, sign: int = 1) -> _Rows:
    """Return the clusters with tries, as a key of a cache; with the sign -1, of negative values."""
    rows = []
    for (value, n), count in clusters.items():
        if count and n:
            rows.append((sign * value, n, count))
    return tuple(sorted(rows))


@lru_cache(maxsize=4096)
def _lower(rows: _Rows, least: float, chance: float) -> float:
    """Return the number that the mean of a draw is below with some probability.

    The next cluster has only values of `least`.
    """
    largest = max(value / n for value, n, _ in rows)
    if largest <= least:
        return least
    target = _deviate(chance)

    # Regula falsi with the Illinois rule: an end that stays twice counts only half.
    low = 0.0
    high = sqrt(largest - least)
    at_low = _deviate(0.0) - target
    at_high = _deviate(1.0) - target
    last = ""  # the end that was moved last
    while True:
        width = at_high - at_low
        root = (low * at_high - high * at_low) / width
        mean = least + root * root
        below = _chance_below(rows, mean, least)
        # The normal deviate is nearly linear in the root.
        distance = _deviate(below) - target
        is_narrow = high - low < 1e-13 * high
        if is_narrow or abs(distance) < 1e-8:
            return mean
        if distance < 0:
            low = root
            at_low = distance
            if last == "low":
                at_high /= 2
            last = "low"
        else:
            high = root
            at_high = distance
            if last == "high":
                at_low /= 2
            last = "high"


def _deviate(chance: float) -> float:
    """Return the normal deviate of a probability, also of 0 and 1."""
    # The values for 0 and 1 are infinite: take the closest ones that are not.
    chance = max(chance, 1e-300)
    return NormalDist().inv_cdf(min(chance, 1 - 1e-16))


def _chance_below(rows: _Rows, mean: float, extra: float) -> float:
    """Return the probability that the mean of a draw is below a number.

    The next cluster has the mean size, and only values of `extra`.
    """
    parts: _Parts = []
    tries = 0.0
    clusters = 0
    for value, n, count in rows:
        parts.append((value - mean * n, count))
        tries += n * count
        clusters += count
    size = tries / clusters
    parts.append((size * (extra - mean), 1))
    return _chance_below_0(parts)


def _chance_below_0(parts: _Parts) -> float:
    """Return the probability that a random variable is below 0.

    It is computed from the moment-generating function (Lugannani and Rice 1980).
    """
    parts = sorted(filter(all, parts))
    if not parts:
        return 0.0
    if parts[0][0] > 0:
        return 0.0
    if parts[-1][0] < 0:
        return 1.0
    mean = 0.0
    mirrored = []
    for value, count in parts:
        mean += value * count
        mirrored.append((-value, count))
    # Only the smaller of the two probabilities is computed without loss of precision.
    if mean > 0:
        return _small_chance(sorted(mirrored))
    return 1 - _small_chance(parts)


def _small_chance(parts: _Parts) -> float:
    """Return the probability of a value above 0, for a random variable with a mean below 0.

    It is an integral in the complex plane over the path of steepest descent. The path crosses the
    real axis at the minimum of the integrand. Along it only the real part of the logarithm of the
    integrand decreases, so that a few points are enough.
    """
    saddle = _saddle(parts)
    point = complex(saddle)
    top, _ = _integrand(parts, point)
    curvature = 0.0
    for value, count in parts:
        factor = 1 - value * saddle
        curvature += count * (value / factor) ** 2
    curvature += saddle**-2
    direction = 1j * curvature**-0.5
    total = direction.imag / 2
    for number in range(1, _POINTS):
        depth = _STEP * number
        drop = depth**2 / 2
        # Predict the next point of the path, then correct it by Newton's method.
        point += direction * _STEP
        for _ in range(_MAX_CORRECTIONS):
            height, slope = _integrand(parts, point)
            correction = (height - top + drop) / slope
            point -= correction
            if abs(correction) <= 1e-6 * abs(point):  # the remaining error is about its square
                break
        _, slope = _integrand(parts, point)
        direction = -depth / slope
        total += exp(-drop) * direction.imag
    integral = exp(top.real) * total * _STEP / pi
    return float(min(1.0, integral))


def _saddle(parts: _Parts) -> float:
    """Return the minimum of the integrand on the real axis, by bisection."""
    low = 0.0
    largest, _ = max(parts)
    high = 1 / largest  # a pole
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        _, slope = _integrand(parts, middle)
        if slope.real < 0:
            low = middle
        else:
            high = middle
    return middle


def _integrand(parts: _Parts, point: complex) -> tuple[complex, complex]:
    """Return the logarithm of the integrand, and its derivative."""
    height = -cmath.log(point)
    slope = -1 / point
    for value, count in parts:
        factor = 1 - value * point
        height -= count * cmath.log(factor)
        slope += count * value / factor
    return height, slope
