"""The server over HTTP, for whoever knows its token on this machine, and nobody else.

Laws: only the loopback interface is bound. A request that does not name this server as its `Host`, or that a page of
another origin makes, is refused, and so is one without the token. Connections and their times are bounded (`bounds`).
Nothing is remembered between requests but what the sessions keep on disk, so that a server that was killed goes on
where it was as soon as it is started again.
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
from .first_sdk import is_current

HOST, PATH = "127.0.0.1", "/mcp"
TOKEN = "SYMOPS_TOKEN"  # the variable that holds the token
LEAST_TOKEN = 16  # characters
MOST_BYTES = 1_000_000  # of a request
_REPORT_SECONDS = 60


class Endpoint:
    """A socket on the loopback interface, and who may speak to it. Raises `OSError` if the port is taken."""

    def __init__(self, port: int, token: str) -> None:
        self.token = token
        self.socket = socket.create_server((HOST, port), backlog=BACKLOG)

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return int(self.socket.getsockname()[1])

    @property
    def url(self) -> str:
        """Where clients find the server."""
        return f"http://{HOST}:{self.port}{PATH}"

    def application(self, desk: Desk) -> ASGIApp:
        """Return what answers requests: the protocol behind the checks of host, origin and token."""
        hosts = [f"{name}:{self.port}" for name in (HOST, "localhost")]
        checks = TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=hosts,
            allowed_origins=[f"http://{host}" for host in hosts],
        )
        if not is_current():
            from .first_sdk import make_application

            return _Door(make_application(desk, PATH, MOST_BYTES, checks), self.token)
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
        """Answer until the process is told to end."""
        refusals = Refusals()
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
    """Lets requests through that bear the token; the browsers' preflights never do."""

    def __init__(self, inner: ASGIApp, token: str) -> None:
        self.inner, self._expected = inner, f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._knows(Headers(scope=scope)):
            refusal = PlainTextResponse(
                f"this server wants its token: Authorization: Bearer, as {TOKEN} says, or as it printed at its start\n",
                401,
                {"WWW-Authenticate": "Bearer", "Connection": "close"},  # a stranger holds no connection
            )
            await refusal(scope, receive, send)
        else:
            await self.inner(scope, receive, send)

    def _knows(self, headers: Headers) -> bool:
        given = headers.getlist("authorization")
        return len(given) == 1 and compare_digest(given[0].encode("utf-8", "replace"), self._expected)


def chosen_token() -> str:
    """Return the token that the environment names, or a new one; raise `SymOpsError` if it is too easily guessed."""
    token = os.environ.get(TOKEN, "")
    if not token:
        return secrets.token_urlsafe(24)
    if len(token) < LEAST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise SymOpsError(f"{TOKEN} must be {LEAST_TOKEN} or more ASCII characters without blanks")
    return token
