"""`symops apply` and `symops undo`: from replies to files and commands, and back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..colours import paint
from ..documents import dialect_of, read_document
from ..options import file_argument, json_option, reading_options
from ..texts import complain, echo, read_text, tell
from ..view import show_findings
from ..visibility import visible, visible_line
from .asking import full_diff_option, make_asker, name_of, show_question
from .plan import policy_options

if TYPE_CHECKING:
    from ....acting.changes import Gate, Plan
    from ....acting.execution import Outcome
    from ....acting.journal.transaction import Undone
    from ....acting.plan.policy import Policy
    from ....core.document import Document
    from ....core.grammar.loading import Format
    from ....core.processor import SymOpsProcessor

_COLOURS = {"done": "green", "failed": "red", "skipped": "yellow"}
_NAMES = 12  # of variables


@click.command(name="apply")
@file_argument
@reading_options
@policy_options
@click.option("-y", "--yes", is_flag=True, help="Do not ask about files. Changes that the policy refuses stay refused.")
@click.option("--run/--no-run", "run", default=None, help="Run all commands, or none. Default: ask for each.")
@click.option("--shell", is_flag=True, help="Run commands in a shell, so that pipes and variables work.")
@click.option(
    "--sandbox",
    is_flag=True,
    help="Run commands in a sandbox (bwrap): no privileges, no network, only DIR is writable.",
)
@click.option(
    "--timeout", type=click.FloatRange(min=0.1), default=120.0, metavar="SECONDS", help="Time limit of each command."
)
@click.option(
    "--keep",
    multiple=True,
    metavar="NAME",
    help="Pass this environment variable to commands, besides the harmless ones; may be repeated.",
)
@full_diff_option
@json_option
def command(
    file: str,
    processor: SymOpsProcessor,
    cut_off: bool | None,
    root: str,
    policy: Policy,
    gate: Gate | None,
    yes: bool,
    run: bool | None,
    keep: tuple[str, ...],
    full_diff: bool,
    as_json: bool,
    **running: Any,
) -> int:
    """Apply a reply: change files, then run commands.

    The input is a reply, or a document as JSON. Either all files in DIR are changed or none. Every
    command needs a confirmation, and so does every change that is not plainly safe: answer y, n, a
    (all), d (show the complete difference) or q (cancel). `symops undo` restores the files.

    Exit code 0: everything was applied; 1: something was skipped or failed (see the output); 2: bad
    arguments.
    """
    from ....acting.commands.commands import Runner
    from ....acting.execution import apply, with_reason
    from ....code_intelligence.gate.plan_gate import GATE_NOTE
    from ....core.result import ProtocolError
    from ....core.text.source import Source

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
    plan = _plan(document, root, policy, gate, dialect_of(document, processor))
    notes = tuple(note.message for note in plan.notes if note.code == GATE_NOTE)
    for note in notes:  # before anybody is asked
        complain(visible_line(note))
    if not plan.possible:
        echo(show_findings(plan.conflicts, source), err=True)
        for change in plan.changes:
            if change.decision == "refuse":
                complain(f"{name_of(change)}: refused: {', '.join(change.reasons)}")
        complain(f"{text.name}: nothing was done")
        return 1
    ask = make_asker(yes, bool(run), full=full_diff, stdin="the reply" if file == "-" else "")
    runner = None if run is False else Runner(**running, allow=policy.environment + keep)
    outcome = apply(plan, root, confirm=ask, run=runner)
    outcome = replace(outcome, notes=(*notes, *outcome.notes))
    if runner is None:
        outcome = with_reason(outcome, "commands are not run: leave out --no-run to be asked about each, or give --run")
    tell(outcome, show_outcome(outcome), as_json)
    return 0 if outcome.done else 1


@click.command(name="undo")
@click.option("--root", default=".", metavar="DIR", help="The folder to restore. Files outside it are not changed.")
@click.option(
    "--force",
    is_flag=True,
    help="Also restore files that were changed since (those changes are lost), even if DIR was moved.",
)
@click.option(
    "--trust",
    default="",
    metavar="FINGERPRINT",
    help="Accept a journal that may not be yours or was moved. FINGERPRINT is printed with the list of its writes.",
)
@click.option(
    "--allow",
    multiple=True,
    metavar="GLOB",
    help="Let such a journal write these protected files, such as .env; may be repeated.",
)
@click.option(
    "--run", default="", metavar="RUN", help="Undo all applies of this run of `symops do`. Default: the last."
)
@json_option
def undo_command(root: str, force: bool, trust: str, allow: tuple[str, ...], run: str, as_json: bool) -> int:
    """Restore the files to their state before the last apply.

    An apply that was interrupted is undone, too. Effects of commands are not undone. A journal that
    was not sealed by you is shown first, and needs a confirmation or --trust.

    Exit code 0: the files are restored; 1: they are not (see the output).
    """
    from ....acting.journal.journal import undo
    from ....acting.journal.trust import UntrustedError
    from ....acting.plan.policy import Policy

    policy = Policy(allow=allow)
    try:
        undone = undo(root, force=force, trust=trust, policy=policy, run=run)
    except UntrustedError as error:
        for change in error.changes:
            echo(show_question(change, full=True), err=True)
        if not error.changes or not sys.stdin.isatty():
            raise
        complain(str(error))
        if not click.confirm("Agree to these changes?", err=True):
            return 1
        undone = undo(root, force=force, trust=error.fingerprint, policy=policy, run=run)
    tell(undone, _show_undone(undone), as_json)
    return 0


def _plan(document: Document, root: str, policy: Policy, gate: Gate | None, format: Format) -> Plan:
    from ....acting.files.view import FolderView
    from ....acting.journal.journal import recover
    from ....acting.plan.planning import plan

    if (recovered := recover(root)) is not None:
        complain("an apply was interrupted here before: what it had changed was brought back first")
        echo(_show_undone(recovered), err=True)
    return plan(document, FolderView(root), policy, gate, format)


def show_outcome(outcome: Outcome) -> Iterator[str]:
    """Yield the lines of what was done."""
    steps = outcome.steps
    for step in steps:
        reason = f": {visible(step.reason)}" if step.reason else ""
        yield f"{name_of(step.change)}  {paint(str(step.status), _COLOURS[step.status])}{reason}"
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
