"""Order the actions of a document: what an action needs first, then as they are written.

`find_needs` returns the numbers that each action needs, `sort_numbers` the order. For

    1  ::create a.py  > dep, b.py        needs 2
    2  ::create b.py
    3  ::run pytest                      needs 1 and 2

the order is 2, 1, 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush

from ..changes import Operation
from ..files.paths import folders_of
from .steps import Step

Needs = Mapping[int, tuple[int, ...]]  # for each number the numbers that must come before it


def find_needs(
    steps: Sequence[Step], look_for: Callable[[Step, str], None]
) -> dict[int, tuple[int, ...]]:
    """Return the numbers of the steps that must come before each step.

    A step needs its dependencies, the step before it on the same file, and deletions of anything
    that is in its place. A command needs all files since the command before it, and that command,
    because a command does not declare which files it reads.

    Args:
        steps: The steps of the document.
        look_for: Called with a step and a dependency that no step of the document makes.

    Returns:
        The numbers by the number of the step, without duplicates.
    """
    last_by_path = {step.path: step.number for step in steps if step.path}
    latest: dict[str, int] = {}  # by path, the last step so far
    deletions: dict[str, list[int]] = {}  # by deleted file, and by each folder that it is in
    since_command = []
    needs = {}
    for step in steps:
        before = []
        if step.path in latest:
            before.append(latest[step.path])
        if step.operation is Operation.CREATE:
            # A file may take the place of a folder whose files are deleted, and the reverse.
            before += deletions.get(step.path, [])
            before += [latest[folder] for folder in folders_of(step.path) if folder in latest]
        for dependency in step.action.dependencies:
            path = dependency.removeprefix("./")
            if path == step.path:
                # On itself: the steps on that file before this one; if there is none, a circle.
                before.append(latest.get(path, step.number))
            elif path in last_by_path:
                before.append(last_by_path[path])
            else:
                look_for(step, path)
        if step.operation is Operation.DELETE:
            for place in (step.path, *folders_of(step.path)):
                deletions.setdefault(place, []).append(step.number)
        if step.path:
            latest[step.path] = step.number
            since_command.append(step.number)
        else:
            # A command may read every file that was written since the command before it.
            before += since_command
            since_command = [step.number]
        needs[step.number] = tuple(dict.fromkeys(before))
    return needs


def sort_numbers(needs: Needs) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Sort numbers so that each comes after those that it needs.

    Kahn's algorithm (`graphlib`), with a heap of the numbers that are ready.

    Args:
        needs: For each number the numbers that must come before it.

    Returns:
        All numbers, smallest first where there is a choice; and one circle, empty if there is none.
        Numbers of a circle, and those that need one, come last.
    """
    sorter: TopologicalSorter[int] = TopologicalSorter(needs)
    circle = ()
    try:
        sorter.prepare()
    except CycleError as error:
        # Numbers outside of the circle can still be sorted. The error lists the circle with its
        # first number twice, and against the direction of waiting.
        circle = tuple(reversed(error.args[1][1:]))
    order = []
    ready = sorted(sorter.get_ready())
    while ready:
        number = heappop(ready)
        order.append(number)
        sorter.done(number)
        for follower in sorter.get_ready():
            heappush(ready, follower)
    remaining = sorted(needs.keys() - set(order))
    return (*order, *remaining), circle
