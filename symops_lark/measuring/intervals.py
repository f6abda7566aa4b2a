"""How sure a rate is: the Wilson score interval, which holds for small numbers and for rates near 0 and 1."""

from __future__ import annotations

from statistics import NormalDist

LEVEL = 0.95
_NORMAL = NormalDist().inv_cdf((1 + LEVEL) / 2)


def wilson(k: int, n: int) -> tuple[float, float]:
    """Return the interval, at 95 %, of the rate of which n tries saw k; all from 0 to 1 if there was no try."""
    if not n:
        return 0.0, 1.0
    share, square = k / n, _NORMAL**2
    middle = share + square / (2 * n)
    spread = _NORMAL * (share * (1 - share) / n + square / (4 * n * n)) ** 0.5
    whole = 1 + square / n
    return (middle - spread) / whole if k else 0.0, (middle + spread) / whole if k < n else 1.0
