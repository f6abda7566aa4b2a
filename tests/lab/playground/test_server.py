"""The server of the playground lets in whoever knows its address, and nobody is harmed by what they ask."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playground_server import serving

from symops_lark.lab.playground import server as module
from symops_lark.lab.playground.answers import MOST_GRAMMARS, Answers, QuestionError
from symops_lark.lab.playground.server import HOST, MOST_AT_ONCE, MOST_BYTES, Server, page

FORBIDDEN_WORDS = ("Traceback", 'File "')


@pytest.fixture(scope="module")
def answers() -> Answers:
    created = Answers()
    created.answer("open", V2)
    return created


@pytest.fixture
def server(answers: Answers) -> Iterator[Server]:
    with serving(answers) as running:
        yield running


def request(server: Server, method: str, path: str, body: str | bytes | None = None, **headers: str) -> tuple[int, str]:
    """Return the status and the body; `path` stands behind the token."""
    table = {name.replace("_", "-"): value for name, value in headers.items()}
    connection = HTTPConnection(HOST, server.port, timeout=60)
    connection.request(method, f"/{server.token}/{path}", body, table)
    response = connection.getresponse()
    return response.status, response.read().decode()


def ask(server: Server, question: str, told: object = (), **headers: str) -> tuple[int, Any]:
    status, text = request(
        server, "POST", f"ask/{question}", json.dumps(dict(told) if told == () else told), **JSON | headers
    )
    return status, json.loads(text) if status == 200 else text


JSON = {"Content_Type": "application/json"}
V2 = {"dialect": "v2", "grammar": None}


@pytest.mark.slow
def test_the_page_has_no_source_but_itself(server: Server) -> None:
    assert {"index.html", "page.js", "style.css", "worker.js"} <= page().keys()
    for name in page():
        status, text = request(server, "GET", "" if name == "index.html" else name)
        assert (status, text) == (200, page()[name].decode())
        matches = set(re.findall(r"(?:https?:)?//[\w.]+\.\w+", re.sub(r"(?m)^\s*//.*$", "", text)))
        assert matches <= {"http://www.w3.org"}, name  # SVG's name space
        assert not re.search(r"\bon\w+=|<style|style=|javascript:|\beval\(|new Function|innerHTML =", text), name
    assert all(
        tag == ' type="module" src="page.js"' for tag in re.findall(r"<script([^>]*)>", page()["index.html"].decode())
    )


@pytest.mark.slow
def test_every_answer_forbids_what_the_page_does_not_need(server: Server) -> None:
    for path in ("", "page.js", "nothing"):
        connection = HTTPConnection(HOST, server.port, timeout=20)
        connection.request("GET", f"/{server.token}/{path}")
        response = connection.getresponse()
        policy = response.getheader("Content-Security-Policy") or ""
        assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert response.getheader("Referrer-Policy") == "no-referrer"
        assert response.getheader("X-Content-Type-Options") == "nosniff"
        assert response.getheader("Access-Control-Allow-Origin") is None


@pytest.mark.parametrize(
    "path",
    ["/", "/page.js", "//", "/{short}/", "/{token}x/", "/{token}", "/{token}/../", "/{token}/%2e%2e/", "/x/{token}/"],
)
def test_without_the_token_there_is_nothing(server: Server, path: str) -> None:
    connection = HTTPConnection(HOST, server.port, timeout=20)
    connection.putrequest("GET", path.format(token=server.token, short=server.token[:-1]))
    connection.endheaders()
    response = connection.getresponse()
    assert response.status == 404 and len(response.read()) < 40


def test_no_two_servers_have_one_token(answers: Answers) -> None:
    with Server(answers) as first, Server(answers) as second:
        assert first.token != second.token and len(first.token) >= 32
        assert first.server_address[0] == second.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("Host", "evil.example", 421),
        ("Host", "evil.example:{port}", 421),
        ("Host", "127.0.0.1", 421),
        ("Host", "127.0.0.1:1", 421),
        ("Host", "", 421),
        ("Host", "localhost:{port}", 200),
        ("Origin", "http://evil.example", 403),
        ("Origin", "null", 403),
        ("Origin", "http://127.0.0.1:1", 403),
        ("Origin", "https://127.0.0.1:{port}", 403),
        ("Origin", "http://127.0.0.1:{port}", 200),
        ("Sec-Fetch-Site", "cross-site", 403),
        ("Sec-Fetch-Site", "same-site", 403),
        ("Sec-Fetch-Site", "same-origin", 200),
    ],
)
def test_other_pages_are_not_let_in(server: Server, name: str, value: str, status: int) -> None:
    """Also not a name of somebody's that leads to this machine: it is said as `Host`."""
    header = {name.replace("-", "_"): value.format(port=server.port)}
    assert request(server, "GET", "", **header)[0] == status
    assert ask(server, "setup", **header)[0] == status


