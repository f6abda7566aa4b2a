"""`symops gate submit`: what was understood, supposed or verified."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ..sessions import find_session, session_options, tell_answer
from ..texts import InputError, read_text

if TYPE_CHECKING:
    from ...code_intelligence import Session

_METHODS = {
    "frame": "set_query_frame",
    "slot": "update_slot",
    "understanding": "submit_understanding",
    "semantic": "submit_semantic",
    "verification": "submit_verification",
    "revert": "revert_to_exploration",
}
_BY_PHASE = {"SEMANTIC": "semantic", "VERIFICATION": "verification"}


@click.command(name="submit", short_help="Submit what was understood.")
@session_options(
    click.argument("file", default="-", metavar="[FILE]"),
    click.option("--as", "kind", type=click.Choice(list(_METHODS)), help="What it is; by the phase if not given."),
)
def command(session_id: str, file: str, kind: str | None, root: str, as_json: bool) -> int:
    """Submit a JSON object of the arguments: what was understood, or in later phases supposed or verified.

    The arguments are those of the server's tools submit_understanding, submit_semantic, submit_verification,
    set_query_frame (frame), update_slot (slot) and revert_to_exploration (revert); the page on code intelligence shows
    them.
    """
    session = find_session(root, session_id)
    chosen = kind or _BY_PHASE.get(str(session.phase), "understanding")
    text = read_text(file)
    try:
        given = json.loads(text.text or "{}")
    except (ValueError, RecursionError) as error:
        raise InputError(f"{text.name}: this is no JSON: {error}") from None
    if not isinstance(given, dict):
        raise InputError(f"{text.name}: a JSON object of arguments is wanted")
    return tell_answer(_submit(session, chosen, given), as_json)


def _submit(session: Session, chosen: str, given: dict[str, Any]) -> dict[str, Any]:
    method: Callable[..., dict[str, Any]] = getattr(session, _METHODS[chosen])
    try:
        return method(**given)
    except TypeError as error:
        told = str(error).partition("()")[2].strip() or str(error)
        raise click.UsageError(f"--as {chosen}: {told}") from None
