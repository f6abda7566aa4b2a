"""`symops apply` and `symops undo`: from replies to files and commands, and back."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..colours import paint
from ..documents import dialect_of, find_errors, read_document
from ..options import FloatRange, file_argument, json_option, reading_options, refuse_empty
from ..texts import complain, echo, print_result, read_text
from ..view import show_findings
from ..visibility import visible, visible_line
from .asking import full_diff_option, make_asker, name_of, show_question
from .fixing import undo_interrupted, undo_line
from .plan import policy_options

if TYPE_CHECKING:
    from ....acting.changes import Gate
    from ....acting.execution import Outcome
    from ....acting.journal.transaction import Undone
    from ....acting.plan.policy import Policy
    from ....core.processor import SymOpsProcessor

# In the order of the summary.
_COLOURS = {"done": "green", "failed": "red", "skipped": "yellow"}
_MAX_NAMES = 12  # environment variables that are named in one line


@click.command(name="apply")
@file_argument
@reading_options
@policy_options
@click.option(
    "-y",
    "--yes",
    is_flag=True,
    help="Do not ask about files. Changes that the policy refuses stay refused.",
)
@click.option(
    "--run/--no-run", default=None, help="Run all commands, or none. Default: ask for each."
)
@click.option(
    "--shell", is_flag=True, help="Run commands in a shell, so that pipes and variables work."
)
@click.option(
    "--sandbox",
    is_flag=True,
    help="Run commands in a sandbox (bwrap): no privileges, no network, only DIR is writable.",
)
@click.option(
    "--timeout",
    type=FloatRange(min=0.1),
    default=120.0,
    metavar="SECONDS",
    help="Time limit of each command.",
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
    (all), d (show the complete difference) or q (cancel). `symops undo` restores the files. After
    an interrupt there is no outcome: a message says how many files were written.

    Exit code 0: everything was applied; 1: something was skipped or failed (see the output); 2: bad
    arguments.
    \f

    Args:
        file: The file of the reply, or `-`.
        processor: The pipeline that reads it.
        cut_off: Whether the reply was truncated.
        root: The folder to change.
        policy: The changes that are allowed.
        gate: The session that must allow the writes.
        yes: Whether changes of files are agreed to.
        run: Whether all commands run, or none; None: the user is asked.
        keep: The environment variables that commands receive.
        full_diff: Whether long differences are shown completely.
        as_json: Whether the outcome is printed as JSON.
        running: The other arguments of `Runner`.
    """
    from ....acting.commands.commands import Runner
    from ....acting.execution import apply, with_reason
    from ....acting.files.view import FolderView
    from ....acting.plan.planning import plan as make_plan
    from ....code_intelligence.gate.plan_gate import GATE_NOTE
    from ....core.result import ProtocolError
    from ....core.text.source import Source

    text = read_text(file)
    # A document needs no pipeline: it was read and checked before, in another text.
    document = read_document(text, or_calls=True)
    source = Source("", text.name)
    if document is None:
        source = Source(text.text, text.name)
        try:
            document = processor.process(text.text, cut_off=cut_off).document
        except ProtocolError as error:
            echo(show_findings(error.diagnostics, source), err=True)
            complain(f"{text.name}: {error}")
            return 1
    # Half of a reply is not applied: the missing half may be what makes it safe.
    if find_errors(document):
        echo(show_findings(document.diagnostics, source), err=True)
        complain(f"{text.name}: nothing was done, as the document has errors")
        return 1
    # Before the plan: it must be made for the files as they were.
    recovered = undo_interrupted(root)
    if recovered is not None:
        echo(_show_undone(recovered), err=True)
    plan = make_plan(document, FolderView(root), policy, gate, dialect_of(document, processor))
    notes = tuple(note.message for note in plan.notes if note.code == GATE_NOTE)
    # A note may change the answer to a question, so it is printed first.
    for note in notes:
        complain(visible_line(note))
    if not plan.possible:
        echo(show_findings(plan.conflicts, source), err=True)
        for change in plan.changes:
            if change.decision == "refuse":
                complain(f"{name_of(change)}: refused: {', '.join(change.reasons)}")
        complain(f"{text.name}: nothing was done")
        return 1
    # Answers cannot be read from standard input if the reply came from there.
    ask = make_asker(yes, bool(run), full=full_diff, stdin="the reply" if file == "-" else "")
    # Without a runner no command is asked about, either.
    runner = None if run is False else Runner(**running, allow=policy.environment + keep)
    try:
        outcome = apply(plan, root, confirm=ask, run=runner)
    except KeyboardInterrupt as error:
        for note in getattr(error, "__notes__", ()):
            complain(f"{note}: `{undo_line(os.path.realpath(root))}`")
        raise
    outcome = replace(
        outcome,
        notes=(*notes, *outcome.notes),
        recovered=recovered or outcome.recovered,  # the second: interrupted since then
    )
    if runner is None:
        # The reason of the library names its argument, which no user of the command line has.
        outcome = with_reason(
            outcome,
            "commands are not run: leave out --no-run to be asked about each, or give --run",
        )
    print_result(outcome, _show_outcome(outcome), as_json)
    return 0 if outcome.done else 1


