"""Standard input of the server: every message is answered, also one that cannot be read.

The SDK drops a line that is not a message, and the client waits for its answer for ever. It also replaces bytes that
are not UTF-8, and works on an argument that nobody sent. Here such bytes are kept as halves of surrogate pairs, which
no message may hold, and what the SDK could not read is answered with the error of JSON-RPC and the id of the call.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from io import TextIOWrapper
from threading import Thread
from typing import Any, Self

import anyio

_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600  # of JSON-RPC 2.0
_SHOWN = 200  # characters of a reason


def open_input() -> Any:
    """Return standard input as lines of text; what else reads standard input from now on finds its end.

    Returns None where standard input is not a file descriptor: then the SDK opens it.
    """
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        return None
    wire = os.fdopen(os.dup(descriptor), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)
    return _Lines(TextIOWrapper(wire, encoding="utf-8", errors="surrogateescape"))


class _Lines:
    """Lines that a thread reads, which nobody waits for at the end: else Ctrl-C would wait for the client."""

    def __init__(self, file: TextIOWrapper) -> None:
        self._file = file
        self._lines: asyncio.Queue[str] = asyncio.Queue(1)  # the client waits while messages are worked on
        self._thread: Thread | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        if self._thread is None:
            self._thread = Thread(target=self._read, args=(asyncio.get_running_loop(),), daemon=True)
            self._thread.start()
        line = await self._lines.get()
        if not line:
            raise StopAsyncIteration
        return line

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        line = " "
        with suppress(RuntimeError, CancelledError):  # the loop was ended
            while line:
                line = self._file.readline()
                asyncio.run_coroutine_threadsafe(self._lines.put(line), loop).result()


class AnsweredStream:
    """The messages of a client without those that cannot be read, which are answered on the way.

    `make_error` makes the answer of an id, a code and a message.
    """

    def __init__(self, incoming: Any, outgoing: Any, make_error: Callable[[Any, int, str], Any]) -> None:
        self._incoming, self._outgoing, self._make_error = incoming, outgoing, make_error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._incoming, name)

    async def receive(self) -> Any:
        """Return the next message that can be read."""
        while True:
            message = await self._incoming.receive()
            if not isinstance(message, Exception):
                return message
            answer = self._make_error(*describe_unreadable(message))
            if answer is not None:
                await self._outgoing.send(answer)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        await self._incoming.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> Any:
        return await self._incoming.__aexit__(*raised)


def describe_unreadable(error: Exception) -> tuple[str | int | None, int, str]:
    """Return the id of a call that could not be read (None if it has none), and the code and message of its error.

    Args:
        error: What the SDK raised for the line: Pydantic's error, which holds the line, or what came of it.
    """
    problems: list[dict[str, Any]] = getattr(error, "errors", list)()
    line = problems[0].get("input") if problems else None
    if not isinstance(line, str):  # JSON, and no message
        return _id_of(line), _INVALID_REQUEST, "this is not a message of JSON-RPC 2.0"
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as reason:
        return None, _PARSE_ERROR, f"this line is not JSON: {str(reason)[:_SHOWN]}"
    if any("\udc80" <= sign <= "\udcff" for sign in line):
        return _id_of(value), _PARSE_ERROR, "this line is not UTF-8"
    return _id_of(value), _PARSE_ERROR, "a text in this line holds half of a surrogate pair, which is no character"


def _id_of(value: Any) -> str | int | None:
    found = value.get("id") if isinstance(value, dict) else None
    if isinstance(found, str):  # one that can be sent back
        return found if found.isascii() else None
    return found if isinstance(found, int) and not isinstance(found, bool) and abs(found) < 1 << 53 else None