def test_a_host_is_named_once(server: Server) -> None:
    connection = HTTPConnection(HOST, server.port, timeout=20)
    connection.putrequest("GET", f"/{server.token}/", skip_host=True)
    connection.putheader("Host", f"127.0.0.1:{server.port}")
    connection.putheader("Host", "evil.example")
    connection.endheaders()
    assert connection.getresponse().status == 421


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"{}", {"Content_Type": "text/plain"}, 415),
        (b"{}", {"Content_Type": "application/x-www-form-urlencoded"}, 415),
        (b"{}", {"Content_Length": "-1"}, 411),
        (b"{}", {"Content_Length": "x"}, 411),
        (b"{}", {"Content_Length": "\u0662".encode().decode("latin-1")}, 411),
        (b"{}", {"Transfer_Encoding": "chunked"}, 411),
        (b"{}", {"Content_Length": str(MOST_BYTES + 1)}, 413),
        (b"{}", {"Content_Length": "9" * 5000}, 413),
        (b"", {}, 400),
        (b"{", {}, 400),
        (b"[]", {}, 400),
        (b"\xff\xfe{", {}, 400),
        (b"[" * 100_000, {}, 400),
        (b'{"a":' * 100_000, {}, 400),
        (b'{"dialect": "v2", "grammar": 1}', {}, 400),
        (b'{"dialect": "../../etc/passwd"}', {}, 400),
        (b'{"dialect": "/etc/passwd.lark", "grammar": ""}', {}, 400),
    ],
)
def test_what_is_no_question_is_refused(server: Server, body: bytes, headers: dict[str, str], status: int) -> None:
    got, text = request(server, "POST", "ask/open", body, **JSON | headers)
    assert got == status and not any(word in text for word in FORBIDDEN_WORDS)
    assert ask(server, "setup")[0] == 200


@pytest.mark.parametrize("path", ["ask/nothing", "ask/__init__", "ask/", "page.js", "ask/open/"])
def test_there_are_no_other_questions(server: Server, path: str) -> None:
    assert request(server, "POST", path, "{}", **JSON)[0] == 400


@pytest.mark.parametrize(
    "path", ["../server.py", "..%2fserver.py", "parsers/", "parsers/../page.js", "style.css?", "ask/setup"]
)
def test_there_are_no_other_files(server: Server, path: str) -> None:
    assert request(server, "GET", path)[0] == 404


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\0" * 100,
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n",
        b"DELETE / HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused(server: Server, sent: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_connection((HOST, server.port), 20) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        try:
            received = connection.recv(1000)
        except ConnectionResetError:
            received = b""
    assert b"200" not in received.split(b"\r\n")[0]
    assert ask(server, "setup")[0] == 200
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_request_that_does_not_come_makes_room(
    server: Server, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module.Handler, "timeout", 0.3)
    monkeypatch.setattr(module.Handler, "head_seconds", 0.3)
    with ThreadPoolExecutor(1) as pool:
        slow = [socket.create_connection((HOST, server.port), 20) for _ in range(MOST_AT_ONCE)]
        head = f"POST /{server.token}/ask/setup HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        head += "Content-Type: application/json\r\n"
        for number, item in enumerate(slow):  # some stop in the head, some in the question
            item.sendall((head + ("" if number % 2 else "Content-Length: 10\r\n\r\n{")).encode())
        result = pool.submit(lambda: [item.recv(100) for item in slow]).result(20)
    assert all(b"200" not in answer for answer in result) and any(b"408" in answer for answer in result)
    for item in slow:
        item.close()
    assert ask(server, "setup")[0] == 200
    assert capfd.readouterr().err == ""


def test_there_are_not_too_many_at_once(server: Server) -> None:
    waiting = [socket.create_connection((HOST, server.port), 20) for _ in range(MOST_AT_ONCE)]
    for item in waiting:
        item.sendall(b"GET ")
    with socket.create_connection((HOST, server.port), 20) as one_more, suppress(ConnectionResetError):
        assert one_more.recv(10) == b""
    for item in waiting:
        item.close()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(("text", "step", "kinds", "seed", "sample", "marks"))
GOOD = {
    "text": st.just("::run @ls\n"),
    "step": st.just(3),
    "kinds": st.just(["missing-sigil"]),
    "seed": st.just(1),
    "sample": st.just("change"),
    "marks": st.just({"_ACTION": "%%"}),
}


@given(
    st.sampled_from(("open", "read", "write", "derive")), st.fixed_dictionaries(GOOD), st.dictionaries(NAMES, VALUES)
)
def test_whatever_is_asked_is_answered_or_refused(
    answers: Answers, question: str, good: dict[str, Any], odd: dict[str, Any]
) -> None:
    try:
        answer = answers.answer(question, {**V2, **good, **odd})
    except QuestionError as error:
        assert odd and str(error).partition(":")[0] in odd
    else:
        assert json.loads(json.dumps(answer)) and ("error" not in answer or answer["error"]["message"])


@pytest.mark.slow
def test_two_pages_do_not_touch_each_other(server: Server) -> None:
    """Each is answered for its own grammar, whatever the other one asks meanwhile."""
    _, created = ask(server, "derive", {**V2, "marks": {"_ACTION": "%%"}})
    texts = {None: "::run @ls\n", created["grammar"]: "%%run @ls\n"}

    def strict(grammar: str | None, text: str) -> bool:
        status, answer = ask(server, "read", {"dialect": "v2", "grammar": grammar, "text": text, "step": 1})
        assert status == 200
        return "document" in answer["parse"]

    rows = [(grammar, text) for grammar in texts for text in texts.values()] * 6
    with ThreadPoolExecutor(6) as pool:
        result = list(pool.map(strict, *zip(*rows, strict=True)))
    assert result == [texts[grammar] == text for grammar, text in rows]


@pytest.mark.slow
def test_only_the_last_grammars_are_kept(answers: Answers) -> None:
    [first] = [answers.answer("open", V2)]
    name = first["module"].removeprefix("parsers/")
    assert "export const process" in (answers.module(name) or "")
    for number in range(MOST_GRAMMARS):
        assert "error" not in answers.answer("open", {**V2, "grammar": f"{first['grammar']}\n// {number}\n"})
    assert answers.module(name) is None
    assert answers.answer("open", V2)["module"] == first["module"]