@click.command(name="undo")
@click.option(
    "--root",
    default=".",
    metavar="DIR",
    help="The folder to restore. Files outside it are not changed.",
)
@click.option(
    "--force",
    is_flag=True,
    help=(
        "Also restore files that were changed since (those changes are lost), even if DIR was "
        "moved."
    ),
)
@click.option(
    "--trust",
    default="",
    metavar="FINGERPRINT",
    help=(
        "Accept a journal that may not be yours or was moved. FINGERPRINT is printed with the list "
        "of its writes."
    ),
)
@click.option(
    "--allow",
    multiple=True,
    metavar="GLOB",
    callback=refuse_empty,
    help="Let such a journal write these protected files, such as .env; may be repeated.",
)
@click.option(
    "--run", metavar="RUN", help="Undo all applies of this run of `symops do`. Default: the last."
)
@json_option
def undo_command(
    root: str, force: bool, trust: str, allow: tuple[str, ...], run: str | None, as_json: bool
) -> int:
    """Restore the files to their state before the last apply.

    An apply that was interrupted is undone, too. Effects of commands are not undone. A journal that
    was not sealed by you is shown first, and needs a confirmation or --trust.

    Exit code 0: the files are restored; 1: they are not, or not all (see the output).
    \f

    Args:
        root: The folder to restore.
        force: Whether files that were changed since are restored.
        trust: The fingerprint of a journal that is accepted.
        allow: The protected files that such a journal may write.
        run: The run whose applies are undone. None: the last apply.
        as_json: Whether the result is printed as JSON.

    Raises:
        BadParameter: The name of the run is empty.
    """
    from ....acting.journal.journal import undo
    from ....acting.journal.trust import UntrustedError
    from ....acting.plan.policy import Policy

    # An unset variable of a script must not take back another apply.
    if run is not None and not run.strip():
        raise click.BadParameter("it is empty", param_hint="--run")
    policy = Policy(allow=allow)
    try:
        undone = undo(root, force=force, trust=trust, policy=policy, run=run or "")
    except UntrustedError as error:
        # The owner of the journal is unknown, so a person judges the writes one by one.
        for change in error.changes:
            echo(show_question(change, full=True), err=True)
        if not error.changes or sys.stdin is None or not sys.stdin.isatty():
            raise
        complain(str(error))
        is_agreed = False
        with suppress(ValueError):  # an answer that is not text
            is_agreed = click.confirm("Agree to these changes?", err=True)
        if not is_agreed:
            return 1
        # The fingerprint covers exactly the changes that were shown.
        undone = undo(root, force=force, trust=error.fingerprint, policy=policy, run=run or "")
    print_result(undone, _show_undone(undone), as_json)
    return 0


def _show_outcome(outcome: Outcome) -> Iterator[str]:
    """Yield a line for each step, the output of commands, and a summary."""
    for step in outcome.steps:
        reason = f": {visible(step.reason)}" if step.reason else ""
        yield f"{name_of(step.change)}  {paint(step.status, _COLOURS[step.status])}{reason}"
        result = step.command
        if result is None:
            continue
        if result.output:
            for line in result.output.removesuffix("\n").split("\n"):
                yield f"   | {visible(line)}"
        # A command often fails because a variable that it needs was withheld.
        if step.status == "failed" and result.withheld:
            yield f"   {visible(_name_withheld(result.withheld))}"
    counts = Counter(str(step.status) for step in outcome.steps)
    summary = [f"{counts[status]} {status}" for status in _COLOURS if counts[status]]
    yield ", ".join(summary) or "there is nothing to do"
    for note in outcome.notes:
        yield f"note: {visible(note)}"


def _name_withheld(names: tuple[str, ...]) -> str:
    variables = ", ".join(names[:_MAX_NAMES])
    if len(names) > _MAX_NAMES:
        variables += ", … (--json names all)"
    reason = (
        "it did not see these variables, which --keep or the policy's `environment` let through"
    )
    return f"{reason}: {variables}"


def _show_undone(undone: Undone) -> Iterator[str]:
    for path in undone.files:
        yield f"as it was before: {visible(path)}"
    for folder in undone.folders:
        yield f"removed: {visible(folder)}/"
    for note in undone.notes:
        yield f"note: {visible(note)}"
    if not undone.files and not undone.folders:
        yield "nothing had been changed"
