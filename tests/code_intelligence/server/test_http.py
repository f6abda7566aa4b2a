"""Over HTTP the server answers whoever knows its token, by its own name, and nobody else; a kill loses no session."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import anyio
import pytest
from command_line import environment, run_python
from mcp.client import Client
from mcp_clients import ERAS, ask, http_client, over_http

from symops_lark.code_intelligence.server import http as module
from symops_lark.core.ground.errors import SymOpsError

TOKEN = "a-token-of-the-tests"
ACCEPT = "application/json, text/event-stream"
PING = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
PING["params"] |= {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}  # type: ignore[operator]


@contextmanager
def serving(root: Path, port: int = 0, token: str = TOKEN) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "symops_lark", "serve", "--http", "--port", str(port), "--root", str(root)]
    message = environment(SYMOPS_TOKEN=token)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=message)
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        assert url, process.stderr and process.stderr.read()
        head, _, output = process.stdout.readline().strip().rpartition(" ")
        assert head == "Authorization: Bearer"
        # A token of the environment is a secret, and another one cannot be known otherwise.
        assert output == "$SYMOPS_TOKEN" if token else len(output) >= module.LEAST_TOKEN
        yield process, url
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def url(tmp_path_factory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("project")) as (_, address):
        yield address


def _port(url: str) -> int:
    return int(url.rpartition(":")[2].partition("/")[0])


def _post(url: str, body: bytes = json.dumps(PING).encode(), **headers: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", _port(url), timeout=20)
    usual = {"Accept": ACCEPT, "Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
    sent = {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}
    try:
        connection.request("POST", "/mcp", body, {name: value for name, value in sent.items() if value})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


@pytest.mark.slow
def test_who_has_the_token_is_answered(url):
    assert _post(url)[0] == 200
    assert _post(url, Host=f"localhost:{_port(url)}")[0] == 200
    assert _post(url, Origin=f"http://127.0.0.1:{_port(url)}")[0] == 200


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("Authorization", "", 401),
        ("Authorization", "Bearer", 401),
        ("Authorization", "Bearer " + TOKEN[:-1], 401),
        ("Authorization", "Bearer " + TOKEN + "x", 401),
        ("Authorization", "Basic " + TOKEN, 401),
        ("Authorization", TOKEN, 401),
        ("Host", "evil.example", 421),
        ("Host", "evil.example:{port}", 421),
        ("Host", "127.0.0.1", 421),
        ("Host", "127.0.0.1:1", 421),
        ("Host", "127.0.0.1.evil.example:{port}", 421),
        ("Origin", "http://evil.example", 403),
        ("Origin", "https://127.0.0.1:{port}", 403),
        ("Origin", "http://127.0.0.1:1", 403),
        ("Origin", "http://localhost:{port}.evil.example", 403),
        ("Origin", "null", 403),
        ("Content_Type", "text/plain", 400),
    ],
)
def test_nobody_else_is(url, header, value, status):
    got, text = _post(url, **{header: value.format(port=_port(url))})
    assert got == status and "serverInfo" not in text


@pytest.mark.parametrize("method", ["GET", "DELETE", "OPTIONS", "PUT", "HEAD"])
def test_other_ways_of_asking_want_the_token_too(url, method):
    connection = HTTPConnection("127.0.0.1", _port(url), timeout=20)
    connection.request(method, "/mcp")
    assert connection.getresponse().status == 401
    connection.close()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"jsonrpc": "2.0"}', b"\xff", b"[" * 10_000])
def test_what_is_no_request_is_refused_and_the_next_is_answered(url, body):
    status, text = _post(url, body)
    assert 400 <= status < 500 and "Traceback" not in text
    assert _post(url)[0] == 200


def test_clients_that_go_away_harm_nobody(url):
    """Half a head, half a body, and a whole request whose answer nobody reads."""
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{_port(url)}\r\nAuthorization: Bearer {TOKEN}\r\n"
    head += f"Accept: {ACCEPT}\r\nContent-Type: application/json\r\n"
    body = json.dumps(PING)
    whole_text = f"{head}Content-Length: {len(body)}\r\n\r\n{body}"
    for sent in (head, f"{head}Content-Length: 900\r\n\r\n{body[:20]}", whole_text):
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", _port(url))) as connection:
                connection.sendall(sent.encode())
    assert _post(url)[0] == 200


def test_a_request_that_is_too_large_is_refused(url):
    assert _post(url, b" " * (module.MOST_BYTES + 1))[0] == 413


@pytest.mark.slow
@pytest.mark.parametrize("mode", ERAS)
def test_sessions_of_clients_are_not_mixed(url, mode):
    """Many clients at once, all over one another: each is told of its own request."""

    async def be_one(number: int, sessions: dict[int, str]) -> None:
        async with http_client(url, TOKEN, mode) as client:
            answer = await ask(client, "start_session", query=f"Why is part {number} slow?", intent="question")
            for _ in range(3):
                status = await ask(client, "get_session_status", session_id=answer["session_id"])
                assert status["frame"]["raw_query"] == f"Why is part {number} slow?"
            sessions[number] = answer["session_id"]

    async def be_many() -> dict[int, str]:
        sessions: dict[int, str] = {}
        async with anyio.create_task_group() as group:
            for number in range(8):
                group.start_soon(be_one, number, sessions)
        return sessions

    by_client = anyio.run(be_many)
    assert len(set(by_client.values())) == 8


@pytest.mark.slow
def test_a_server_that_is_killed_in_the_middle_goes_on_when_it_is_started_again(tmp_path):
    (tmp_path / "a.py").write_text("def begin():\n    return 1\n")

    async def begin(client: Client) -> str:
        session = str((await ask(client, "start_session", query="Change begin to return 2"))["session_id"])
        assert (await ask(client, "add_explored_files", session_id=session, paths=["a.py"]))["ok"]
        return session

    async def go_on(session: str, client: Client) -> Any:
        return await ask(client, "get_session_status", session_id=session)

    with serving(tmp_path) as (process, url):
        session = over_http(url, TOKEN, begin)
        process.kill()
        process.wait()
    with serving(tmp_path, _port(url)) as (_, repeated):
        assert repeated == url
        status = over_http(url, TOKEN, partial(go_on, session))
    assert status["explored_files"] == ["a.py"] and status["frame"]["raw_query"] == "Change begin to return 2"


@pytest.mark.parametrize(
    "token", ["short", "a token with blanks in it", "ein-schlüssel-mit-umlaut", "with-a-bell\a-in-it-"]
)
def test_a_token_that_will_not_do_is_refused(token, monkeypatch):
    monkeypatch.setenv(module.TOKEN, token)
    with pytest.raises(SymOpsError, match="SYMOPS_TOKEN must be 16 or more"):
        module.chosen_token()


def test_a_token_is_drawn_anew_where_none_is_told(monkeypatch):
    monkeypatch.delenv(module.TOKEN, raising=False)
    assert len({module.chosen_token() for _ in range(20)}) == 20
    assert all(len(module.chosen_token()) >= module.LEAST_TOKEN for _ in range(20))


@pytest.mark.slow
def test_a_bad_token_ends_the_command_with_a_message(tmp_path):
    done = run_python("serve", "--http", "--port", "0", "--root", str(tmp_path), SYMOPS_TOKEN="short")
    assert done.returncode == 2 and b"SYMOPS_TOKEN" in done.stderr and not done.stdout


@pytest.mark.slow
def test_a_port_that_is_taken_is_told(url, tmp_path):
    done = run_python("serve", "--http", "--port", str(_port(url)), "--root", str(tmp_path))
    assert done.returncode == 2 and f"port {_port(url)}".encode() in done.stderr


@pytest.mark.slow
def test_without_a_token_in_the_environment_a_new_one_is_printed(tmp_path: Path) -> None:
    with serving(tmp_path, token="") as (_, address):
        assert _post(address)[0] == 401, "the server does not take the token of another one"
