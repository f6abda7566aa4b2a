"""`symops gate start`: a new session for a request."""

from __future__ import annotations

from typing import Any

import click

from ..options import json_option
from ..providers import model_options
from ..sessions import level_option, open_workspace, root_option, tell_answer

INTENTS = ("implement", "modify", "investigate", "question")


@click.command(name="start", short_help="Begin to work on a request.")
@click.argument("query", metavar="REQUEST")
@click.option("--intent", type=click.Choice(INTENTS), help="What is to be done; judged by the request if not given.")
@root_option
@level_option
@model_options(required=False)
@json_option
def command(query: str, intent: str | None, root: str, level: str, as_json: bool, **settings: Any) -> int:
    """Begin to work on a REQUEST, word for word, and print the session's id.

    With a model the request is decomposed by it; without one `symops gate submit --as frame` says what it means.
    """
    session = open_workspace(root, level, settings).start_session(query, intent)
    return tell_answer(session.get_session_status(), as_json)
