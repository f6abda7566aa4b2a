"""Standard input of the server: every message is answered, also one that cannot be read.

The SDK drops a line that is not a message, and the client waits for its answer for ever. It also
replaces bytes that are not UTF-8, and works with an argument that the client did not send. Here
such bytes are kept as halves of surrogate pairs, which no message may hold. A line that the SDK
could not read is answered with the error of JSON-RPC and the id of the call.
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

# Codes of JSON-RPC 2.0.
_PARSE_ERROR = -32700
_INVALID_REQUEST = -32600
_TYPE_AND_MEMBER = 2  # parts of the place of a member, as Pydantic gives it
_NO_MESSAGE = "null\n"  # it is answered with an error, without an id
_MAX_REASON = 200  # characters of a reason


def open_input() -> Any:
    """Return standard input as lines of text.

    Other readers of standard input find its end from now on. Returns None if standard input is not
    a file descriptor: then the SDK opens it.
    """
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        return None
    # A child process would read the messages of the client, and wait for ever.
    wire = os.fdopen(os.dup(descriptor), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)
    return _Lines(TextIOWrapper(wire, encoding="utf-8", errors="surrogateescape"))


class _Lines:
    """Lines that a thread reads.

    The process does not wait for the thread at its end: Ctrl-C would wait for the client.
    """

    def __init__(self, file: TextIOWrapper) -> None:
        self._file = file
        # One line: the client waits while messages are answered.
        self._lines: asyncio.Queue[str] = asyncio.Queue(1)
        self._thread: Thread | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        if self._thread is None:
            loop = asyncio.get_running_loop()
            self._thread = Thread(target=self._read, args=(loop,), daemon=True)
            self._thread.start()
        line = await self._lines.get()
        if not line:
            raise StopAsyncIteration
        # The SDK takes a call whose id it does not know for a notification.
        return _NO_MESSAGE if _has_odd_id(line) else line

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        line = " "
        # These errors are raised when the loop has ended.
        with suppress(RuntimeError, CancelledError):
            while line:
                line = self._file.readline()
                put = self._lines.put(line)
                asyncio.run_coroutine_threadsafe(put, loop).result()


class AnsweredStream:
    """The messages of a client. Those that cannot be read are answered, and left out.

    Args:
        incoming: The stream of the messages.
        outgoing: The stream of the answers.
        make_error: Makes an answer from an id, a code and a message.
    """

    def __init__(
        self, incoming: Any, outgoing: Any, make_error: Callable[[Any, int, str], Any]
    ) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._make_error = make_error

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

    # The SDK uses its stream as a context and an iterator.
    async def __aenter__(self) -> Self:
        await self._incoming.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> Any:
        return await self._incoming.__aexit__(*raised)


def describe_unreadable(error: Exception) -> tuple[str | int | None, int, str]:
    """Return the id of a call that could not be read, with the code and message of its error.

    Args:
        error: The error of the SDK: one of Pydantic with the line, or with the parsed line.

    Returns:
        The id, which is None if there is none, the code and the message.
    """
    problems: list[dict[str, Any]] = getattr(error, "errors", list)()
    line = problems[0].get("input") if problems else None
    # A problem with a place is one of a parsed message.
    if not isinstance(line, str) or problems[0].get("loc"):
        return _id_in(problems), _INVALID_REQUEST, "this is not a message of JSON-RPC 2.0"
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as reason:
        return None, _PARSE_ERROR, f"this line is not JSON: {str(reason)[:_MAX_REASON]}"
    if any("\udc80" <= sign <= "\udcff" for sign in line):
        return _id_of(value), _PARSE_ERROR, "this line is not UTF-8"
    message = "a text in this line holds half of a surrogate pair, which is not a character"
    return _id_of(value), _PARSE_ERROR, message


def _has_odd_id(line: str) -> bool:
    """Return whether a line is a call whose id is neither a text nor a whole number."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(value, dict) or not {"id", "method"} <= value.keys():
        return False
    return isinstance(value["id"], bool) or not isinstance(value["id"], str | int)


def _id_in(problems: list[dict[str, Any]]) -> str | int | None:
    """Return the id of the message in which the SDK found problems.

    A problem of a member has only its value as the input. Since no message is a call and an answer
    at once, a member is missing in one of these types: that problem has the whole message.
    """
    for problem in problems:
        if len(problem.get("loc", ())) <= _TYPE_AND_MEMBER and problem.get("type") == "missing":
            return _id_of(problem.get("input"))
    return None


def _id_of(value: Any) -> str | int | None:
    """Return the id of a message, if it can be sent to the client unchanged."""
    call = value.get("id") if isinstance(value, dict) else None
    if isinstance(call, str) and call.isascii():
        return call
    # Larger numbers lose digits in JavaScript.
    if isinstance(call, int) and not isinstance(call, bool) and abs(call) < 1 << 53:
        return call
    return None
