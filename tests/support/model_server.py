"""A server on loopback that speaks the protocols of OpenAI (chat completions) and Anthropic (messages), by a script.

    with model_server(["a reply", Failure(429), Answer("a reply", finish="length")]) as server:
        model = load_model("vllm", "any", base_url=server.url)
        ...
        assert server.requests[0].prompt == "Hello."

The same address serves both protocols, streaming and not, with and without keys. Whoever makes the model call a custom
tool gets the reply as the tool's input.
"""

from __future__ import annotations

import json
import os
import select
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "served-model"
FINISHES = {
    "openai": {"stop": "stop", "length": "length", "refused": "content_filter"},
    "anthropic": {"stop": "end_turn", "length": "max_tokens", "refused": "refusal"},
}


@dataclass(frozen=True)
class Answer:
    """A reply, and what happens to it after `at` characters, if anything.

    `fault` is "cut" (the connection breaks), "end" (the stream ends as if all were well, without a finish reason),
    "garble" (broken JSON), "error" (an error that the protocol reports in the middle of a stream) or "hold" (nothing
    more comes until the client hangs up); "late" breaks the connection of a stream after the finish reason. `finish` is
    "stop", "length", "refused" or a word of the protocol's own; "refusal" is Anthropic's finish reason, and OpenAI's
    message that has a refusal instead of a content.
    """

    text: str
    finish: str = "stop"
    usage: tuple[int, int] | None = (7, 5)
    chunk_size: int = 4
    fault: str | None = None
    at: int = 0


@dataclass(frozen=True)
class Failure:
    """An answer with an error status; clients that are willing to try again wait `retry_after` seconds."""

    status: int = 500
    message: str = "it does not work"
    retry_after: float | None = 0.01


@dataclass(frozen=True)
class Page:
    """A page of the web instead of an answer."""

    html: str


