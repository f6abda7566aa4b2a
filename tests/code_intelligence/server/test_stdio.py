"""Over standard input and output: a whole session by a real client, and nothing but the protocol is written."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from asyncio import CancelledError
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from code_trees import write_tree
from command_line import environment
from mcp.client import Client
from mcp_clients import ERAS, ask, over_stdio

from symops_lark.adapters.cli.code.serve import _is_failure

FILES = {
    "auth/service.py": '''\
"""Login of users."""

from auth.tokens import make_token
from auth.users import find_user


class LoginService:
    def login(self, name, password):
        user = find_user(name)
        if user is None:
            raise LoginError("login failed: no such user")
        return make_token(user)

    def logout(self, token):
        return token.end()


class LoginError(Exception):
    """Raised where a login fails."""
''',
    "auth/tokens.py": "def make_token(user):\n    return f'token of {user}'\n",
    "auth/users.py": "USERS = {}\n\n\ndef find_user(name):\n    return USERS.get(name)\n",
    "web/login_view.py": """\
from auth.service import LoginError, LoginService


def login_view(request):
    try:
        return LoginService().login(request.name, request.password)
    except LoginError:
        return "login failed"
""",
    "web/service.py": "def login_banner():\n    return 'Welcome'\n",
}
REQUEST = "ログイン機能直して"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_tree(tmp_path, FILES)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ERAS)
def test_a_vague_request_is_explored_before_it_writes(project, mode):
    """What the model says is not enough, at any step; what the server showed is."""
    over_stdio(project, _go_all_the_way, mode)


async def _go_all_the_way(client: Client) -> None:
    started = await ask(client, "start_session", query=REQUEST, intent="modify")
    session = started["session_id"]
    assert started["phase"] == "EXPLORATION" and started["risk_level"] == "HIGH"

    async def call(tool: str, **arguments: Any) -> dict[str, Any]:
        return await ask(client, tool, session_id=session, **arguments)

    quoted = {"target_feature": {"value": "ログイン機能", "quote": "ログイン機能"}}
    quoted["desired_action"] = {"value": "直して", "quote": "直して"}
    assert (await call("set_query_frame", frame=json.dumps(quoted)))["ok"]
    invented = {"observed_issue": {"value": "エラーが出る", "quote": "エラーが出る"}}
    assert (await call("set_query_frame", frame={**quoted, **invented}))["reason_code"] == "quote_not_in_query"

    assert (await call("check_write_target", path="auth/service.py"))["reason_code"] == "phase_blocked"
    fields = {
        "symbols_identified": ["LoginService", "LoginError", "login_view", "find_user", "make_token"],
        "entry_points": ["login_view", "LoginService.login"],
        "files_analyzed": ["auth/service.py", "auth/users.py", "auth/tokens.py", "web/login_view.py"],
        "existing_patterns": ["LoginError is raised where a login fails", "login_view answers with a text"],
    }
    evidence = {
        "target_feature": {"tool": "find_definitions", "params": {"symbol": "LoginService"}, "result": "LoginService"},
        "observed_issue": {"tool": "search_text", "params": {"patterns": ["login failed"]}, "result": "login failed"},
    }
    resolved = {"target_feature": "ログイン機能", "observed_issue": "login failed: no such user"}
    claimed = await call("submit_understanding", **fields, resolved_frame=resolved, slot_evidence=evidence)
    gaps = {gap["reason_code"] for gap in claimed["gaps"]}
    assert not claimed["ok"] and {"evidence_not_recorded", "symbol_not_seen", "file_not_explored"} <= gaps
    assert not (await call("check_write_target", path="auth/service.py"))["allowed"]

    result = await call("search_text", patterns='["login failed"]')
    assert {"auth/service.py", "web/login_view.py"} <= set(result["files"]) and result["shown"] == result["total"]
    for symbol in fields["symbols_identified"]:
        assert (await call("find_definitions", symbol=symbol))["total"] == 1
    assert (await call("find_references", symbol="LoginService"))["total"] >= 2
    ready = await call("submit_understanding", **fields, resolved_frame=resolved, slot_evidence=evidence)
    assert ready["ok"] and ready["phase"] == "READY", ready

    assert (await call("check_write_target", path="auth/service.py"))["allowed"]
    twin = await call("check_write_target", path="web/service.py")  # of the same name as one that was looked at
    assert not twin["allowed"] and twin["reason_code"] == "not_explored"
    assert twin["recovery"] == ["add_explored_files", "revert_to_exploration"]
    assert (await call("add_explored_files", paths="web/service.py"))["items"][0]["text"] == FILES["web/service.py"]
    assert (await call("check_write_target", path="web/service.py"))["allowed"]
    for outside in ("../elsewhere.py", "/etc/passwd", ".git/config"):
        assert not (await call("check_write_target", path=outside))["allowed"]
    assert (await call("record_outcome", outcome="success"))["ok"]
    assert (await ask(client, "get_outcome_stats"))["by_outcome"] == {"success": 1}


@pytest.mark.slow
def test_a_session_goes_on_in_the_next_server(project):
    async def begin(client: Client) -> str:
        session = str((await ask(client, "start_session", query=REQUEST))["session_id"])
        await ask(client, "add_explored_files", session_id=session, paths=["auth/users.py"])
        return session

    async def go_on(session: str, client: Client) -> list[str]:
        return list((await ask(client, "get_session_status", session_id=session))["explored_files"])

    assert over_stdio(project, partial(go_on, over_stdio(project, begin))) == ["auth/users.py"]


@pytest.mark.slow
def test_a_server_reads_no_file_before_it_is_asked_for_code(project, monkeypatch, tmp_path_factory):
    """Its start costs nothing in a large folder: the index is made by the first search."""
    cache = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))

    async def begin(client: Client) -> str:
        assert (await client.list_tools()).tools and (await client.list_prompts()).prompts
        session = str((await ask(client, "start_session", query=REQUEST))["session_id"])
        await ask(client, "check_write_target", session_id=session, path="auth/users.py")
        await ask(client, "get_outcome_stats")
        return session

    async def search(session: str, client: Client) -> None:
        await ask(client, "find_definitions", session_id=session, symbol="find_user")

    session = over_stdio(project, begin)
    assert not list(cache.rglob("*.sqlite"))
    over_stdio(project, partial(search, session))
    assert list(cache.rglob("*.sqlite"))


NOISY = """
import logging, os, subprocess, sys
from symops_lark.code_intelligence import Session
from symops_lark.adapters.cli import main
quiet = Session.get_session_status
def noisy(self):
    print("a print of a library")
    sys.stdout.flush()
    os.write(1, b"a write of a library\\n")
    subprocess.run(["echo", "a child's words"])
    logging.getLogger("library").error("a line of a log")
    return quiet(self)
