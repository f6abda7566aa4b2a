"""In which order the actions of a document are carried out: dependencies first, else as they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush

Needs = Mapping[int, tuple[int, ...]]  # for each number the numbers that must come before it


def sort_numbers(needs: Needs) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the numbers in running order, smallest first where there is a choice, and one circle if there is any.

    What stands in a circle, or behind one, comes last.
    """
    followers: dict[int, list[int]] = {number: [] for number in needs}
    waiting = {number: len(before) for number, before in needs.items()}
    for number, before in needs.items():
        for other in before:
            followers[other].append(number)
    ready = [number for number, count in waiting.items() if not count]
    heapify(ready)
    done: list[int] = []
    while ready:
        number = heappop(ready)
        done.append(number)
        for other in followers[number]:
            waiting[other] -= 1
            if not waiting[other]:
                heappush(ready, other)
    left = [number for number in sorted(needs) if waiting[number] > 0]
    return (*done, *left), tuple(_walk(left, needs)) if left else ()


def _walk(left: Sequence[int], needs: Needs) -> Iterator[int]:
    """Walk from one to what it needs until the way comes back: everything that is left needs something left."""
    among, seen, at = set(left), dict[int, int](), left[0]
    way: list[int] = []
    while at not in seen:
        seen[at] = len(way)
        way.append(at)
        at = next(other for other in needs[at] if other in among)
    yield from way[seen[at] :]
