"""`symops serve`: serve the tools of code intelligence to coding agents over MCP."""

from __future__ import annotations

import logging
import os
from asyncio import CancelledError
from contextlib import suppress
from typing import Any

import click

from ....core.ground.bounded_log import BoundedHandler
from ....core.ground.errors import SymOpsError
from ....core.ground.version import __version__
from ..contestants import model_trust_options
from ..models.providers import model_options
from ..routing_view import find_models
from ..texts import echo
from .sessions import allow_option, level_option, open_workspace, root_option


@click.command("serve")
@root_option
@level_option
@allow_option
@click.option(
    "--http",
    "over_http",
    is_flag=True,
    help="Serve over HTTP, only on this machine. Default: standard input and output.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8377,
    help="The port of --http. 0: any free port.",
)
@click.option(
    "--tools",
    type=click.Choice(["few", "all"]),
    default="few",
    help="Which tools are listed: seven short ones, or all. Every tool is answered. Default: few.",
)
@click.option(
    "--manifest",
    "manifests",
    multiple=True,
    metavar="MANIFEST",
    help=(
        "Let the model of a manifest compete in ask_models; may be repeated. "
        "Default: the model of --provider."
    ),
)
@model_trust_options
@model_options(required=False)
def command(
    root: str,
    level: str,
    allow: tuple[str, ...],
    over_http: bool,
    port: int,
    tools: str,
    manifests: tuple[str, ...],
    licenses: tuple[str, ...],
    allow_commands: bool,
    hosts: tuple[str, ...],
    **settings: Any,
) -> int:
    """Serve the code tools to agents over MCP.

    A client starts the server and uses the Model Context Protocol over standard input and output.
    With --http several clients can use it at the same time: its address and token are printed; set
    SYMOPS_TOKEN in the environment to keep the same token, which is not printed then. With a model,
    requests are decomposed by the model; without one, by the client.

    The text of files that may hold secrets (`.env`, keys, credentials) is shown only with --allow.

    Answers are lines of text, or JSON where a call asks for it with `"format": "json"`.

    Sessions are kept on disk, so that a restarted server continues them.

    With --tools all, plan_document shows what a reply would do, and ask_models lets models compete
    for one. They write no file.
    \f

    Args:
        root: The folder of the code.
        level: The evidence that new sessions require.
        allow: The protected files whose text is shown.
        over_http: Whether several clients are served over HTTP.
        port: The port; 0: any free one.
        tools: Which tools are listed.
        manifests: The models that compete.
        licenses: The licences that they may have.
        allow_commands: Whether their commands run.
        hosts: The hosts that they may be asked at.
        settings: The options of the model that decomposes requests.

    Raises:
        SymOpsError: The extra `mcp` is not installed.
        UsageError: The port is not free.
    """
    workspace = open_workspace(root, level, settings, allow)
    contestants: list[Any] = []
    if manifests:
        from ....routing import Trust
        from ....routing.contests.providers import open_contestants

        models = find_models(manifests, licenses, None)
        # A manifest may come from a stranger: only the user allows its commands and hosts.
        trust = Trust(allow_commands, hosts)
        contestants += open_contestants(models, trust, settings["time_limit"])
    # Without manifests the model that decomposes requests is the only one.
    elif workspace.model is not None:
        contestants.append((workspace.model.name, workspace.model))
    # The extra is needed only by this command, so it is imported here.
    try:
        from ....code_intelligence.server.answers import Desk
        from ....code_intelligence.server.first_sdk import serve_stdio
        from ....code_intelligence.server.http import TOKEN, Endpoint, chosen_token
        from .further_tools import make_tools
    except ModuleNotFoundError as error:
        install = "pip install 'symops-lark[mcp]'"
        raise SymOpsError(f"this needs the library {error.name}: {install}") from None
    # Libraries log only to standard error: standard output is the client's.
    log = BoundedHandler()
    log.addFilter(_is_failure)
    logging.basicConfig(
        handlers=[log], level=logging.WARNING, format="symops: %(name)s: %(message)s", force=True
    )
    desk = Desk(workspace, __version__, tools, make_tools(contestants))
    # An interrupt is the usual way to stop a server.
    with suppress(KeyboardInterrupt):
        if not over_http:
            serve_stdio(desk)
            return 0
        try:
            endpoint = Endpoint(port, chosen_token())
        except OSError as error:
            raise click.UsageError(f"port {port}: {error.strerror or error}") from None
        # A token of the environment is a secret of the user, and the output may be a log.
        token = f"${TOKEN}" if os.environ.get(TOKEN) else endpoint.token
        # Printed once the port answers: scripts wait for these lines.
        lines = [endpoint.url, f"Authorization: Bearer {token}"]
        endpoint.serve(desk, lambda: echo(lines))
    return 0


def _is_failure(record: logging.LogRecord) -> bool:
    """Return whether a record is worth a line: a task that an interrupt cancels did not fail."""
    # Some libraries log a traceback as the message.
    if record.getMessage().rstrip().endswith("CancelledError"):
        return False
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, BaseExceptionGroup):
        # Python raises an interrupt wherever it is, in the tasks of the event loop too.
        return error.split((KeyboardInterrupt, CancelledError))[1] is not None
    return not isinstance(error, KeyboardInterrupt)
