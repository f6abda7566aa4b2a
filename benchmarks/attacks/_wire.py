"""A server on loopback that answers requests byte by byte, as a function tells it to."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Self

MODEL = "served-model"


class Wire:
    """One connection, after its request was read: what a kind of server writes on."""

    def __init__(self, connection: socket.socket, server: AttackServer, path: str, body: dict[str, Any]) -> None:
        self.connection, self.server, self.path = connection, server, path
        self.protocol = "anthropic" if path.endswith("/messages") else "openai"
        self.streams = bool(body.get("stream"))

    # ---- bytes

    def send(self, data: bytes | str) -> None:
        data = data.encode() if isinstance(data, str) else data
        size = max(self.server.pieces, len(data) // 50)
        for start in range(0, len(data), size):
            self.connection.sendall(data[start : start + size])

    def forever(self, data: bytes | str, pause: float = 0.0) -> None:
        """Send something until the client hangs up."""
        data = data.encode() if isinstance(data, str) else data
        data = data if pause else data * (1 + 4096 // len(data))
        while not self.server.stopping.is_set():
            self.connection.sendall(data)
            time.sleep(pause)

    def drip(self, data: bytes | str, pause: float = 0.02) -> None:
        """Send something a byte at a time, each before the silence is noticed."""
        for byte in data.encode() if isinstance(data, str) else data:
            self.connection.sendall(bytes((byte,)))
            if self.server.stopping.wait(pause):
                return

    def hold(self) -> None:
        self.server.stopping.wait(20)

    def reset(self) -> None:
        """Break the connection: the client gets a reset instead of an end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    # ---- answers

    def head(self, *headers: str, status: str = "200 OK", kind: str | None = None) -> None:
        kind = kind or ("text/event-stream" if self.streams else "application/json")
        self.send("\r\n".join((f"HTTP/1.1 {status}", f"Content-Type: {kind}", "Connection: close", *headers, "", "")))

    def answer(self, body: bytes | str, *headers: str, status: str = "200 OK", kind: str | None = None) -> None:
        """Send a whole answer with its length."""
        data = body.encode() if isinstance(body, str) else body
        self.head(*headers, f"Content-Length: {len(data)}", status=status, kind=kind)
        self.send(data)

    def refuse(self, status: str, message: str = "no", *headers: str) -> None:
        self.answer(json.dumps({"error": {"message": message}}), *headers, status=status, kind="application/json")

    def body(self, *contents: Any, finish: bool | Any = True, whole: Any = None, **more: Any) -> str:
        """Write an answer as the protocol has it: its pieces as events of a stream, or joined.

        `whole` is the content where it is no text; `finish` is whether it ends, or the reason; `more` are members.
        """
        joined = whole if whole is not None else "".join(map(str, contents))
        if self.streams:
            pieces = contents or ((joined,) if joined is not None else ())
            return "".join((*map(self.event, pieces), self.end(finish, **more) if finish else ""))
        reason = self.reason(finish)
        if self.protocol == "openai":
            message = {"role": "assistant", "content": joined}
            choice = {"index": 0, "message": message, "finish_reason": reason}
            value = {"id": "1", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice]}
        else:
            blocks = [{"type": "text", "text": joined}] if isinstance(joined, str) else joined
            value = {"id": "1", "type": "message", "role": "assistant", "model": MODEL, "content": blocks}
            value |= {"stop_reason": reason, "usage": {"input_tokens": 1, "output_tokens": 1}}
        return json.dumps(value | more)

    def reason(self, finish: Any) -> Any:
        return ("stop" if self.protocol == "openai" else "end_turn") if finish is True else finish

    def event(self, content: Any) -> str:
        """Write one piece of a reply as an event."""
        if self.protocol == "openai":
            return sse({"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": None}]} | _HEAD)
        delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": content}}
        return sse(delta, "content_block_delta")

    def end(self, finish: Any = True, *, done: bool = True, **more: Any) -> str:
        """Write the events that end a reply."""
        if self.protocol == "openai":
            choice = {"index": 0, "delta": {}, "finish_reason": self.reason(finish)}
            return sse({"choices": [choice]} | _HEAD | more) + ("data: [DONE]\n\n" if done else "")
        fields = {"type": "message_delta", "delta": {"stop_reason": self.reason(finish)}, "usage": {"output_tokens": 1}}
        return sse(fields | more, "message_delta") + (sse({"type": "message_stop"}, "message_stop") if done else "")


_HEAD = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}


def sse(value: Any, event: str | None = None) -> str:
    """Write one server-sent event."""
    return (f"event: {event}\n" if event else "") + f"data: {json.dumps(value)}\n\n"


class AttackServer:
    """A server that lets `serve` write the answer of each request; `elsewhere` is another one, which nobody may ask."""

    def __init__(self, serve: Callable[[Wire], None], *, pieces: int = 4096, inner: bool = False) -> None:
        self.serve, self.pieces = serve, pieces
        self.requests: list[str] = []
        self.stopping = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.elsewhere: AttackServer = self if inner else AttackServer(_say_nothing, inner=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        if self.elsewhere is not self:
            self.elsewhere.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        if self.elsewhere is not self:
            self.elsewhere.__exit__()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._handle, args=(connection,), daemon=True).start()

    def _handle(self, connection: socket.socket) -> None:
        with suppress(OSError, ValueError), connection:
            head, _, body = _read_until(connection, b"\r\n\r\n")
            lines: Sequence[str] = head.decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
            while len(body) < int(headers.get("content-length", 0)):
                body += connection.recv(65536)
            path = lines[0].split(" ")[1]
            self.requests.append(path)
            self.serve(Wire(connection, self, path, json.loads(body or b"{}")))
            connection.shutdown(socket.SHUT_WR)


def _read_until(connection: socket.socket, mark: bytes) -> tuple[bytes, bytes, bytes]:
    data = b""
    while mark not in data:
        received = connection.recv(65536)
        if not received:
            raise ValueError("no request came")
        data += received
    return data.partition(mark)


def _say_nothing(wire: Wire) -> None:
    wire.refuse("400 Bad Request", "nobody was to come here")
