"""Ask for consent at the terminal: show each change as it will be made, and read the answer."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from ....acting.changes import Change, Decision, Operation
from ....core.ground.errors import WorkspaceError
from ....core.ground.numbers import counted
from ..colours import paint
from ..texts import echo
from ..visibility import guard, visible_line
from .plan_view import show_command, show_diff

if TYPE_CHECKING:
    from ....acting.execution import Confirm

SIGNS = {"create": "+", "replace": "~", "delete": "-", "run": "$"}
_MAX_LINES = 40  # of a difference, at a question: more push the reasons out of sight

full_diff_option = click.option(
    "--full-diff",
    is_flag=True,
    help="Show every difference completely. Default: shorten long ones.",
)


def name_of(change: Change) -> str:
    """Return the number of an action, the sign of its operation, and its target, on one line."""
    return f"{change.number}. {SIGNS[change.operation]} {visible_line(change.path)}"


def make_asker(
    yes: bool, run: bool, *, full: bool = False, flags: str = "--yes and --run", stdin: str = ""
) -> Confirm:
    """Return the function that asks about a change, or knows the answer.

    Args:
        yes: Whether all changes of files are agreed to.
        run: Whether all commands are agreed to.
        full: Whether long differences are shown completely.
        flags: The options that make questions unnecessary, for a message.
        stdin: What standard input is used for, so that no question can be asked; empty: nothing.
    """
    agreed = dict.fromkeys(Operation, yes) | {Operation.RUN: run}

    def ask(change: Change) -> bool:
        is_command = change.operation is Operation.RUN
        # A command is automatic only if the user's policy names it.
        if agreed[change.operation] or change.decision is Decision.AUTO:
            return True
        if stdin:
            flag = "--run or --no-run" if is_command else "--yes"
            message = f"no question can be asked, as standard input is {stdin}"
            raise click.UsageError(f"{message}: save it, or give {flag}")
        echo(show_question(change, full), err=True)
        answer = _prompt(change)
        if not answer:
            raise WorkspaceError(f"nothing was done, as there was no answer (see {flags})")
        if answer == "q":
            raise WorkspaceError("nothing was done, as you wished")
        # "a" at a file does not agree to commands, which may do anything.
        if answer == "a":
            for operation in Operation:
                agreed[operation] |= (operation is Operation.RUN) is is_command
        return answer in "ya"

    return ask


def _prompt(change: Change) -> str:
    """Return the letter of the answer; "d" shows the complete difference and asks again.

    Without an answer the text is empty: standard input ends, is closed, or is not text.
    """
    question, letters = "Make this change?", "ynaqd"
    if change.operation is Operation.RUN:
        # All of the command is shown already.
        question, letters = "Run this command?", "ynaq"
    choice = click.Choice([*letters])
    while True:
        try:
            answer = click.prompt(question, type=choice, default="n", err=True)
        except click.Abort as error:
            # Click turns the end of input into an abort, as it does an interrupt.
            if not isinstance(error.__context__, EOFError):
                raise
            answer = ""
        except (OSError, RuntimeError, ValueError):
            answer = ""
        if answer != "d":
            return str(answer)
        show_at_length(show_diff(change, full=True), err=True)


def show_at_length(lines: Iterable[str], *, err: bool = False) -> None:
    """Show lines page by page on a terminal; else print them."""
    if sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
        click.echo_via_pager(guard(line, True) + "\n" for line in lines)
    else:
        echo(lines, err=err)


def show_question(change: Change, full: bool = False) -> Iterator[str]:
    """Yield the lines before a question: the change, the reasons to ask, the difference."""
    yield ""
    is_command = change.operation is Operation.RUN
    if is_command:
        # All of it: the end of a long command is where something may be hidden.
        first, *following = show_command(change.path)
        yield paint(f"{change.number}. $ {first}", bold=True) + ("" if following else " (run)")
        for line in following:
            yield paint(f"     {line}", bold=True)
    else:
        yield paint(name_of(change), bold=True) + f" ({change.operation})"
    for reason in change.reasons:
        yield f"   {visible_line(reason)}"
    if is_command:
        return
    lines = list(show_diff(change, full=full))
    limit = len(lines) if full else _MAX_LINES
    for line in lines[:limit]:
        yield f"   {line}"
    if len(lines) > limit:
        yield f"   … {counted(len(lines) - limit, 'more line')} (d shows them)"
