"""`symops serve`: the tools of code intelligence for coding agents, over MCP."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Any

import click

from ....core.ground.bounded_log import BoundedHandler
from ....core.ground.errors import SymOpsError
from ....core.ground.version import __version__
from ..models.providers import model_options
from ..texts import echo
from .sessions import allow_option, level_option, open_workspace, root_option


@click.command("serve", short_help="Serve the code tools to agents, over MCP.")
@root_option
@level_option
@allow_option
@click.option("--http", "over_http", is_flag=True, help="Over HTTP, on this machine alone.")
@click.option("--port", type=click.IntRange(0, 65535), default=8377, help="Of --http; 0 takes one that is free.")
@model_options(required=False)
def command(root: str, level: str, allow: tuple[str, ...], over_http: bool, port: int, **settings: Any) -> int:
    """Serve the tools of code intelligence to coding agents, over the Model Context Protocol.

    A client starts it and speaks over standard input and output. With --http several clients may use it at once: its
    address and token are printed; SYMOPS_TOKEN in the environment keeps the token the same from start to start. With a
    model, requests are decomposed by it; without one the client says what they mean.

    The text of files that may hold secrets (`.env`, keys, credentials) is shown only with --allow.

    Sessions are kept on disk: a server that was ended goes on where it was.
    """
    workspace = open_workspace(root, level, settings, allow)
    try:
        from ....code_intelligence.server.answers import Desk
        from ....code_intelligence.server.first_sdk import serve_stdio
        from ....code_intelligence.server.http import Endpoint, chosen_token
    except ModuleNotFoundError as error:
        raise SymOpsError(f"this needs the library {error.name}: pip install 'symops-lark[mcp]'") from None
    # Libraries log to standard error alone: standard output is the client's.
    log = BoundedHandler()
    log.addFilter(_is_failure)
    logging.basicConfig(handlers=[log], level=logging.WARNING, format="symops: %(name)s: %(message)s", force=True)
    desk = Desk(workspace, __version__)
    with suppress(KeyboardInterrupt):
        if not over_http:
            serve_stdio(desk)
            return 0
        try:
            endpoint = Endpoint(port, chosen_token())
        except OSError as error:
            raise click.UsageError(f"port {port}: {error.strerror or error}") from None
        endpoint.serve(desk, lambda: echo([endpoint.url, f"Authorization: Bearer {endpoint.token}"]))
    return 0


def _is_failure(record: logging.LogRecord) -> bool:
    """Return whether a record is worth a line: what an interrupt cancels is no failure."""
    return not record.getMessage().rstrip().endswith("CancelledError")
