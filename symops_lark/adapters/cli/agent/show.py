"""Runs as people see them: events as they happen, the diff of a plan, the end, the next step."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from ....acting.changes import Plan
from ....acting.trials import is_file_change
from ....agent import Event, Kind, Run, Status
from ....agent.runs import OPEN
from ....agent.telling import tell_event
from ..acting.plan_view import show_change
from ..colours import paint
from ..visibility import shell_word, visible, visible_line

# All other ends are red: somebody has to do something.
_COLOURS = {Status.COMPLETE: "green", Status.APPLIED: "green", Status.PLANNED: "cyan"}
_DIGITS = 12  # of an id that people read; any unique beginning is understood


def show_event(event: Event) -> Iterator[str]:
    """Yield the lines of an event: what happened, and the diffs of a plan.

    Args:
        event: The event.
    """
    yield from map(visible, tell_event(event))
    if event.kind is not Kind.PLAN:
        return
    # As `symops apply` shows them, and before anything is written.
    plan = Plan.from_dict(event.data["plan"])
    files = filter(is_file_change, plan.changes)
    for number, change in enumerate(files, 1):
        for line in show_change(number, change):
            yield f"  {line}"


def show_end(run: Run) -> Iterator[str]:
    """Yield the end of a run: its status and reason, the next command, the cost.

    Args:
        run: The run.
    """
    colour = _COLOURS.get(run.status, "red")
    status = paint(str(run.status), colour, bold=True)
    yield f"{status}: {visible_line(run.why)}"
    understood = run.last(Kind.UNDERSTOOD)
    if run.status is Status.NEEDS_USER and understood is not None:
        # One a line: in the reason they are joined.
        for gap in understood.data["gaps"]:
            yield f"  {visible_line(gap)}"
        yield "  say it in the request, or give the slots with --frame FILE"
    yield from _show_way_on(run)
    yield f"{run.cost.describe()}; run {run.id[:_DIGITS]}"


def _show_way_on(run: Run) -> Iterator[str]:
    """Yield the commands that continue a run, or take it back."""
    where = _root_option(run.task.root)
    name = run.id[:_DIGITS]
    if run.status is Status.PLANNED:
        yield f"  to write it: symops do --resume {name} --write{where}"
    elif run.status in OPEN:
        yield f"  to continue: symops do --resume {name}{where}"
    # A run that failed after it wrote leaves its files: they may help a person.
    was_written = run.last(Kind.APPLIED) is not None
    if was_written and run.status not in (Status.COMPLETE, Status.APPLIED):
        yield f"  to take back what was written: symops undo --run {run.id}{where}"


def _root_option(root: str) -> str:
    """Return the option that names the folder of a run; empty for the current folder."""
    # On Windows there is no relative path to another drive.
    with suppress(ValueError):
        root = os.path.relpath(root)
    return "" if root == os.curdir else f" --root {shell_word(root)}"


def show_runs(runs: list[Run]) -> Iterator[str]:
    """Yield a line for each run.

    Args:
        runs: The runs.
    """
    for run in runs:
        name, begun = run.id[:_DIGITS], run.events[0].at[:19]
        # A request may have several lines, and no list has.
        request = visible_line(" ".join(run.request.split()))
        yield f"{name}  {begun}  {run.status:<10}  {request[:80]}"
    if not runs:
        yield "there are no runs"
