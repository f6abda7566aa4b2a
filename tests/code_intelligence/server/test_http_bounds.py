"""Whoever opens connections and says nothing takes down neither server, and fills no log."""

from __future__ import annotations

import json
import logging
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest
from command_line import environment
from half_open import count_open, half_open, room_for_descriptors, seconds_until

from symops_lark.code_intelligence.server.bounds import HEAD_SECONDS, MOST_CONNECTIONS
from symops_lark.core.ground.bounded_log import MAX_CHARACTERS, MAX_LINES, BoundedHandler
from symops_lark.lab.playground.server import Handler

TOKEN = "a-token-of-the-tests"
_DESCRIPTORS = 1024  # that a process may have on most systems
_COMMANDS = {"serve": ("serve", "--http", "--port", "0"), "playground": ("playground",)}
# A server has less time than usual here: these tests do little but wait for its end.
_SECONDS = 2.0
_SHORTEN = {
    "serve": f"from symops_lark.code_intelligence.server import bounds\nbounds.HEAD_SECONDS = {_SECONDS}",
    "playground": f"from symops_lark.lab.playground.server import Handler\nHandler.head_seconds = {_SECONDS}",
}
_START = "\nimport sys\nfrom symops_lark.adapters.cli import main\nsys.exit(main())"
_PING = json.dumps({
    "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    },
})  # fmt: skip

_HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    "Authorization": f"Bearer {TOKEN}",
}


class Served:
    """A server in a process of its own, with as many descriptors as usual, whose log is a file."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self._log = name, folder / "log.txt"
        with open(self._log, "wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _SHORTEN[name] + _START, *_COMMANDS[name]],
                cwd=folder,
                env=environment(SYMOPS_TOKEN=TOKEN),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (_DESCRIPTORS, _DESCRIPTORS)),
            )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        self.port = int(self.address.split("/")[2].rpartition(":")[2])
        self.path = "/" + self.address.split("/", 3)[3]

    def answers(self) -> bool:
        """Return whether a true call is answered."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            if self.name == "serve":
                connection.request("POST", self.path, _PING, _HEADERS)
            else:
                connection.request("GET", self.path)
            return connection.getresponse().status == 200
        except HTTPException:
            return False
        finally:
            connection.close()

    def log(self) -> bytes:
        """Return what it wrote to standard error."""
        return self._log.read_bytes()


@contextmanager
def serving(name: str, folder: Path) -> Iterator[Served]:
    served = Served(name, folder)
    try:
        seconds_until(served.answers, 20)
        yield served
    finally:
        served.process.kill()
        served.process.communicate()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving("serve", tmp_path_factory.mktemp("project")) as server:
        yield server


def check_both(check: Callable[[str], None]) -> None:
    """Check both servers at the same time: most of it is to wait."""
    with ThreadPoolExecutor(len(_COMMANDS)) as pool:
        assert [*pool.map(check, _COMMANDS)] == [None] * len(_COMMANDS)


def test_both_servers_give_a_head_ten_seconds() -> None:
    assert HEAD_SECONDS == Handler.head_seconds == 10.0


@pytest.mark.slow
def test_half_open_connections_take_nothing_down(tmp_path: Path) -> None:
    with room_for_descriptors(2 * 1300):
        check_both(lambda name: check_half_open(name, tmp_path / name))


def check_half_open(name: str, folder: Path) -> None:
    folder.mkdir()
    with serving(name, folder) as served, half_open(served.port, 1300) as connections:
        assert len(connections) > 1000
        took = seconds_until(served.answers, 60)
        assert took < _SECONDS + 3
        time.sleep(_SECONDS + 1)  # the last ones came in as the first ones went
        assert count_open(connections) == 0
        assert served.process.poll() is None
        assert len(served.log()) < 10_000
        assert b"Traceback" not in served.log()


@pytest.mark.slow
def test_a_head_that_arrives_byte_by_byte_has_no_more_time(tmp_path: Path) -> None:
    check_both(lambda name: check_slow_head(name, tmp_path / name))


