"""`symops edit`: apply the content of an edit to one file, in whichever notation it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ....acting.messages import quote_places
from ....core.ground.numbers import counted
from ..options import json_option
from ..texts import complain, read_text, tell
from ..visibility import visible_line
from .asking import full_diff_option, make_asker, name_of
from .fixing import place_of, undo_command
from .plan_view import show_diff

if TYPE_CHECKING:
    from ....acting.changes import Plan

DOUBTFUL = 3  # exit code: there are doubts, and the user has not agreed


@click.command(name="edit")
@click.argument("file", metavar="FILE")
@click.argument("content", metavar="[CONTENT]", default="-")
@click.option("--write", is_flag=True, help="Write the new text. Default: only show it.")
@click.option("-y", "--yes", is_flag=True, help="Agree to what has doubts. What is refused stays refused.")
@full_diff_option
@json_option
def command(file: str, content: str, write: bool, yes: bool, full_diff: bool, as_json: bool) -> int:
    """Apply a diff, blocks or another edit to a file.

    CONTENT is a file, or standard input without one: the whole new text of FILE, or an edit in a
    notation such as a unified diff, search/replace blocks or a V4A patch. The difference is shown.
    With --write FILE is written as `symops apply` writes it: an exact edit needs no confirmation,
    one with doubts does, and `symops undo` restores the file.

    Exit code 0: the edit is exact, or you agreed to it; 1: it does not fit, or is refused; 2: bad
    arguments; 3: it has doubts, and you did not agree.
    """
    from ....acting.plan.planning import plan
    from ....core.document import Action, Document

    text = read_text(content).text
    if "\0" in file:
        raise click.BadParameter(f"{file!r} cannot be the name of a file", param_hint="FILE")
    root, path = place_of(file)
    made = plan(Document((Action("edit", path, text),)), root)
    tell(made, _show(made, full_diff), as_json)
    if not made.possible:
        for conflict in made.conflicts:
            hint = f" ({conflict.hint})" if conflict.hint else ""
            complain(visible_line(conflict.message + hint))
        return 1
    has_doubts = any(change.reasons for change in made.changes)
    is_open = has_doubts and not yes
    # Standard input was the content, so no question can be answered there.
    if write and is_open and content == "-":
        complain("nothing was written, as there are doubts (give --yes, or the content as a file to be asked)")
        return DOUBTFUL
    if write:
        return _write(made, root, yes, full_diff)
    return DOUBTFUL if is_open else 0


def _show(made: Plan, full: bool) -> Iterator[str]:
    """Yield how each file is edited: the notation, the places, the doubts, the difference."""
    for change in made.changes:
        places = ""
        if change.places:
            places = f", {quote_places(change.places)}"
        yield f"{name_of(change)}: {change.reading or change.operation}{places}"
        for reason in change.reasons:
            yield f"   {change.decision}: {visible_line(reason)}"
        yield from show_diff(change, full=full)
    for note in made.notes:
        yield visible_line(note.message)


def _write(made: Plan, root: str, yes: bool, full: bool) -> int:
    """Write what is agreed to; return the exit code."""
    from ....acting.execution import Status, apply

    outcome = apply(made, root, confirm=make_asker(yes, False, full=full, flags="--yes"))
    count = sum(step.status is Status.DONE for step in outcome.steps)
    if count:
        complain(f"{counted(count, 'file')} written; {undo_command(root)} restores the state before")
    return 0 if outcome.done else DOUBTFUL