@dataclass
class Request:
    """What a client sent; `hung_up` is set when it closes the connection before the whole reply was sent."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    hung_up: threading.Event = field(default_factory=threading.Event)

    @property
    def protocol(self) -> str:
        return "anthropic" if self.path.endswith("/messages") else "openai"

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])

    @property
    def prompt(self) -> str:
        """The last message."""
        return str(self.messages[-1]["content"])

    @property
    def tool(self) -> str | None:
        """The custom tool that the reply must be said to, if there is one."""
        choice = self.body.get("tool_choice")
        return str(choice["custom"]["name"]) if isinstance(choice, dict) and choice["type"] == "custom" else None

    @property
    def key(self) -> str:
        return self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")


Line = str | Answer | Failure | Page
Script = Sequence[Line | Callable[[Request], Line]]


class ModelServer(ThreadingHTTPServer):
    """The server; `requests` are all that came, in order."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, script: Script, key: str | None, refuses: Sequence[str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script, self.key, self.refuses = script, key, refuses
        self.requests: list[Request] = []
        self.stopping = threading.Event()
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients hang up: that is what they are tested for."""

    def line_for(self, request: Request) -> Line:
        with self.lock:
            turn = len(self.requests)
            self.requests.append(request)
        if self.key is not None and request.key != self.key:
            return Failure(401, f"Incorrect API key provided: {request.key}.")
        if unknown := next((name for name in self.refuses if name in request.body), None):
            return Failure(400, f"Unsupported parameter: '{unknown}'; use max_completion_tokens or nothing.")
        if turn >= len(self.script):
            return Failure(400, f"the script has {len(self.script)} lines, and request {turn + 1} came")
        line = self.script[turn]
        return line(request) if callable(line) else line


@contextmanager
def model_server(script: Script, *, key: str | None = None, refuses: Sequence[str] = ()) -> Iterator[ModelServer]:
    """Serve a script, one line a request; `key` is the only one that is let in, `refuses` names unknown parameters."""
    server = ModelServer(script, key, refuses)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    before = {name: os.environ.get(name) for name in ("NO_PROXY", "no_proxy")}
    os.environ.update(dict.fromkeys(before, "127.0.0.1,localhost"))
    try:
        yield server
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        server.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet."""

    def do_POST(self) -> None:
        self.close_connection = True
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked = Request(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        if not self.path.endswith(("/chat/completions", "/messages")):
            self.send_json(404, {"error": {"message": f"no such address: {self.path}"}})
            return
        line = self.server.line_for(self.asked)
        if isinstance(line, Failure):
            error = {"type": "error", "error": {"message": line.message, "type": "some_error"}}
            self.send_json(line.status, error, line.retry_after)
            return
        if isinstance(line, Page):
            self.send(200, line.html.encode(), kind="text/html")
            return
        answer = Answer(line) if isinstance(line, str) else line
        try:
            if body.get("stream"):
                self.stream(answer)
            else:
                self.answer_whole(answer)
        except ConnectionError:
            self.asked.hung_up.set()

    # ---- not streaming

    def answer_whole(self, answer: Answer) -> None:
        if answer.fault == "hold":
            self.hold()
            return
        finish = FINISHES[self.asked.protocol].get(answer.finish, answer.finish)
        value: dict[str, Any]
        if answer.fault == "error":
            value = {"error": {"message": "the provider broke off", "code": 502}}
        elif self.asked.protocol == "openai":
            message: dict[str, Any] = {"role": "assistant", "content": answer.text}
            if self.asked.tool is not None:
                call = {"id": "c1", "type": "custom", "custom": {"name": self.asked.tool, "input": answer.text}}
                message = {"role": "assistant", "content": None, "tool_calls": [call]}
                finish = "tool_calls" if finish == "stop" else finish
            if answer.finish == "refusal":
                message, finish = {"role": "assistant", "content": None, "refusal": answer.text}, "stop"
            value = {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": MODEL,
                "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            }
            if answer.usage:
                value["usage"] = openai_usage(answer.usage)
        else:
            value = {
                "id": "1",
                "type": "message",
                "role": "assistant",
                "model": MODEL,
                "stop_sequence": None,
                "content": [{"type": "text", "text": answer.text}],
                "stop_reason": finish,
            }
            if answer.usage:
                value["usage"] = dict(zip(("input_tokens", "output_tokens"), answer.usage, strict=True))
        self.send_json(200, value, fault=answer.fault)

    def send_json(self, status: int, value: Any, retry_after: float | None = None, fault: str | None = None) -> None:
        data = json.dumps(value).encode()
        self.send(status, data[: len(data) // 2] if fault == "garble" else data, retry_after, fault)

    def send(
        self,
        status: int,
        data: bytes,
        retry_after: float | None = None,
        fault: str | None = None,
        kind: str = "application/json",
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        if retry_after is not None:
            self.send_header("Retry-After", str(retry_after))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if fault == "cut" else data)

    # ---- streaming

    def stream(self, answer: Answer) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        self.end_headers()
        said = answer.text if answer.fault in (None, "late") else answer.text[: answer.at]
        pieces = [said[i : i + answer.chunk_size] for i in range(0, len(said), answer.chunk_size)]
        events = self.openai_events(answer, pieces) if self.asked.protocol == "openai" else _events(answer, pieces)
        for event in events:
            self.send_chunk(event)
        if answer.fault == "hold":
            self.hold()
        elif answer.fault in ("cut", "late"):
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            if answer.fault == "garble":
                self.send_chunk('event: content_block_delta\ndata: {"choices": [{"del\n\n')
            if answer.fault == "error":
                error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
                self.send_chunk(sse(error, "error" if self.asked.protocol == "anthropic" else None))
            self.wfile.write(b"0\r\n\r\n")

    def openai_events(self, answer: Answer, pieces: Sequence[str]) -> Iterator[str]:
        def part(text: str) -> dict[str, Any]:
            if self.asked.tool is None:
                return {"refusal" if answer.finish == "refusal" else "content": text}
            return {"tool_calls": [{"index": 0, "type": "custom", "custom": {"input": text}}]}

        def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
            return sse({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

        head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}
        yield ": a comment, as OpenRouter sends them\n\n"
        yield chunk({"role": "assistant", "content": ""})
        if self.asked.tool is not None:
            call = {"index": 0, "id": "c1", "type": "custom", "custom": {"name": self.asked.tool, "input": ""}}
            yield chunk({"tool_calls": [call]})
        for piece in pieces:
            yield chunk(part(piece))
        if answer.fault in (None, "late"):
            finish = "stop" if answer.finish == "refusal" else answer.finish
            finish = "tool_calls" if self.asked.tool is not None and finish == "stop" else finish
            yield chunk({}, FINISHES["openai"].get(finish, finish))
        if answer.fault is None:
            if answer.usage and self.asked.body.get("stream_options", {}).get("include_usage"):
                yield sse({**head, "choices": [], "usage": openai_usage(answer.usage)})
            yield "data: [DONE]\n\n"

    def send_chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def hold(self) -> None:
        """Say nothing until the client hangs up, or the test is over."""
        while not self.server.stopping.is_set():
            readable, _, _ = select.select([self.connection], [], [], 0.05)
            if readable:
                data = b""
                with suppress(OSError):
                    data = self.connection.recv(1024)
                if not data:
                    self.asked.hung_up.set()
                    return


def sse(value: dict[str, Any], event: str | None = None) -> str:
    """Write one server-sent event."""
    return (f"event: {event}\n" if event else "") + f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


def openai_usage(usage: tuple[int, int]) -> dict[str, int]:
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}


def _events(answer: Answer, pieces: Sequence[str]) -> Iterator[str]:
    """Write a reply as Anthropic streams it."""

    def event(type: str, **values: Any) -> str:
        return sse({"type": type, **values}, type)

    tokens_in, tokens_out = answer.usage or (0, 0)
    message: dict[str, Any] = {
        "id": "1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": tokens_in, "output_tokens": 1},
    }
    yield event("message_start", message=message)
    yield event("ping")
    yield event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    for piece in pieces:
        yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
    if answer.fault in (None, "late"):
        yield event("content_block_stop", index=0)
        finish = FINISHES["anthropic"].get(answer.finish, answer.finish)
        yield event(
            "message_delta", delta={"stop_reason": finish, "stop_sequence": None}, usage={"output_tokens": tokens_out}
        )
    if answer.fault is None:
        yield event("message_stop")
