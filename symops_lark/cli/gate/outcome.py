"""`symops gate outcome`: how a session ended."""

from __future__ import annotations

import click

from ..sessions import find_session, session_options, tell_answer

SLOTS = ("target_feature", "trigger_condition", "observed_issue", "desired_action")


@click.command(name="outcome", short_help="Record how a session ended.")
@session_options(
    click.argument("outcome", type=click.Choice(["success", "failure", "partial"])),
    click.option("--slot", type=click.Choice(SLOTS), help="The slot that was misread."),
    click.option("--note", help="What happened."),
)
def command(session_id: str, outcome: str, slot: str | None, note: str | None, root: str, as_json: bool) -> int:
    """Record how a session ended, when the change was tested; `symops gate why` reads it."""
    return tell_answer(find_session(root, session_id).record_outcome(outcome, slot, note), as_json)
