"""Times of one run: what is compared takes turns, so that whatever else the machine does hits all of it alike."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from statistics import median
from typing import Any

Work = Callable[[], Any]


def spent(work: Work) -> float:
    """Return the processor time of a call in seconds."""
    began = time.thread_time()
    work()
    return time.thread_time() - began


def passed(work: Work) -> float:
    """Return what a call takes by the clock, in seconds: to ask for it costs much less than for the processor's."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def take_turns(
    works: Mapping[str, Callable[[int], Work]], rounds: int, measure: Callable[[Work], float] = spent
) -> dict[str, list[float]]:
    """Return the times of some works, in seconds; `works` make the call of each round, untimed.

    The order in a round is drawn anew, the same in each run.
    """
    times: dict[str, list[float]] = {name: [] for name in works}
    rng = random.Random(0)
    for number in range(rounds):
        for name in rng.sample(list(works), len(works)):
            times[name].append(measure(works[name](number)))
    return times


def quantile(times: Sequence[float], share: float) -> float:
    """Return the least of the times that a share of them does not exceed (the nearest rank)."""
    return sorted(times)[max(0, math.ceil(share * len(times)) - 1)]


def milliseconds(times: Sequence[float]) -> str:
    """Return the median and the slow ones as text."""
    return " / ".join(f"{1000 * quantile(times, share):.3g}" for share in (0.5, 0.95, 0.99))


@cache
def pace() -> float:
    """Return what ten thousand empty steps take, in milliseconds: how fast Python is here and now."""

    def step() -> None:
        for _ in range(10_000):
            pass

    return 1000 * median(spent(step) for _ in range(50))