def check_slow_head(name: str, folder: Path) -> None:
    folder.mkdir()
    with serving(name, folder) as served, half_open(served.port, 1) as [connection]:
        began = time.monotonic()
        with suppress(OSError):
            while time.monotonic() - began < _SECONDS + 5:
                connection.sendall(b"a")
                time.sleep(0.2)
        assert _SECONDS - 1 < time.monotonic() - began < _SECONDS + 3


@pytest.mark.slow
def test_a_second_head_has_its_time_too(served: Served) -> None:
    """On a connection that was answered once, half a head does not wait for ever."""
    connection = HTTPConnection("127.0.0.1", served.port, timeout=30)
    for _ in range(2):
        connection.request("POST", served.path, _PING, _HEADERS)
        response = connection.getresponse()
        assert response.status == 200 and response.read()
    began = time.monotonic()
    assert connection.sock is not None, "it was kept"
    connection.sock.sendall(f"POST {served.path} HT".encode())
    with suppress(ConnectionResetError):
        assert connection.sock.recv(10) == b""
    assert _SECONDS - 1 < time.monotonic() - began < _SECONDS + 3


@pytest.mark.slow
def test_there_are_not_too_many_at_once(served: Served) -> None:
    time.sleep(0.5)  # that of the true call is gone
    with half_open(served.port, MOST_CONNECTIONS) as connections:
        time.sleep(0.5)
        assert count_open(connections) == MOST_CONNECTIONS
        with socket.create_connection(("127.0.0.1", served.port), timeout=5) as one_more:
            assert one_more.recv(100).startswith(b"HTTP/1.1 503 ")
            assert one_more.recv(100) == b""
    assert seconds_until(served.answers, 5) < 2, "they went away, and made room"


@pytest.mark.slow
def test_a_stranger_holds_no_connection(served: Served) -> None:
    """A request without the token is answered, and its connection is closed: idle ones wait a minute."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=5) as connection:
        connection.sendall(b"GET /mcp HTTP/1.1\r\nHost: x\r\n\r\n")
        data = b""
        while piece := connection.recv(1000):
            data += piece
    assert data.startswith(b"HTTP/1.1 401 ")


@pytest.mark.slow
def test_what_is_no_request_fills_no_log(served: Served) -> None:
    for _ in range(500):
        with socket.create_connection(("127.0.0.1", served.port), timeout=5) as connection:
            connection.sendall(b"\x16\x03\x01\x02\x00\x01\r\n\r\n")
            connection.recv(1000)
    assert seconds_until(served.answers, 5) < 2
    assert 0 < len(served.log()) < 10_000


# ---- the log


def test_a_log_writes_a_few_lines_a_minute_and_counts_the_rest(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("symops_lark.core.ground.bounded_log.time.monotonic", lambda: now[0])
    log = logging.Logger("one")
    handler = BoundedHandler()
    log.addHandler(handler)
    for number in range(1000):
        log.warning("line %d", number)
    assert capsys.readouterr().err.splitlines() == [f"line {number}" for number in range(MAX_LINES)]
    now[0] = 61.0
    log.warning("after a minute")
    assert capsys.readouterr().err.splitlines() == [f"{1000 - MAX_LINES} further lines of the log were left out",
                                                    "after a minute"]  # fmt: skip
    for number in range(50):
        log.warning("line %d", number)
    handler.close()
    assert capsys.readouterr().err.splitlines()[-1] == f"{51 - MAX_LINES} further lines of the log were left out"


def test_a_long_record_keeps_its_beginning_and_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    log = logging.Logger("one")
    log.addHandler(BoundedHandler())

    def fall_1(deep: int) -> None:
        fall_2(deep - 1)

    def fall_2(deep: int) -> None:  # two in turn: a traceback shortens what calls itself
        if deep <= 0:
            raise ValueError("the reason")
        fall_1(deep - 1)

    with pytest.raises(ValueError, match="the reason") as caught:
        fall_1(200)
    log.error("the tool failed", exc_info=caught.value)
    errors = capsys.readouterr().err
    assert errors.startswith("the tool failed\n") and errors.endswith("ValueError: the reason\n")
    assert len(errors) < MAX_CHARACTERS + 10
