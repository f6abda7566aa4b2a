"""`symops route serve`: a contest over OpenAI's protocol, for this machine only."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click

from ..contestants import contest_options, metric_options, trust_options
from ..flows import competitors_options, make_flow, row_log_option
from ..texts import echo


@click.command(name="serve")
@competitors_options
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8378, help="The port. 0: any free port."
)
@row_log_option
@contest_options
@metric_options
@trust_options
def command(port: int, **options: Any) -> int:
    """Serve a contest of models over OpenAI's protocol.

    Any client with a base URL gets the reply that won: `POST /v1/chat/completions` with the model
    `auto`, or a model's id for that one alone, verified. The address and the token are printed; the
    token is the client's API key. If no reply passes, the answer has the status 422, and a stream
    has an event with the error. Only this machine can connect, and no file is written. Press Ctrl-C
    to stop.
    \f

    Args:
        port: The port, or 0 for any free port.
        options: The models, how they compete, the metric, the log, and what verifiers may do.

    Raises:
        UsageError: The port cannot be used.
    """
    from ....agent.serving import open_endpoint

    # All models are asked: a client has no option for their number.
    flow = make_flow(options)
    try:
        server = open_endpoint(flow, port)
    except OSError as error:
        raise click.UsageError(f"port {port}: {error.strerror or error}") from None
    with server:
        # The token is new at each start, and is nowhere else.
        echo([f"base URL: http://127.0.0.1:{server.port}/v1", f"API key: {server.token}"])
        # Ctrl-C is the usual end, not an error.
        with suppress(KeyboardInterrupt):
            server.serve_forever()
    return 0
