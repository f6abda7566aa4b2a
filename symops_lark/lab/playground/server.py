"""The page and its answers over HTTP, for whoever was told the address on this machine, and nobody else.

Laws: only the loopback interface is bound. A request that does not name this server as its `Host`, that another page
makes, or whose path does not begin with the token, is answered with a number and no more. What a request may hold, how
long it may take to arrive, and how many there may be at once is bounded. No file is read but the page's own and
grammars, and none is written.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from socket import SHUT_RD
from threading import BoundedSemaphore, Timer
from typing import Any

from ...core.ground.numbers import counted
from .answers import QuestionError

HOST = "127.0.0.1"
MOST_BYTES = 1_000_000  # of a question
MOST_AT_ONCE = 32
HEAD_SECONDS = 10.0  # that the head of a request may take to arrive
BODY_SECONDS = 30.0  # that its body may take, and its answer to be taken
_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class Server(ThreadingHTTPServer):
    """Serves the page to those who know its address; `port` 0 takes any that is free. Raises `OSError` if it cannot."""

    daemon_threads = True
    request_queue_size = MOST_AT_ONCE
    allow_reuse_address = True

    def __init__(self, answers: Any, port: int = 0, handler: type[Handler] | None = None) -> None:
        self.answers, self.token = answers, secrets.token_urlsafe(24)
        self._free = BoundedSemaphore(MOST_AT_ONCE)
        super().__init__((HOST, port), handler or Handler)

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """The address of the page, with the token."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a request in a thread of its own, unless too many are under way."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a request, and make room for another."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away; whatever else goes wrong is told without a traceback."""
        error = sys.exception()
        if not isinstance(error, ConnectionError | TimeoutError):
            print(f"symops: a request failed: {type(error).__name__}: {error}", file=sys.stderr)


class Refused(Exception):
    """A request that is answered with a status, and a reason for the page."""

    def __init__(self, status: HTTPStatus, reason: str = "") -> None:
        self.status, self.reason = status, reason or status.phrase
        super().__init__(self.reason)


class Handler(BaseHTTPRequestHandler):
    """Answers one request: bounded in size and time, and only for those that may ask."""

    server: Server
    most_bytes = MOST_BYTES
    timeout = BODY_SECONDS
    head_seconds = HEAD_SECONDS
    server_version, sys_version = "symops-playground", ""
    error_message_format, error_content_type = "%(code)d %(message)s\n", "text/plain; charset=utf-8"

    def setup(self) -> None:
        super().setup()
        self._listen_for(self.head_seconds)

    def _listen_for(self, seconds: float) -> None:
        self._late = Timer(seconds, self._stop_listening)
        self._late.daemon = True
        self._late.start()

    def _stop_listening(self) -> None:
        with suppress(OSError):  # it has ended just now
            self.connection.shutdown(SHUT_RD)

    def finish(self) -> None:
        self._late.cancel()
        super().finish()

    def do_GET(self) -> None:
        """Answer with a file."""
        self._respond(self._file)

    def do_POST(self) -> None:
        """Answer a question."""
        self._respond(self._answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log: it would hold the token."""

    def _respond(self, make: Callable[[str], tuple[str, bytes]]) -> None:
        status = HTTPStatus.OK
        self.begin_body()
        try:
            kind, body = make(self._inner_path())
        except Refused as refused:
            status, kind, body = refused.status, "text/plain; charset=utf-8", f"{refused.reason}\n".encode()
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _inner_path(self) -> str:
        """Return the path behind the token, of a request that may ask; raise `Refused` for any other."""
        self.expect_own_host()
        token, slash, inner = self.path.removeprefix("/").partition("/")
        if not compare_digest(token.encode("utf-8", "replace"), self.server.token.encode()) or not slash:
            raise Refused(HTTPStatus.NOT_FOUND)
        return inner

    def expect_own_host(self) -> None:
        """Raise `Refused` for a request that names another server, or that a page of another origin makes."""
        hosts = {f"{name}:{self.server.port}" for name in (HOST, "localhost")}
        named = self.headers.get_all("Host", [])
        if len(named) != 1 or named[0] not in hosts:
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST)
        is_ours = all(origin == f"http://{named[0]}" for origin in self.headers.get_all("Origin", []))
        if not is_ours or self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise Refused(HTTPStatus.FORBIDDEN)

    def begin_body(self) -> None:
        """Bound the time that the rest of the request may take, now that its head is here."""
        self._late.cancel()
        self._listen_for(self.timeout)

    def _file(self, path: str) -> tuple[str, bytes]:
        folder, _, name = path.rpartition("/")
        if folder == "parsers":
            text = self.server.answers.module(name)
            body = text.encode() if text is not None else None
        else:
            body = page().get(path or "index.html")
        if body is None:
            raise Refused(HTTPStatus.NOT_FOUND)
        return _TYPES[(path or "index.html").rpartition(".")[2]], body

    def _answer(self, path: str) -> tuple[str, bytes]:
        told = self.question()
        try:
            answer = self.server.answers.answer(path.removeprefix("ask/"), told)
        except QuestionError as error:
            raise Refused(HTTPStatus.BAD_REQUEST, str(error)) from None
        except (MemoryError, RecursionError):
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "this is too much for this machine") from None
        return "application/json", json.dumps(answer).encode()

    def question(self) -> Mapping[str, Any]:
        """Return the JSON object that a request holds."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or self.headers.get("Transfer-Encoding"):
            raise Refused(HTTPStatus.LENGTH_REQUIRED)
        if len(length) > 12 or int(length) > self.most_bytes:
            raise Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a question may have {counted(self.most_bytes, 'byte')}"
            )
        if self.headers.get_content_type() != "application/json":
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        try:
            data = self.rfile.read(int(length))
        except TimeoutError:
            data = b""
        self._late.cancel()
        if len(data) < int(length):
            raise Refused(HTTPStatus.REQUEST_TIMEOUT)
        try:
            told = json.loads(data)
        except (ValueError, RecursionError):
            raise Refused(HTTPStatus.BAD_REQUEST, "the question is no JSON") from None
        if not isinstance(told, dict):
            raise Refused(HTTPStatus.BAD_REQUEST, "the question is no JSON object")
        return told


@cache
def page() -> Mapping[str, bytes]:
    """Return the files of the page by their names."""
    found = files(__package__).joinpath("page").iterdir()
    return {file.name: file.read_bytes() for file in found if file.name.rpartition(".")[2] in _TYPES}
