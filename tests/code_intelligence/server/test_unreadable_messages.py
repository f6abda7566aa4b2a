"""Over standard input every message is answered, also one that no server could read, and the next one too."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import environment
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.ground.json_text import replace_halves, spell_json

pytestmark = pytest.mark.slow


class Spoken:
    """A server to speak to, line by line, whose input stays open."""

    def __init__(self, root: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "symops_lark", "serve", "--root", str(root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )
        client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        assert "result" in self.ask(self.message(1, "initialize", client))

    @staticmethod
    def message(number: int, method: str, parameters: dict[str, Any]) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}).encode()

    def ask(self, line: bytes) -> dict[str, Any]:
        """Return the answer to a line; an end of the server is an error here, and silence a hanging test."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def end(self) -> bytes:
        self.process.kill()
        return self.process.communicate()[1]


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spoken]:
    server = Spoken(tmp_path_factory.mktemp("project"))
    yield server
    assert b"Traceback" not in server.end()


def call(number: int, query: bytes) -> bytes:
    return Spoken.message(number, "tools/call", {"name": "start_session", "arguments": {"query": "QUERY"}}).replace(
        b"QUERY", query
    )


@pytest.mark.parametrize(
    "query",
    [
        rb"a \ud800 b",
        rb"\uDFFF",
        rb"\ud800\ud800",
        rb"\udc00\ud800",
        b"a \xff b",
        b"\xed\xa0\x80",
        b"\xc3",
        b"\xf0\x9f",
    ],
)
def test_a_text_that_is_none_is_answered_with_an_error(spoken: Spoken, query: bytes) -> None:
    answer = spoken.ask(call(7, query))
    assert (answer["id"], answer["error"]["code"]) == (7, -32700)
    assert "UTF-8" in answer["error"]["message"] or "surrogate" in answer["error"]["message"]
    following = spoken.ask(call(8, "Warum ist 🙂 langsam?".encode()))
    assert following["id"] == 8 and not following["result"]["isError"]


ODD_IDS = (b"1.5", b"1.0", b"null", b"[1]", b"{}", b"true")


@pytest.mark.parametrize(
    ("line", "number", "code"),
    [
        (b"{", None, -32700),
        (b"\xff", None, -32700),
        (b'"\\ud800"', None, -32700),
        (b"[" * 100_000, None, -32700),
        (b"null", None, -32600),
        (b"[]", None, -32600),
        (b'{"id": 77}', 77, -32600),
        (b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', None, -32700),
        (b'{"jsonrpc": "2.0", "id": true, "method": 5}', None, -32600),
        (b'{"jsonrpc": "1.0", "id": 8, "method": "ping"}', 8, -32600),
        (b'{"jsonrpc": "1.0", "id": 1.5, "method": "ping"}', None, -32600),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "ping", "params": "x"}', "a", -32600),
        (b'{"jsonrpc": "2.0", "id": 11, "method": "ping", "params": [1]}', 11, -32600),
        (b'{"jsonrpc": "2.0", "id": 10, "method": 5}', 10, -32600),
        *((b'{"jsonrpc": "2.0", "id": %s, "method": "ping"}' % odd, None, -32600) for odd in ODD_IDS),
    ],
)
def test_what_is_no_message_is_answered_with_an_error(
    spoken: Spoken, line: bytes, number: int | str | None, code: int
) -> None:
    answer = spoken.ask(line)
    assert (answer["id"], answer["error"]["code"]) == (number, code)
    assert spoken.ask(call(9, b"Why?"))["id"] == 9


@pytest.mark.parametrize("times", [1, 3])
def test_interrupts_end_a_server_whose_client_holds_on(tmp_path: Path, times: int) -> None:
    server = Spoken(tmp_path)
    for _ in range(times):
        os.kill(server.process.pid, signal.SIGINT)
        time.sleep(0.05)
    server.process.wait(15)
    assert b"Traceback" not in server.end()


# ---- answers

JSON = st.recursive(
    st.text(st.characters()) | st.integers() | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(), max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON)
def test_no_answer_holds_half_a_pair(value: Any) -> None:
    """The name of a file may hold some: an answer with one would end the server."""
    replaced = replace_halves(value)
    json.dumps(replaced, ensure_ascii=False).encode("utf-8")
    if "\\ud" not in spell_json(value):
        assert replaced == value
