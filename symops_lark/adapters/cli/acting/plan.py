"""`symops plan`: what a reply would do to a folder, and what is in the way. Nothing is changed."""

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
from ..documents import dialect_of, read_document
from ..options import Command, file_argument, json_option, reading_options, root_option, together
from ..texts import complain, read_text, tell
from ..view import show_findings
from ..visibility import visible_line
from .asking import full_diff_option, show_at_length
from .plan_view import show_plan

if TYPE_CHECKING:
    from ....acting.changes import Gate
    from ....acting.plan.policy import Policy
    from ....core.processor import SymOpsProcessor

_INTERRUPTED = (
    "an apply is at work here, or was interrupted: this plan is for files that are half changed; "
    "`symops undo` brings them back, and the next apply does so before it begins"
)


def policy_options(command: Command) -> Command:
    """Add the options that say where to act, and what is allowed there by the `policy` and `gate` that they make."""

    @wraps(command)
    def run(
        root: str,
        policy: str | None,
        allow: tuple[str, ...],
        allow_command: tuple[str, ...],
        session: str | None,
        **given: Any,
    ) -> Any:
        chosen, gate = _make_policy(policy, root, allow, allow_command), _make_gate(root, session)
        return command(root=root, policy=chosen, gate=gate, **given)

    return together(
        click.option(
            "--allow-command",
            multiple=True,
            metavar="GLOB",
            help="Run these commands without a confirmation; may be repeated.",
        ),
        click.option(
            "--allow",
            multiple=True,
            metavar="GLOB",
            help="Allow changes to these protected files, such as .env; may be repeated.",
        ),
        click.option(
            "--policy",
            metavar="FILE",
            help="Read the policy from a YAML file; its keys are the fields of `Policy`. Default: a careful policy.",
        ),
        root_option,
        click.option(
            "--session", metavar="ID", help="Allow only the writes that this session may make (see `symops serve`)."
        ),
    )(run)


def _make_policy(file: str | None, root: str, allow: tuple[str, ...], allow_command: tuple[str, ...]) -> Policy:
    """Return the policy of a file, or the careful one, with what the options allow besides.

    A file below the root says what becomes of the next reply: it is asked about like others that are trusted.
    """
    from ....acting.plan.policy import Policy
    from ....acting.plan.policy_file import load_policy

    policy = load_policy(file) if file is not None else Policy()
    here = os.path.relpath(os.path.realpath(file), os.path.realpath(root)) if file is not None else os.pardir
    if not here.startswith(os.pardir):
        policy = replace(policy, sensitive=(*policy.sensitive, here.replace(os.sep, "/")))
    return replace(policy, allow=policy.allow + allow, auto_commands=policy.auto_commands + allow_command)


def _make_gate(root: str, session_id: str | None) -> Gate | None:
    """Return what a session of a folder says of a plan; None without a session."""
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
    """
    from ....acting.files.view import FolderView
    from ....acting.journal.room import is_interrupted
    from ....acting.plan.planning import plan

    text = read_text(file)
    findings: list[Diagnostic] = []
    document = read_document(text)
    source = Source(text.text if document is None else "", text.name)
    if document is None:
        result = processor.process(text.text, cut_off=cut_off)
        document = result.document
        findings = [finding for finding in result.diagnostics if finding.severity is not Severity.NOTE]
    view = FolderView(root)
    made = plan(document, view, policy, gate, dialect_of(document, processor))
    if is_interrupted(view):
        complain(f"{visible_line(root)}: {_INTERRUPTED}")
        note = Diagnostic("interrupted-apply", _INTERRUPTED, Span(0, 0), Severity.WARNING)
        made = replace(made, notes=(*made.notes, note))
    told = {(finding.code, finding.span) for finding in (*made.conflicts, *made.notes)}
    untold = show_findings((finding for finding in findings if (finding.code, finding.span) not in told), source)
    lines = chain(show_plan(made, source, full=full_diff), untold)
    if full_diff and not as_json:
        show_at_length(lines)
    else:
        tell(made, lines, as_json)
    return 0 if made.possible else 1
