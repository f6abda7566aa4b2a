"""In which order the actions of a document are carried out: dependencies first, else as they stand."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush

Needs = Mapping[int, tuple[int, ...]]  # for each number the numbers that must come before it


def sort_numbers(needs: Needs) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the numbers in running order, smallest first where there is a choice, and one circle if there is any.

    What stands in a circle, or behind one, comes last.
    """
    sorter, circle = TopologicalSorter(needs), ()  # type: tuple[TopologicalSorter[int], tuple[int, ...]]
    try:
        sorter.prepare()
    except CycleError as error:  # the rest can be sorted nevertheless
        circle = tuple(reversed(error.args[1][1:]))
    done: list[int] = []
    ready = sorted(sorter.get_ready())
    while ready:
        done.append(heappop(ready))
        sorter.done(done[-1])
        for number in sorter.get_ready():
            heappush(ready, number)
    return (*done, *sorted(needs.keys() - set(done))), circle
