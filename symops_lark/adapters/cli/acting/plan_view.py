"""Plans as people see them: a table of what happens in which order and why it is asked about, diffs, conflicts."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from difflib import unified_diff

from ....acting.changes import Change, Decision, Operation, Plan
from ....core.ground.numbers import counted
from ....core.text.source import Source, lines_with_endings
from ..colours import paint
from ..tables import draw
from ..view import show_findings, show_title
from ..visibility import visible_code, visible_command, visible_line, wrap

_COLOURS = {Decision.AUTO: "green", Decision.ASK: "yellow", Decision.REFUSE: "red"}
_WORDS = {Decision.AUTO: "by itself", Decision.ASK: "to ask about", Decision.REFUSE: "refused"}
_SIGNS = {"+": "green", "-": "red", "@": "cyan"}
_WIDTH, _LEAST_WIDTH = 100, 60  # columns: where there is no terminal; in narrower ones tables are no help
_MOST_LINES = 5_000  # of both sides of a diff that is shown unasked
_MOST_COMPARED = 20_000  # lines, of both sides: difflib is quadratic at worst


def show_plan(plan: Plan, source: Source, *, full: bool = False) -> Iterator[str]:
    """Yield the lines of a plan: a summary, a table of the changes, each with its diff, conflicts and notes.

    A diff that is far too long is only told of, unless `full`.
    """
    yield show_title(source.name, _summary(plan))
    if plan.changes:
        yield ""
        yield from show_table(plan.changes)
    for place, change in enumerate(plan.changes, 1):
        yield ""
        yield from show_change(place, change, full=full)
    if plan.conflicts or plan.notes:
        yield ""
    yield from show_findings((*plan.conflicts, *plan.notes), source)


def show_table(changes: Sequence[Change]) -> Iterator[str]:
    """Yield the lines of a table of changes, as wide as the terminal; what is longer is wrapped."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for title in ("", "operation", "path or command", "decision", "because"):
        table.add_column(title, justify="left" if title else "right", overflow="fold")
    for place, change in enumerate(changes, 1):
        table.add_row(  # texts, not strings: rich would read marks of its own in those
            Text(str(place)),
            Text(str(change.operation)),
            Text(visible_command(change.path), style="bold"),
            Text(str(change.decision), style=f"bold {_COLOURS[change.decision]}"),
            Text("\n".join(map(visible_line, change.reasons))),
        )
    yield from draw(table, _width())


def _width() -> int:
    columns = shutil.get_terminal_size((_WIDTH, 24)).columns if sys.stdout.isatty() else _WIDTH
    return max(columns, _LEAST_WIDTH)


def show_command(command: str) -> list[str]:
    """Return the lines of a command: all of it, whatever its length, and no blank unseen."""
    return wrap(visible_command(command), _width() - 6)


def show_change(place: int, change: Change, *, full: bool = False) -> Iterator[str]:
    """Yield the lines of one change: what, whether it is asked about, and its diff."""
    decision = paint(str(change.decision), _COLOURS[change.decision], bold=True)
    behind = f", after action {', '.join(map(str, change.needs))}" if change.needs else ""
    path = paint(visible_command(change.path), bold=True)
    yield f"{place}. {change.operation} {path}: {decision} (action {change.number}{behind})"
    if change.operation is not Operation.RUN:
        yield from ("   " + line for line in show_diff(change, full=full))


def show_diff(change: Change, *, full: bool = False) -> Iterator[str]:
    """Yield the lines of the difference that a change makes; one that is far too long only if `full`."""
    if change.before is None and change.after is None:
        return
    before, after = _lines(change.before), _lines(change.after)
    if before is None or after is None:
        yield counted(len(change.before or b""), "byte, which is no text", "bytes, which are no text")
        return
    if len(before) + len(after) > _MOST_LINES and not full:
        became = f"{counted(len(before), 'line becomes', 'lines become')} {len(after):,}"
        yield f"{became}: too many to show (--full-diff shows them)"
        return
    if not before and not after:
        yield "an empty file"
    old, new = (visible_line(change.path) if data is not None else "nothing" for data in (change.before, change.after))
    for number, line in enumerate(_compare(before, after, old, new)):
        sign, is_head = line[:1], number < 2
        yield paint(visible_code(line.removesuffix("\n").removesuffix("\r")), None if is_head else _SIGNS.get(sign))
        if not is_head and sign != "@" and not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _compare(before: list[str], after: list[str], old: str, new: str) -> Iterator[str]:
    """Yield the lines of a unified diff; of very long texts all between what is equal at the beginning and the end."""
    if len(before) + len(after) <= _MOST_COMPARED:
        yield from unified_diff(before, after, old, new, lineterm="")
        return
    first = _count_equal(before, after, min(len(before), len(after)))
    last = _count_equal(before[::-1], after[::-1], min(len(before), len(after)) - first)
    gone, come = before[first : len(before) - last], after[first : len(after) - last]
    yield from (f"--- {old}", f"+++ {new}", f"@@ -{first + 1},{len(gone)} +{first + 1},{len(come)} @@")
    yield from ("-" + line for line in gone)
    yield from ("+" + line for line in come)


def _count_equal(left: list[str], right: list[str], most: int) -> int:
    pairs = zip(left[:most], right[:most], strict=True)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), most)


def _summary(plan: Plan) -> Sequence[str]:
    counts = [
        f"{sum(change.decision is decision for change in plan.changes)} {word}"
        for decision, word in _WORDS.items()
        if any(change.decision is decision for change in plan.changes)
    ]
    if plan.conflicts:
        counts.append(counted(len(plan.conflicts), "conflict"))
    verdict = paint("possible", "green") if plan.possible else paint("not possible", "red")
    return [verdict, *counts] if counts else [verdict, "nothing to do"]


def _lines(data: bytes | None) -> list[str] | None:
    """Return the lines of a file with their endings; None for what is no text."""
    try:
        return lines_with_endings((data or b"").decode("utf-8"))
    except UnicodeDecodeError:
        return None
