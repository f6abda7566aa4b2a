"""`symops serve`: the tools of code intelligence for coding agents, over MCP."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from .providers import model_options, with_limits
from .texts import echo

if TYPE_CHECKING:
    from ..code_intelligence import Workspace

LEVELS = ("strict", "auto", "off")


@click.command("serve", short_help="Serve the code tools to agents, over MCP.")
@click.option("--root", default=".", metavar="DIR", help="The folder that is worked on.")
@click.option("--level", type=click.Choice(LEVELS), default="auto", help="What the gate asks for before a write.")
@click.option("--http", "over_http", is_flag=True, help="Over HTTP, on this machine alone.")
@click.option("--port", type=click.IntRange(0, 65535), default=8377, help="Of --http; 0 takes one that is free.")
@model_options(required=False)
def command(root: str, level: str, over_http: bool, port: int, **settings: Any) -> int:
    """Serve the tools of code intelligence to coding agents, over the Model Context Protocol.

    A client starts it and speaks over standard input and output. With --http several clients may use it at once: its
    address and token are printed; SYMOPS_TOKEN in the environment keeps the token the same from start to start. With a
    model, requests are decomposed by it; without one the client says what they mean.

    Sessions are kept on disk: a server that was ended goes on where it was.
    """
    workspace = open_workspace(root, level, settings)
    try:
        from ..code_intelligence.server.answers import Desk
        from ..code_intelligence.server.http import Endpoint, chosen_token
        from ..code_intelligence.server.protocol import serve_stdio
    except ModuleNotFoundError as error:
        raise click.ClickException(f"this needs the library {error.name}: pip install 'symops-lark[mcp]'") from None
    _log_to_stderr()
    desk = Desk(workspace)
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


def open_workspace(root: str, level: str, settings: dict[str, Any]) -> Workspace:
    """Return the folder that is worked on, with the model that decomposes requests if one was named."""
    from ..code_intelligence import Workspace

    if not settings["provider"]:
        return Workspace(root, level=level)
    from ..models import load_model

    return Workspace(root, model=load_model(**with_limits(settings)), level=level)


def _log_to_stderr() -> None:
    """Let libraries log to standard error alone: standard output is the client's."""
    import logging

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="symops: %(name)s: %(message)s", force=True)
