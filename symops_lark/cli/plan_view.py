"""Plans as people see them: what happens in which order, why it is asked about, diffs, what is in the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import unified_diff
from typing import TYPE_CHECKING

from ..workspace.changes import Change, Decision, Operation, Plan
from .view import paint, show_findings, show_title, visible

if TYPE_CHECKING:
    from ..source import Source

_COLOURS = {Decision.AUTO: "green", Decision.ASK: "yellow", Decision.REFUSE: "red"}
_WORDS = {Decision.AUTO: "by itself", Decision.ASK: "to ask about", Decision.REFUSE: "refused"}
_SIGNS = {"+": "green", "-": "red", "@": "cyan"}
_MOST_LINES = 5_000  # of both sides of a diff: difflib is quadratic at worst


def show_plan(plan: Plan, source: Source) -> Iterator[str]:
    """Give the lines of a plan: a summary, each change with its reasons and its diff, conflicts and notes."""
    yield show_title(source.name, _summary(plan))
    for place, change in enumerate(plan.changes, 1):
        yield ""
        yield from show_change(place, change)
    if plan.conflicts or plan.notes:
        yield ""
    yield from show_findings((*plan.conflicts, *plan.notes), source)


def show_change(place: int, change: Change) -> Iterator[str]:
    """Give the lines of one change: what, whether it is asked about and why, and its diff."""
    decision = paint(str(change.decision), _COLOURS[change.decision], bold=True)
    behind = f", after action {', '.join(map(str, change.needs))}" if change.needs else ""
    path = paint(visible(change.path), bold=True)
    yield f"{place}. {change.operation} {path}: {decision} (action {change.number}{behind})"
    for reason in change.reasons:
        yield "   because " + visible(reason.replace("\n", "\u240a"))
    if change.operation is not Operation.RUN:
        yield from ("   " + line for line in show_diff(change))


def show_diff(change: Change) -> Iterator[str]:
    """Give the lines of the difference that a change makes."""
    if change.before is None and change.after is None:
        return
    before, after = _lines(change.before), _lines(change.after)
    if before is None or after is None:
        yield f"{len(change.before or b''):,} bytes, which are no text"
        return
    if len(before) + len(after) > _MOST_LINES:
        yield f"{len(before):,} lines become {len(after):,}: too many to show"
        return
    if not before and not after:
        yield "an empty file"
    old = change.path if change.before is not None else "nothing"
    new = change.path if change.after is not None else "nothing"
    for number, line in enumerate(unified_diff(before, after, old, new, lineterm="")):
        sign, is_head = line[:1], number < 2
        yield paint(visible(line.removesuffix("\n").removesuffix("\r")), None if is_head else _SIGNS.get(sign))
        if not is_head and sign != "@" and not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _summary(plan: Plan) -> Sequence[str]:
    counts = [
        f"{sum(change.decision is decision for change in plan.changes)} {word}"
        for decision, word in _WORDS.items()
        if any(change.decision is decision for change in plan.changes)
    ]
    if plan.conflicts:
        counts.append(f"{len(plan.conflicts)} conflict" + ("s" if len(plan.conflicts) > 1 else ""))
    verdict = paint("possible", "green") if plan.possible else paint("not possible", "red")
    return [verdict, *counts] if counts else [verdict, "nothing to do"]


def _lines(data: bytes | None) -> list[str] | None:
    """Give the lines of a file with their endings; None for what is no text."""
    try:
        lines = (data or b"").decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return None
    ended = [line + "\n" for line in lines]
    ended[-1] = lines[-1]
    return ended if ended[-1] else ended[:-1]