Session.get_session_status = noisy
main()
"""


@pytest.mark.slow
def test_standard_output_carries_the_protocol_alone(project):
    """Whatever libraries print, and whatever nonsense clients send."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    start = {"name": "start_session", "arguments": {"query": REQUEST}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "this is no JSON",
        "[" * 5_000,
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "no/such/method"}),
        json.dumps({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": start}),
        json.dumps({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": 5}}),
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", NOISY, "serve", "--root", str(project)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    process.stdin.write("\n".join(lines) + "\n")
    process.stdin.flush()
    answers: dict[Any, Any] = {}
    while not {1, 2, 3, 4} <= set(answers):
        answer = json.loads(process.stdout.readline())  # each line is a message, whatever else was printed
        assert answer["jsonrpc"] == "2.0"
        answers[answer.get("id")] = answer
    process.stdin.close()
    assert process.stdout.read() == "" and process.wait(20) == 0
    errors = process.stderr.read()
    process.stdout.close()
    process.stderr.close()
    for noise in ("a print of a library", "a write of a library", "a child's words", "a line of a log"):
        assert noise in errors
    assert "error" in answers[2] and "error" in answers[4]
    assert "session_id: " in answers[3]["result"]["content"][0]["text"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_without_a_traceback(project, number):
    process = subprocess.Popen(
        [sys.executable, "-m", "symops_lark", "serve", "--root", str(project)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdin is not None and process.stdout is not None
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    assert b"serverInfo" in process.stdout.readline()
    os.kill(process.pid, number)
    _, errors = process.communicate(timeout=20)
    assert b"Traceback" not in errors


@pytest.mark.parametrize(
    ("error", "is_told"),
    [
        (KeyboardInterrupt(), False),
        (BaseExceptionGroup("tasks", [KeyboardInterrupt(), CancelledError()]), False),
        (BaseExceptionGroup("tasks", [KeyboardInterrupt(), ValueError("broken")]), True),
        (ValueError("broken"), True),
    ],
)
def test_what_an_interrupt_cancels_is_no_failure(error: BaseException, is_told: bool) -> None:
    """Python raises an interrupt at any line: the event loop may be in a task, and logs its end."""
    words = "unhandled exception during asyncio.run() shutdown"
    record = logging.LogRecord("asyncio", logging.ERROR, "", 0, words, None, (type(error), error, None))
    assert _is_failure(record) is is_told


@pytest.mark.slow
def test_without_the_library_it_is_said_what_to_install(project):
    hidden = (
        "import sys; sys.modules |= {'mcp': None, 'mcp_types': None}; from symops_lark.adapters.cli import main; main()"
    )
    command = [sys.executable, "-c", hidden, "serve", "--root", str(project)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=60)
    assert done.returncode == 2 and "pip install 'symops-lark[mcp]'" in done.stderr and "Traceback" not in done.stderr


def test_a_folder_that_is_none_is_told(tmp_path):
    command = [sys.executable, "-m", "symops_lark", "serve", "--root", str(tmp_path / "nothing")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=60)
    assert done.returncode == 2 and "nothing" in done.stderr and "Traceback" not in done.stderr
