"""Show plans to people: a table of the changes in running order, differences, conflicts."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from ....acting.changes import Change, Decision, Operation, Plan
from ....core.ground.numbers import counted
from ....core.text.source import Source, lines_with_endings
from ..colours import paint
from ..tables import draw
from ..view import compare_lines, show_findings, show_title
from ..visibility import visible_code, visible_command, visible_line, wrap

_COLOURS = {Decision.AUTO: "green", Decision.ASK: "yellow", Decision.REFUSE: "red"}
_WORDS = {  # in the order of the summary
    Decision.AUTO: "by itself",
    Decision.ASK: "to ask about",
    Decision.REFUSE: "refused",
}
_SIGNS = {"+": "green", "-": "red", "@": "cyan"}
_WIDTH = 100  # columns, where there is no terminal
_LEAST_WIDTH = 60  # columns: a table that is narrower cannot be read
_MAX_LINES = 5_000  # of both sides of a difference, unless `full`


def show_plan(plan: Plan, source: Source, *, full: bool = False) -> Iterator[str]:
    """Yield the lines of a plan: a summary, a table, each change, conflicts and notes.

    Args:
        plan: The plan.
        source: The reply, whose lines are quoted.
        full: Whether differences are shown whatever their length.
    """
    yield show_title(source.name, _summary(plan))
    if plan.changes:
        yield ""
        yield from show_table(plan.changes)
    for place, change in enumerate(plan.changes, 1):
        yield ""
        yield from show_change(place, change, full=full)
    findings = (*plan.conflicts, *plan.notes)
    if findings:
        yield ""
    yield from show_findings(findings, source)


def show_table(changes: Sequence[Change]) -> Iterator[str]:
    """Yield the lines of a table of changes, as wide as the terminal; long cells are wrapped."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for title in ("", "operation", "path or command", "decision", "because"):
        table.add_column(title, justify="left" if title else "right", overflow="fold")
    for place, change in enumerate(changes, 1):
        # Texts, not strings: rich would interpret its markup in a path.
        path = Text(visible_command(change.path), style="bold")
        decision = Text(change.decision, style=f"bold {_COLOURS[change.decision]}")
        reasons = Text("\n".join(map(visible_line, change.reasons)))
        table.add_row(Text(str(place)), Text(change.operation), path, decision, reasons)
    yield from draw(table, _width())


def _width() -> int:
    columns = _WIDTH
    if sys.stdout.isatty():
        columns = shutil.get_terminal_size((_WIDTH, 24)).columns
    return max(columns, _LEAST_WIDTH)


def show_command(command: str) -> list[str]:
    """Return the lines of a command: all of it, with its blanks made visible."""
    return wrap(visible_command(command), _width() - 6)


def show_change(place: int, change: Change, *, full: bool = False) -> Iterator[str]:
    """Yield the lines of one change: its operation, its decision, and its difference.

    Args:
        place: The position of the change in running order, from 1.
        change: The change.
        full: Whether the difference is shown whatever its length.
    """
    decision = paint(change.decision, _COLOURS[change.decision], bold=True)
    after = ""
    if change.needs:
        after = f", after action {', '.join(map(str, change.needs))}"
    path = paint(visible_command(change.path), bold=True)
    action = f"action {change.number}{after}"
    yield f"{place}. {change.operation} {path}: {decision} ({action})"
    if change.operation is not Operation.RUN:
        for line in show_diff(change, full=full):
            yield f"   {line}"


def show_diff(change: Change, *, full: bool = False) -> Iterator[str]:
    """Yield the lines of the difference that a change makes; a very long one only if `full`."""
    if change.before is None and change.after is None:
        return
    # No difference of bytes that are not text, and none that takes minutes.
    before = _lines(change.before)
    after = _lines(change.after)
    if before is None or after is None:
        # A moved file has no bytes before.
        size = len(change.before or change.after or b"")
        yield counted(size, "byte that is not text", "bytes that are not text")
        return
    if len(before) + len(after) > _MAX_LINES and not full:
        old = counted(len(before), "line becomes", "lines become")
        yield f"{old} {len(after):,}: too many to show (--full-diff shows them)"
        return
    if not before and not after:
        yield "an empty file"
    path = visible_line(change.path)
    old = "nothing" if change.before is None else path
    new = "nothing" if change.after is None else path
    for number, line in enumerate(compare_lines(before, after, old, new)):
        # The first two lines name the files: their signs mean something else.
        is_head = number < 2
        colour = None if is_head else _SIGNS.get(line[:1])
        content = line.removesuffix("\n").removesuffix("\r")
        yield paint(visible_code(content), colour)
        if not is_head and not line.startswith("@") and not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _summary(plan: Plan) -> Sequence[str]:
    counts = Counter(change.decision for change in plan.changes)
    facts = []
    for decision, word in _WORDS.items():
        if counts[decision]:
            facts.append(f"{counts[decision]} {word}")
    if plan.conflicts:
        facts.append(counted(len(plan.conflicts), "conflict"))
    verdict = paint("not possible", "red")
    if plan.possible:
        verdict = paint("possible", "green")
    return [verdict, *(facts or ["nothing to do"])]


def _lines(data: bytes | None) -> list[str] | None:
    """Return the lines of a file with their endings; None if it is not UTF-8."""
    try:
        return lines_with_endings((data or b"").decode("utf-8"))
    except UnicodeDecodeError:
        return None
