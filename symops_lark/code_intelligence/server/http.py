"""The server over HTTP, only for clients on this machine that know its token.

Invariants: only the loopback interface is bound. A request is refused if it does not name this
server as its `Host`, if a page of another origin makes it, or if it lacks the token. Connections
and their times are bounded (`bounds`). Between requests, only the files of the sessions have a
state, so a server that was killed continues where it was when it is started again.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable
from functools import partial
from hmac import compare_digest
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ...core.ground.errors import SymOpsError
from .answers import Desk
from .bounds import BACKLOG, IDLE_SECONDS, BoundedProtocol, Refusals
from .first_sdk import is_current, make_application

HOST = "127.0.0.1"
PATH = "/mcp"
TOKEN = "SYMOPS_TOKEN"  # the variable that holds the token
LEAST_TOKEN = 16  # characters
MOST_BYTES = 1_000_000  # of a request
_REPORT_SECONDS = 60
_NO_TOKEN = (
    f"this server wants its token: Authorization: Bearer, as {TOKEN} says,"
    " or as it printed at its start\n"
)


class Endpoint:
    """A socket on the loopback interface, with the token of its clients.

    Args:
        port: The port; 0 for any. `OSError` is raised if it is taken.
        token: The token.
    """

    def __init__(self, port: int, token: str) -> None:
        self.token = token
        self.socket = socket.create_server((HOST, port), backlog=BACKLOG)

    @property
    def port(self) -> int:
        """The port."""
        return int(self.socket.getsockname()[1])

    @property
    def url(self) -> str:
        """The address for clients."""
        return f"http://{HOST}:{self.port}{PATH}"

    def application(self, desk: Desk) -> ASGIApp:
        """Return the application, with checks of host, origin and token before the protocol."""
        # Other names may be made to resolve to this machine (DNS rebinding).
        hosts = [f"{name}:{self.port}" for name in (HOST, "localhost")]
        checks = TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=hosts,
            allowed_origins=[f"http://{host}" for host in hosts],
        )
        if not is_current():
            return _Door(make_application(desk, PATH, MOST_BYTES, checks), self.token)
        # Imported here: the module needs types of version 2 of the SDK.
        from .protocol import make_server

        inner = make_server(desk).streamable_http_app(
            streamable_http_path=PATH,
            json_response=True,
            stateless_http=True,
            max_request_body_size=MOST_BYTES,
            transport_security=checks,
        )
        return _Door(inner, self.token)

    def serve(self, desk: Desk, started: Callable[[], None] = lambda: None) -> None:
        """Answer until the process ends.

        Args:
            desk: Answers the calls.
            started: Is called before the first request.
        """
        refusals = Refusals()
        # uvicorn makes a protocol for each connection, and passes its own arguments.
        protocol: Any = partial(BoundedProtocol, refusals=refusals)
        config = uvicorn.Config(
            self.application(desk),
            http=protocol,
            ws="none",
            backlog=BACKLOG,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=5,
            callback_notify=refusals.report,
            timeout_notify=_REPORT_SECONDS,
            log_config=None,
            access_log=False,
            server_header=False,
        )
        started()
        uvicorn.Server(config).run(sockets=[self.socket])


class _Door:
    """Lets requests with the token through. The preflights of browsers never have it."""

    def __init__(self, inner: ASGIApp, token: str) -> None:
        self.inner = inner
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._knows(Headers(scope=scope)):
            # Closed at once: other clients need the connection.
            headers = {"WWW-Authenticate": "Bearer", "Connection": "close"}
            refusal = PlainTextResponse(_NO_TOKEN, 401, headers)
            await refusal(scope, receive, send)
        else:
            await self.inner(scope, receive, send)

    def _knows(self, headers: Headers) -> bool:
        values = headers.getlist("authorization")
        if len(values) != 1:
            return False
        # The time of the comparison does not depend on where the texts differ.
        return compare_digest(values[0].encode("utf-8", "replace"), self._expected)


def chosen_token() -> str:
    """Return the token of the environment, or a new one.

    Raises:
        SymOpsError: The token of the environment is too short, or has other characters than ASCII.
    """
    token = os.environ.get(TOKEN, "")
    if not token:
        return secrets.token_urlsafe(24)
    is_plain = token.isascii() and token.isprintable() and " " not in token
    if len(token) < LEAST_TOKEN or not is_plain:
        raise SymOpsError(f"{TOKEN} must be {LEAST_TOKEN} or more ASCII characters without blanks")
    return token
