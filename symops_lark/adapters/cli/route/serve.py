"""`symops route serve`: a contest behind OpenAI's protocol, on this machine alone."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click

from ..contestants import choose_metric, contest_options, metric_options, models_option, read_contest, trust_options
from ..routing_view import find_models
from ..texts import echo


@click.command(name="serve")
@models_option
@click.option("--registry", metavar="FILE", help="Use the models of a registry, with their states.")
@click.option("--port", type=click.IntRange(0, 65535), default=8378, help="The port. 0: any free port.")
@click.option("--log", metavar="RUN.jsonl", help="Append a row for each reply to this run log. Default: no log.")
@contest_options
@metric_options
@trust_options
def command(
    models: tuple[str, ...],
    registry: str | None,
    port: int,
    log: str | None,
    metric: str | None,
    alpha: float | None,
    licenses: tuple[str, ...],
    allow_commands: bool,
    hosts: tuple[str, ...],
    run_code: bool,
    time_limit: float,
    **contest: Any,
) -> int:
    """Serve a contest of models over OpenAI's protocol.

    Any client with a base URL gets the reply that won: `POST /v1/chat/completions` with the model
    `auto`, or a model's id for that one alone, verified. The address and the token are printed; the
    token is the client's API key. If no reply passes, the answer has the status 422. Only this
    machine can connect, and no file is written. Press Ctrl-C to stop.
    """
    from ....agent.serving import open_endpoint
    from ....routing import Flow, RunLog, Trust
    from ....routing.contests.providers import open_contestants

    chosen = choose_metric(metric, alpha)
    contestants = open_contestants(find_models(models, licenses, registry), Trust(allow_commands, hosts), time_limit)
    further = read_contest(contest, run_code)
    if log is not None:
        further |= {"log": RunLog(log).append_run, **RunLog(log).read_history()}
    flow = Flow(contestants, chosen, len(contestants) or 1, time_limit, run_code=run_code, **further)
    try:
        server = open_endpoint(flow, port)
    except OSError as error:
        raise click.UsageError(f"port {port}: {error.strerror or error}") from None
    with server:
        echo([f"base URL: http://127.0.0.1:{server.port}/v1", f"API key: {server.token}"])
        with suppress(KeyboardInterrupt):
            server.serve_forever()
    return 0
