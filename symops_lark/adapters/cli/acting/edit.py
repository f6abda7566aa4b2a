"""`symops edit`: apply the content of an edit to one file, in whichever notation it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ....acting.messages import quote_places
from ..options import json_option
from ..texts import complain, print_result, read_text
from ..visibility import visible_line
from .asking import full_diff_option, make_asker, name_of
from .fixing import above_of, place_of, report_written
from .plan_view import show_diff

if TYPE_CHECKING:
    from ....acting.changes import Plan

# Exit code: there are doubts, and the user has not agreed. Scripts distinguish it from 1.
DOUBTFUL = 3


@click.command(name="edit")
@click.argument("file", metavar="FILE")
@click.argument("content", metavar="[CONTENT]", default="-")
@click.option("--write", is_flag=True, help="Write the new text. Default: only show it.")
@click.option(
    "-y", "--yes", is_flag=True, help="Agree to what has doubts. What is refused stays refused."
)
@full_diff_option
@json_option
def command(file: str, content: str, write: bool, yes: bool, full_diff: bool, as_json: bool) -> int:
    """Apply a diff, blocks or another edit to a file.

    CONTENT is a file, or standard input without one: the whole new text of FILE, or an edit in a
    notation such as a unified diff, search/replace blocks or a V4A patch. The difference is shown.
    With --write FILE is written as `symops apply` writes it: an exact edit needs no confirmation,
    one with doubts does, and `symops undo` restores the file. A file that programs run or trust
    unasked always has doubts, and one that may hold secrets is refused. Names of folders count for
    that, from whichever folder you edit FILE: those below the root of its working tree, or below
    your home folder, else all.

    Exit code 0: the edit is exact, or you agreed to it; 1: it does not fit, or is refused; 2: bad
    arguments; 3: it has doubts, and you did not agree.
    \f

    Args:
        file: The file to edit.
        content: The file of the edit, or `-`.
        write: Whether the new text is written.
        yes: Whether an edit with doubts is agreed to.
        full_diff: Whether long differences are shown completely.
        as_json: Whether the plan is printed as JSON.

    Raises:
        BadParameter: FILE cannot be the name of a file.
    """
    from ....acting.plan.planning import plan
    from ....core.document import Action, Document

    text = read_text(content).text
    if "\0" in file:
        raise click.BadParameter(f"{file!r} cannot be the name of a file", param_hint="FILE")
    # An action of a document, so that it is planned as one of a reply would be.
    root, path = place_of(file)
    edit = plan(Document((Action("edit", path, text),)), root, above=above_of(root))
    print_result(edit, _show(edit, full_diff), as_json)
    if not edit.possible:
        for conflict in edit.conflicts:
            hint = f" ({conflict.hint})" if conflict.hint else ""
            complain(visible_line(conflict.message + hint))
        return 1
    # The policy does not ask about an exact edit, so every reason is a doubt.
    has_doubts = any(change.reasons for change in edit.changes)
    is_open = has_doubts and not yes
    if not write:
        return DOUBTFUL if is_open else 0
    # Standard input was the content, so no question can be answered there.
    if is_open and content == "-":
        complain(
            "nothing was written, as there are doubts "
            "(give --yes, or the content as a file to be asked)"
        )
        return DOUBTFUL
    return _write(edit, root, yes, full_diff)


def _show(edit: Plan, full: bool) -> Iterator[str]:
    """Yield how each file is edited: the notation, the places, the doubts, the difference."""
    for change in edit.changes:
        places = f", {quote_places(change.places)}" if change.places else ""
        yield f"{name_of(change)}: {change.reading or change.operation}{places}"
        for reason in change.reasons:
            yield f"   {change.decision}: {visible_line(reason)}"
        yield from show_diff(change, full=full)
    for note in edit.notes:
        yield visible_line(note.message)


def _write(edit: Plan, root: str, yes: bool, full: bool) -> int:
    """Write the changes that are agreed to; return the exit code."""
    from ....acting.execution import Status, apply

    outcome = apply(edit, root, confirm=make_asker(yes, False, full=full, flags="--yes"))
    report_written(sum(step.status is Status.DONE for step in outcome.steps), root)
    return 0 if outcome.done else DOUBTFUL
