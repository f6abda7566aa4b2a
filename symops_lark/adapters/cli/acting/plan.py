"""`symops plan`: show the changes that a reply would make in a folder, and the conflicts."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import wraps
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from ....core.text.diagnostics import Diagnostic, Severity
from ....core.text.source import Source, Span
from ..code.sessions import find_session
from ..documents import dialect_of, find_errors, read_document
from ..options import (
    Command,
    file_argument,
    json_option,
    reading_options,
    refuse_empty,
    root_option,
    together,
)
from ..texts import complain, print_result, read_text
from ..view import show_findings
from ..visibility import visible_line
from .asking import full_diff_option, show_at_length
from .plan_view import show_plan

if TYPE_CHECKING:
    from ....acting.changes import Gate
    from ....acting.plan.policy import Policy
    from ....core.processor import SymOpsProcessor

_INTERRUPTED = (
    "an apply is running here, or was interrupted: this plan is for files that are half changed; "
    "`symops undo` restores them, and the next apply does so before it begins"
)


def policy_options(command: Command) -> Command:
    """Add the options for the folder and for the changes that are allowed in it.

    The command receives `root`, and the `policy` and the `gate` that the options define.
    """

    @wraps(command)
    def run(
        root: str,
        policy: str | None,
        allow: tuple[str, ...],
        allow_command: tuple[str, ...],
        session: str | None,
        **arguments: Any,
    ) -> Any:
        rules = _make_policy(policy, root, allow, allow_command)
        return command(root=root, policy=rules, gate=_make_gate(root, session), **arguments)

    return together(
        click.option(
            "--allow-command",  # with the file's `auto_commands`
            multiple=True,
            metavar="GLOB",
            callback=refuse_empty,
            help="Run these commands without a confirmation; may be repeated.",
        ),
        click.option(
            "--allow",
            multiple=True,
            metavar="GLOB",
            callback=refuse_empty,
            help="Allow changes to these protected files, such as .env; may be repeated.",
        ),
        click.option(
            "--policy",
            metavar="FILE",
            help=(
                "Read the policy from a YAML file; its keys are the fields of `Policy`. "
                "Default: a careful policy."
            ),
        ),
        root_option,
        click.option(
            "--session",
            metavar="ID",
            help="Allow only the writes that this session may make (see `symops serve`).",
        ),
    )(run)


def _make_policy(
    file: str | None, root: str, allow: tuple[str, ...], allow_command: tuple[str, ...]
) -> Policy:
    """Return the policy of a file, or the careful one, with the permissions of the options."""
    from ....acting.plan.policy import Policy
    from ....acting.plan.policy_file import load_policy

    policy = Policy()
    if file is not None:
        policy = load_policy(file)
        path = os.path.relpath(os.path.realpath(file), os.path.realpath(root))
        # A policy below the root decides about the next reply: a reply may not change it unasked.
        if path.split(os.sep)[0] != os.pardir:
            policy = replace(policy, sensitive=(*policy.sensitive, path.replace(os.sep, "/")))
    return replace(
        policy, allow=policy.allow + allow, auto_commands=policy.auto_commands + allow_command
    )


def _make_gate(root: str, session_id: str | None) -> Gate | None:
    """Return the judgement of a session of a folder; None without a session."""
    if session_id is None:
        return None
    from ....code_intelligence import gate_for

    return gate_for(find_session(root, session_id))


@click.command(name="plan")
@file_argument
@reading_options
@policy_options
@full_diff_option
@json_option
def command(
    file: str,
    processor: SymOpsProcessor,
    cut_off: bool | None,
    root: str,
    policy: Policy,
    gate: Gate | None,
    full_diff: bool,
    as_json: bool,
) -> int:
    """Show what a reply would change in a folder.

    The input is a reply, or a document as JSON. The changes are listed in running order, each with
    the confirmations that it needs and its conflicts. No file is changed.

    Exit code 0: the plan is possible; 1: a change is in conflict or refused, or no actions could be
    extracted from the reply.
    \f

    Args:
        file: The file of the reply, or `-`.
        processor: The pipeline that reads it.
        cut_off: Whether the reply was truncated.
        root: The folder.
        policy: The changes that are allowed.
        gate: The session that must allow the writes.
        full_diff: Whether long differences are shown completely.
        as_json: Whether the plan is printed as JSON.
    """
    from ....acting.files.view import FolderView
    from ....acting.journal.room import is_interrupted
    from ....acting.plan.planning import plan

    text = read_text(file)
    document = read_document(text, or_calls=True)
    findings = []
    # Findings of a document that is read from JSON belong to another text: no line is quoted.
    source = Source("", text.name)
    if document is None:
        source = Source(text.text, text.name)
        result = processor.process(text.text, cut_off=cut_off)
        document = result.document
        findings = [item for item in result.diagnostics if item.severity is not Severity.NOTE]
    # One view for all questions: the folder may change between two looks.
    view = FolderView(root)
    changes = plan(document, view, policy, gate, dialect_of(document, processor))
    # A plan changes nothing, so it does not undo the interrupted apply, as `apply` does.
    if is_interrupted(view):
        complain(f"{visible_line(root)}: {_INTERRUPTED}")
        note = Diagnostic("interrupted-apply", _INTERRUPTED, Span(0, 0), Severity.WARNING)
        changes = replace(changes, notes=(*changes.notes, note))
    # `apply` does nothing with a document that has errors, so its plan is not possible.
    codes = {(item.code, item.span) for item in changes.conflicts}
    errors = [item for item in find_errors(document) if (item.code, item.span) not in codes]
    changes = replace(changes, conflicts=(*changes.conflicts, *errors))
    # The planner reports some findings of the text itself.
    reported = {(item.code, item.span) for item in (*changes.conflicts, *changes.notes)}
    unreported = [item for item in findings if (item.code, item.span) not in reported]
    lines = chain(show_plan(changes, source, full=full_diff), show_findings(unreported, source))
    # Complete differences may be thousands of lines.
    if full_diff and not as_json:
        show_at_length(lines)
    else:
        print_result(changes, lines, as_json)
    return 0 if changes.possible else 1
