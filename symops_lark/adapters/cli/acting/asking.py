"""Consent at the terminal: each change is shown as it will be made, all of it on request; a person says yes or no."""

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
_LINES = 40  # of a difference, at a question

full_diff_option = click.option(
    "--full-diff", is_flag=True, help="Show every difference completely. Default: shorten long ones."
)


def name_of(change: Change) -> str:
    """Return the number of an action, a sign for what it does, and its target, on one line."""
    return f"{change.number}. {SIGNS[change.operation]} {visible_line(change.path)}"


def make_asker(yes: bool, run: bool, *, full: bool = False, flags: str = "--yes and --run", stdin: str = "") -> Confirm:
    """Return the function that asks, or knows the answer: `yes` to all files, `run` all commands.

    `flags` are the options that make questions needless; `stdin` is what standard input is needed for, so that
    nothing can be asked.
    """
    agreed = {Operation.RUN: run} | {kind: yes for kind in Operation if kind is not Operation.RUN}

    def ask(change: Change) -> bool:
        if agreed[change.operation] or change.decision is Decision.AUTO:  # commands: those that the user has named
            return True
        if stdin:
            flag = "--run or --no-run" if change.operation is Operation.RUN else "--yes"
            raise click.UsageError(f"no question can be asked, as standard input is {stdin}: save it, or give {flag}")
        echo(show_question(change, full), err=True)
        try:
            answer = _prompt(change)
        except click.Abort as error:
            if isinstance(error.__context__, EOFError):
                raise WorkspaceError(f"nothing was done, as nobody answered (see {flags})") from None
            raise
        if answer == "q":
            raise WorkspaceError("nothing was done, as you wished")
        if answer == "a":  # all changes of files, or all commands: nobody agrees to commands by files
            for kind in Operation:
                agreed[kind] |= (kind is Operation.RUN) is (change.operation is Operation.RUN)
        return answer in "ya"

    return ask


def _prompt(change: Change) -> str:
    asked, letters = ("Run this command?", "ynaq") if change.operation == "run" else ("Make this change?", "ynaqd")
    while (answer := click.prompt(asked, type=click.Choice([*letters]), default="n", err=True)) == "d":
        show_at_length(show_diff(change, full=True), err=True)
    return str(answer)


def show_at_length(lines: Iterable[str], *, err: bool = False) -> None:
    """Show lines page by page where a person sits at a terminal; else print them."""
    if sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
        click.echo_via_pager(guard(line, True) + "\n" for line in lines)
    else:
        echo(lines, err=err)


def show_question(change: Change, full: bool = False) -> Iterator[str]:
    """Yield the lines that are shown before a question: what is done, why it is asked about, the difference."""
    yield ""
    if change.operation == "run":
        first, *rest = show_command(change.path)
        yield paint(f"{change.number}. $ {first}", bold=True) + ("" if rest else " (run)")
        yield from (paint(f"     {line}", bold=True) for line in rest)
    else:
        yield paint(name_of(change), bold=True) + f" ({change.operation})"
    yield from ("   " + visible_line(reason) for reason in change.reasons)
    if change.operation != "run":
        lines = ["   " + line for line in show_diff(change, full=full)]
        yield from lines if full else lines[:_LINES]
        if len(lines) > _LINES and not full:
            yield f"   … {counted(len(lines) - _LINES, 'more line')} (d shows them)"
