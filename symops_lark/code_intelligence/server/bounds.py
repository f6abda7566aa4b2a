"""Bound the connections of the HTTP server, and the times of their phases.

Theory of operation. uvicorn bounds none of these. Its `limit_concurrency` answers 503 to true calls
while half-open connections stay: 100 connections with half a head would take the server down.
`BoundedProtocol` therefore gives every connection a deadline that depends on its phase, and aborts
it when the deadline has passed:

    head ── whole ──► body ── whole ──► answer ── sent ──► idle ── first byte ──► head …
    10 s              30 s              none (60 s while       60 s
                                        it is not read)

A deadline begins when its phase begins. Single bytes do not extend it. Connections above
`MOST_CONNECTIONS` get 503 and are closed at once, so that the process never runs out of file
descriptors.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 64  # at once; a client of MCP holds one or two
HEAD_SECONDS = 10.0
BODY_SECONDS = 30.0
IDLE_SECONDS = 60  # between two requests, and while a client does not read its answer
# Connections that one round of the event loop accepts: each takes a descriptor until it is refused.
BACKLOG = 64
_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_LATE = (
    "%d connections were refused (there may be %d at once), %d were closed as they took too long"
)
_LOG = logging.getLogger("symops")


class Refusals:
    """Connections that were refused or cut off since they were last reported."""

    def __init__(self) -> None:
        self.refused = 0
        self.late = 0

    async def report(self) -> None:
        """Write one line about them, if there were any."""
        if self.refused or self.late:
            _LOG.warning(_LATE, self.refused, MOST_CONNECTIONS, self.late)
            self.refused = self.late = 0


class BoundedProtocol(H11Protocol):
    """One connection, which is aborted when it stays in a phase for too long."""

    def __init__(self, *arguments: Any, refusals: Refusals, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._refusals = refusals
        self._phase: tuple[str, object] = ("", None)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the head of a request, or refuse the connection."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            self.connections.discard(self)
            self._refusals.refused += 1
            transport.write(_BUSY)
            transport.close()
        else:
            self._enter("head", HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._enter("closed", None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what arrived, and set the deadline of the phase that it leads to."""
        if self._phase[0] == "idle":
            self._enter("head", HEAD_SECONDS)
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        """Wait for the next request, which may have arrived already."""
        super().on_response_complete()
        self._follow()

    def pause_writing(self) -> None:
        """Give a client that does not take its answer some time."""
        super().pause_writing()
        self._enter("stuck", IDLE_SECONDS)

    def resume_writing(self) -> None:
        """Continue with the answer."""
        super().resume_writing()
        self._enter("answer", None)
        self._follow()

    def _follow(self) -> None:
        """Set the deadline of the current phase."""
        if self._phase[0] in ("stuck", "closed"):
            return
        has_request = self.cycle is not None
        # Also the body of a request that was answered before it was read.
        if self.conn.their_state is h11.SEND_BODY:
            self._enter("body", BODY_SECONDS)
        elif has_request and not self.cycle.response_complete:
            self._enter("answer", None)
        # The next request may have arrived with this one.
        elif has_request and not self.conn.trailing_data[0]:
            self._enter("idle", IDLE_SECONDS)
        else:
            self._enter("head", HEAD_SECONDS)

    def _enter(self, name: str, seconds: float | None) -> None:
        # The cycle is part of the phase: each request has its own times.
        phase = name, self.cycle
        if phase == self._phase:
            return
        self._phase = phase
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if seconds is not None:
            self._deadline = self.loop.call_later(seconds, self._abort)

    def _abort(self) -> None:
        # An idle connection did nothing wrong.
        if self._phase[0] != "idle":
            self._refusals.late += 1
        self.transport.abort()
