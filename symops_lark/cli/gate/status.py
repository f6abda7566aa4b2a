"""`symops gate status`: where a session stands."""

from __future__ import annotations

import click

from ..sessions import find_session, session_options, tell_answer


@click.command(name="status", short_help="Say where a session stands.")
@session_options()
def command(session_id: str, root: str, as_json: bool) -> int:
    """Say where a session stands: its phase, what is missing, what is next."""
    return tell_answer(find_session(root, session_id).get_session_status(), as_json)
