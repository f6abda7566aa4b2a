"""The page and its answers over HTTP, only for clients on this machine that have the address.

Invariants: only the loopback interface is bound. A request with another `Host`, from another page,
or with a path that does not begin with the token, is answered with a status and nothing else. The
size of a request, the time that it may take to arrive, and the number of concurrent requests are
limited. Only grammars and the files of the page are read, and no file is written.
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
HEAD_SECONDS = 10.0  # in which the head of a request must arrive
BODY_SECONDS = 30.0  # in which its body must arrive, and its answer must be received
_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
_TEXT = "text/plain; charset=utf-8"
_HEADERS = {
    # Nothing from other servers, and no text that is run as a script.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; worker-src 'self'; "
    "style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class Server(ThreadingHTTPServer):
    """Serves the page to clients that have its address.

    Args:
        answers: An object with the methods `answer` and `module` of `Answers`.
        port: The port; 0 selects a free one.
        handler: The class of the requests.

    Raises:
        OSError: The port cannot be used.
    """

    daemon_threads = True
    request_queue_size = MOST_AT_ONCE
    allow_reuse_address = True

    def __init__(self, answers: Any, port: int = 0, handler: type[Handler] | None = None) -> None:
        self.answers = answers
        self.token = secrets.token_urlsafe(24)
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
        """Answer a request in a new thread, unless there are too many."""
        # A thread of a client that sends nothing would be blocked until its time is over.
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
        """Report errors without a traceback, but not clients that closed their connection."""
        error = sys.exception()
        if not isinstance(error, ConnectionError | TimeoutError):
            print(f"symops: a request failed: {type(error).__name__}: {error}", file=sys.stderr)


class Refused(Exception):
    """A request that is answered with a status, and a reason for the page."""

    def __init__(self, status: HTTPStatus, reason: str = "") -> None:
        self.status = status
        self.reason = reason or status.phrase
        super().__init__(self.reason)


class Handler(BaseHTTPRequestHandler):
    """Answers one request: bounded in size and time, and only for those that may ask."""

    server: Server
    most_bytes = MOST_BYTES
    timeout = BODY_SECONDS
    head_seconds = HEAD_SECONDS
    # The version of Python is nothing that a client must know.
    server_version = "symops-playground"
    sys_version = ""
    error_message_format = "%(code)d %(message)s\n"
    error_content_type = _TEXT

    def setup(self) -> None:
        super().setup()
        self._listen_for(self.head_seconds)

    def _listen_for(self, seconds: float) -> None:
        self._late = Timer(seconds, self._stop_listening)
        self._late.daemon = True
        self._late.start()

    def _stop_listening(self) -> None:
        # The connection may have ended meanwhile.
        with suppress(OSError):
            # Reading ends, so that the thread can answer and finish.
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
            status = refused.status
            kind = _TEXT
            body = f"{refused.reason}\n".encode()
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _inner_path(self) -> str:
        """Return the path after the token; raise `Refused` if the request is not allowed."""
        self.expect_own_host()
        token, slash, inner = self.path.removeprefix("/").partition("/")
        # The time of the comparison does not depend on the token.
        is_known = compare_digest(token.encode("utf-8", "replace"), self.server.token.encode())
        if not is_known or not slash:
            raise Refused(HTTPStatus.NOT_FOUND)
        return inner

    def expect_own_host(self) -> None:
        """Check that a request is for this server, and is not from a page of another origin.

        Raises:
            Refused: It is for another server, or from another page.
        """
        port = self.server.port
        hosts = self.headers.get_all("Host", [])
        # Another name may be that of an attacker, bound to this address (DNS rebinding).
        if hosts not in ([f"{HOST}:{port}"], [f"localhost:{port}"]):
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST)
        origins = self.headers.get_all("Origin", [])
        is_ours = set(origins) <= {f"http://{hosts[0]}"}
        if not is_ours or self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise Refused(HTTPStatus.FORBIDDEN)

    def begin_body(self) -> None:
        """Limit the time for the rest of the request, after its head has arrived."""
        self._late.cancel()
        self._listen_for(self.timeout)

    def _file(self, path: str) -> tuple[str, bytes]:
        path = path or "index.html"
        folder, _, name = path.rpartition("/")
        if folder == "parsers":
            text = self.server.answers.module(name)
            body = text.encode() if text is not None else None
        else:
            body = page().get(path)
        if body is None:
            raise Refused(HTTPStatus.NOT_FOUND)
        return _TYPES[path.rpartition(".")[2]], body

    def _answer(self, path: str) -> tuple[str, bytes]:
        question = self.question()
        try:
            answer = self.server.answers.answer(path.removeprefix("ask/"), question)
        except QuestionError as error:
            raise Refused(HTTPStatus.BAD_REQUEST, str(error)) from None
        except (MemoryError, RecursionError):
            raise Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "this is too much for this machine"
            ) from None
        return "application/json", json.dumps(answer).encode()

    def question(self) -> Mapping[str, Any]:
        """Return the JSON object of a request.

        Raises:
            Refused: The request has no JSON object, is too large, or did not arrive in time.
        """
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or self.headers.get("Transfer-Encoding"):
            raise Refused(HTTPStatus.LENGTH_REQUIRED)
        # Twelve digits at most: converting a long number takes long.
        if len(length) > 12 or int(length) > self.most_bytes:
            raise Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"a question may have {counted(self.most_bytes, 'byte')}",
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
            question = json.loads(data)
        except (ValueError, RecursionError):
            raise Refused(HTTPStatus.BAD_REQUEST, "the question is not JSON") from None
        if not isinstance(question, dict):
            raise Refused(HTTPStatus.BAD_REQUEST, "the question is not a JSON object")
        return question


@cache
def page() -> Mapping[str, bytes]:
    """Return the files of the page by their names."""
    contents = {}
    for file in files(__package__).joinpath("page").iterdir():
        # Other files of the folder are not for the browser.
        if file.name.rpartition(".")[2] in _TYPES:
            contents[file.name] = file.read_bytes()
    return contents
