"""A server on loopback that speaks the protocols of OpenAI (chat completions) and Anthropic (messages), by a script.

    with model_server(["a reply", Failure(429), Answer("a reply", finish="length")]) as server:
        model = load_model("vllm", "any", base_url=server.url)
        ...
        assert server.requests[0].prompt == "Hello."

The same address serves both protocols, streaming and not, with and without keys. Whoever makes the model call a tool
gets the reply as the tool's input.
"""

from __future__ import annotations

import json
import os
import select
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from model_events import FINISHES, MODEL, sse, write_events, write_tool_use


@dataclass(frozen=True)
class Answer:
    """A reply, and what happens to it after `at` characters, if anything.

    `fault` is "cut" (the connection breaks), "end" (the stream ends as if all were well, without a finish reason),
    "garble" (broken JSON), "error" (an error that the protocol reports in the middle of a stream) or "hold" (nothing
    more comes until the client hangs up); "late" breaks the connection of a stream after the finish reason. `finish` is
    "stop", "length", "refused" or a word of the protocol's own; "refusal" is Anthropic's finish reason, and OpenAI's
    message that has a refusal instead of a content. `spoken` is said beside a tool that must be called; `also` is the
    input of one more call, and `called` the name that is called instead; `calls` is False where none is called. `start`
    is a text before the reply that Anthropic's protocol has in the event with which a text starts. `model` is the name
    of the model that answers.
    """

    text: str
    finish: str = "stop"
    usage: tuple[int, int] | None = (7, 5)
    chunk_size: int = 4
    fault: str | None = None
    at: int = 0
    spoken: str = ""
    also: str | None = None
    called: str | None = None
    calls: bool = True
    start: str = ""
    model: str = MODEL


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
        """The tool that the reply must be said to, if there is one."""
        choice = self.body.get("tool_choice")
        return str(choice.get(self.kind, choice)["name"]) if isinstance(choice, dict) else None

    @property
    def kind(self) -> str:
        """What the protocol calls the tool that must be called: custom, function or tool."""
        return str(self.body.get("tool_choice", {}).get("type"))

    def called(self, answer: Answer) -> list[tuple[str, str]]:
        """Return the names and inputs that an answer calls tools with."""
        if self.tool is None or not answer.calls or answer.finish == "refusal":
            return []
        inputs = [answer.text] if answer.also is None else [answer.text, answer.also]
        return [(answer.called or self.tool, text) for text in inputs]

    @property
    def key(self) -> str:
        return self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")


Called = Sequence[tuple[str, Sequence[str]]]
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
            if called := self.asked.called(answer):
                calls = [self.openai_call(number, name, text) for number, (name, text) in enumerate(called)]
                message = {"role": "assistant", "content": answer.spoken or None, "tool_calls": calls}
                finish = "tool_calls" if finish == "stop" else finish
            if answer.finish == "refusal":
                message, finish = {"role": "assistant", "content": None, "refusal": answer.text}, "stop"
            value = {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": answer.model,
                "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            }
            if answer.usage:
                value["usage"] = openai_usage(answer.usage)
        else:
            value = {
                "id": "1",
                "type": "message",
                "role": "assistant",
                "model": answer.model,
                "stop_sequence": None,
                "content": [{"type": "text", "text": answer.text}],
                "stop_reason": finish,
            }
            if called := self.asked.called(answer):
                spoken = [{"type": "text", "text": answer.spoken}] if answer.spoken else []
                value["content"] = [*spoken, *(write_tool_use(number, *call) for number, call in enumerate(called))]
                value["stop_reason"] = "tool_use" if finish == "end_turn" else finish
            if answer.usage:
                value["usage"] = dict(zip(("input_tokens", "output_tokens"), answer.usage, strict=True))
        self.send_json(200, value, fault=answer.fault)

    def openai_call(self, number: int, name: str, text: str) -> dict[str, Any]:
        place = {"custom": "input", "function": "arguments"}[self.asked.kind]
        return {"id": f"c{number}", "type": self.asked.kind, self.asked.kind: {"name": name, place: text}}

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
        utterance = answer.text if answer.fault in (None, "late") else answer.text[: answer.at]
        pieces = _cut(utterance, answer)
        called = [(name, _cut(text, answer)) for name, text in self.asked.called(replace(answer, text=utterance))]
        events = (self.openai_events if self.asked.protocol == "openai" else write_events)(answer, pieces, called)
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

    def openai_events(self, answer: Answer, pieces: Sequence[str], called: Called) -> Iterator[str]:
        def part(number: int, text: str) -> dict[str, Any]:
            call = self.openai_call(number, "", text)
            inner = {name: value for name, value in call[self.asked.kind].items() if value}
            return {"tool_calls": [{"index": number, "type": self.asked.kind, self.asked.kind: inner}]}

        def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
            return sse({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

        head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": answer.model}
        yield ": a comment, as OpenRouter sends them\n\n"
        yield chunk({"role": "assistant", "content": ""})
        if called and answer.spoken:
            yield chunk({"content": answer.spoken})
        for number, (name, inputs) in enumerate(called):
            yield chunk({"tool_calls": [{"index": number, **self.openai_call(number, name, "")}]})
            for text in inputs:
                yield chunk(part(number, text))
        for piece in () if called else pieces:
            yield chunk({"refusal" if answer.finish == "refusal" else "content": piece})
        if answer.fault in (None, "late"):
            finish = "stop" if answer.finish == "refusal" else answer.finish
            finish = "tool_calls" if called and finish == "stop" else finish
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


def openai_usage(usage: tuple[int, int]) -> dict[str, int]:
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}


def _cut(text: str, answer: Answer) -> list[str]:
    return [text[i : i + answer.chunk_size] for i in range(0, len(text), answer.chunk_size)]
