"""`symops apply` and `symops undo`: from replies to files and commands, and back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from .documents import read_document
from .options import file_argument, json_option, reading_options
from .plan import policy_options
from .plan_view import show_diff
from .texts import complain, echo, read_text, tell
from .view import paint, show_findings, visible, visible_line

if TYPE_CHECKING:
    from ..document import Document
    from ..processor import SymOpsProcessor
    from ..workspace.changes import Change, Plan
    from ..workspace.execution import Confirm, Outcome
    from ..workspace.journal import Undone
    from ..workspace.policy import Policy

_SIGNS = {"create": "+", "replace": "~", "delete": "-", "run": "$"}
_COLOURS = {"done": "green", "failed": "red", "skipped": "yellow"}
_LINES = 40  # of a difference, at a question
_NAMES = 12  # of variables


@click.command(name="apply", short_help="Carry out the actions of a reply, after questions.")
@file_argument
@reading_options
@policy_options
@click.option("-y", "--yes", is_flag=True, help="Do not ask about files (what the policy refuses is refused).")
@click.option("--run/--no-run", "run", default=None, help="Run all commands, or none; without it, ask for each.")
@click.option("--shell", is_flag=True, help="Give commands to a shell, with what pipes and variables may do.")
@click.option(
    "--sandbox",
    is_flag=True,
    help="Run commands without rights or a network, and with nothing but DIR writable (by bwrap).",
)
@click.option(
    "--timeout", type=click.FloatRange(min=0.1), default=120.0, metavar="SECONDS", help="How long a command may take."
)
@click.option(
    "--keep",
    multiple=True,
    metavar="NAME",
    help="A variable that commands may see besides the harmless ones; may be repeated.",
)
@json_option
def command(
    file: str,
    processor: SymOpsProcessor,
    cut_off: bool | None,
    root: str,
    policy: Policy,
    yes: bool,
    run: bool | None,
    keep: tuple[str, ...],
    as_json: bool,
    **running: Any,
) -> int:
    """Carry out a reply, or a document as JSON: change files in DIR, all or none, then run commands.

    It asks for every command, and for every change that is not plainly safe; answer y, n, a (all) or q (do nothing).
    `symops undo` brings the files back.

    Exit code 0: all is done; 1: something is not, and it is told what; 2: bad arguments.
    """
    from ..result import ProtocolError
    from ..source import Source
    from ..workspace.commands import Runner
    from ..workspace.execution import apply

    text = read_text(file)
    source = Source(text.text, text.name)
    document = read_document(text)
    if document is None:
        try:
            result = processor.process(text.text, cut_off=cut_off)
        except ProtocolError as error:
            echo(show_findings(error.diagnostics, source), err=True)
            complain(f"{text.name}: {error}")
            return 1
        if not result.valid:
            echo(show_findings(result.diagnostics, source), err=True)
            complain(f"{text.name}: nothing was done, as the document has errors")
            return 1
        document = result.document
    plan = _plan(document, root, policy)
    if not plan.possible:
        echo(show_findings(plan.conflicts, source), err=True)
        for change in plan.changes:
            if change.decision == "refuse":
                complain(f"{_name(change)}: refused: {', '.join(change.reasons)}")
        complain(f"{text.name}: nothing was done")
        return 1
    runner = None if run is False else Runner(**running, allow=policy.environment + keep)
    outcome = apply(plan, root, confirm=_asker(plan, yes, bool(run), file == "-"), run=runner)
    tell(outcome, show_outcome(outcome), as_json)
    return 0 if outcome.done else 1


@click.command(name="undo", short_help="Bring the files back to where they were before the last apply.")
@click.option("--root", default=".", metavar="DIR", help="The folder that is worked in; nothing outside it is touched.")
@click.option(
    "--force",
    is_flag=True,
    help="Bring back files that were changed since, too: those changes are lost. Also where DIR has been moved.",
)
@click.option(
    "--trust",
    default="",
    metavar="FINGERPRINT",
    help="Agree to a journal that may not be yours, or was moved: the fingerprint told with what it would write.",
)
@click.option(
    "--allow",
    multiple=True,
    metavar="GLOB",
    help="Protected files that such a journal may write, such as .env; may be repeated.",
)
@json_option
def undo_command(root: str, force: bool, trust: str, allow: tuple[str, ...], as_json: bool) -> int:
    """Bring the files in DIR back to where they were before the last apply, or before one that was broken off.

    What commands did is not undone. A journal without a seal of yours is shown first, and followed only with consent.

    Exit code 0: it is done; 1: it is not, and it is told why.
    """
    from ..workspace.journal import undo
    from ..workspace.policy import Policy
    from ..workspace.trust import UntrustedError

    policy = Policy(allow=allow)
    try:
        undone = undo(root, force=force, trust=trust, policy=policy)
    except UntrustedError as error:
        for change in error.changes:
            echo(_show_question(change, None), err=True)
        if not error.changes or not sys.stdin.isatty():
            raise
        complain(str(error))
        if not click.confirm("Agree to these changes?", err=True):
            return 1
        undone = undo(root, force=force, trust=error.fingerprint, policy=policy)
    tell(undone, _show_undone(undone), as_json)
    return 0


def _plan(document: Document, root: str, policy: Policy) -> Plan:
    from ..workspace.journal import recover
    from ..workspace.planning import plan
    from ..workspace.view import FolderView

    if (recovered := recover(root)) is not None:
        complain("an apply was interrupted here before: what it had changed was brought back first")
        echo(_show_undone(recovered), err=True)
    return plan(document, FolderView(root), policy)


def _asker(plan: Plan, yes: bool, run: bool, from_stdin: bool) -> Confirm:
    """Return the function that asks, or knows the answer."""
    from ..errors import WorkspaceError
    from ..workspace.changes import Decision, Operation

    agreed = {Operation.RUN: run} | {kind: yes for kind in Operation if kind is not Operation.RUN}

    def ask(change: Change) -> bool:
        if agreed[change.operation] or change.decision is Decision.AUTO:  # commands: those that the user has named
            return True
        if from_stdin:
            flag = "--run or --no-run" if change.operation is Operation.RUN else "--yes"
            raise click.UsageError(f"no question can be asked, as standard input is the reply: save it, or give {flag}")
        echo(_show_question(change), err=True)
        question = "Run this command?" if change.operation is Operation.RUN else "Make this change?"
        choice = click.Choice(["y", "n", "a", "q"])
        try:
            answer = click.prompt(question, type=choice, default="n", err=True)
        except click.Abort as error:
            if isinstance(error.__context__, EOFError):
                raise WorkspaceError("nothing was done, as nobody answered (see --yes and --run)") from None
            raise
        if answer == "q":
            raise WorkspaceError("nothing was done, as you wished")
        if answer == "a":  # all changes of files, or all commands: nobody agrees to commands by files
            for kind in Operation:
                agreed[kind] |= (kind is Operation.RUN) is (change.operation is Operation.RUN)
        return str(answer) in "ya"

    return ask


def _name(change: Change) -> str:
    return f"{change.number}. {_SIGNS[change.operation]} {change.path}"


def _show_question(change: Change, most: int | None = _LINES) -> Iterator[str]:
    yield ""
    yield paint(visible_line(_name(change)), bold=True) + f" ({change.operation})"
    yield from ("   " + visible_line(reason) for reason in change.reasons)
    if change.operation != "run":
        lines = ["   " + line for line in show_diff(change)]
        yield from lines[:most]
        if most is not None and len(lines) > most:
            yield f"   … {len(lines) - most} more lines"


def show_outcome(outcome: Outcome) -> Iterator[str]:
    """Yield the lines of what was done."""
    steps = outcome.steps
    for step in steps:
        reason = f": {visible(step.reason)}" if step.reason else ""
        yield f"{visible(_name(step.change))}  {paint(str(step.status), _COLOURS[step.status])}{reason}"
        output = step.command.output if step.command is not None else ""
        yield from ("   | " + visible(line) for line in (output.removesuffix("\n").split("\n") if output else ()))
        if step.status == "failed" and step.command is not None and step.command.withheld:
            yield "   " + visible(_tell_withheld(step.command.withheld))
    counts = {status: sum(step.status == status for step in steps) for status in _COLOURS}
    shown = [f"{count} {status}" for status, count in counts.items() if count]
    yield ", ".join(shown) if shown else "there is nothing to do"
    yield from ("note: " + visible(note) for note in outcome.notes)


def _tell_withheld(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:_NAMES]) + (", … (--json names all)" if len(names) > _NAMES else "")
    return f"it did not see these variables, which --keep or the policy's `environment` let through: {shown}"


def _show_undone(undone: Undone) -> Iterator[str]:
    yield from ("as it was before: " + visible(path) for path in undone.files)
    yield from ("removed: " + visible(path) + "/" for path in undone.folders)
    yield from ("note: " + visible(note) for note in undone.notes)
    if not undone.files and not undone.folders:
        yield "nothing had been changed"
