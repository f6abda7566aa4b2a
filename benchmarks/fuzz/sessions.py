"""Logs of sessions, and of their outcomes, into every command and tool that reads them.

A log that is damaged is refused by its seals alone, which would hide what reads it: so most inputs are sealed anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from symops_lark.code_intelligence import Session, Workspace
from symops_lark.code_intelligence.gate.sealed_lines import Seals

from .calls import Target, call

_ID = "0123456789abcdef" * 2
_ROOT = b"/the-root"  # in examples: each input has a folder of its own
_TREE = {
    "auth/service.py": "class AuthService:\n    def login(self):\n        raise LoginError('login failed')\n",
    "auth/errors.py": "class LoginError(Exception):\n    pass\n",
    "app.py": "from auth.service import AuthService\n\nAuthService().login()\n",
}
_REQUEST = "AuthService raises login failed for the right password, so fix it"
_SLOTS = {
    "target_feature": {"value": "AuthService", "quote": "AuthService"},
    "observed_issue": {"value": "login failed", "quote": "login failed"},
}
_EVIDENCE = {"tool": "search_text", "params": {"patterns": ["login failed"]}, "result": "auth/service.py"}
_UNDERSTANDING: dict[str, Any] = {
    "symbols_identified": ["AuthService", "LoginError", "login"],
    "files_analyzed": ["auth/service.py", "auth/errors.py"],
    "resolved_frame": {"observed_issue": "login failed"},
    "slot_evidence": {"observed_issue": _EVIDENCE},
}
_EDIT = b"::edit @auth/service.py >app.py\n<<<\nx = 1\n>>>\n::create @auth/new.py\n<<<\ny\n>>>\n::run @make\n"
_ALL = ("--session", _ID)
_COMMANDS: Sequence[tuple[tuple[str, ...], bytes]] = (
    (("gate", "status", _ID), b""),
    (("gate", "status", _ID, "--json"), b""),
    (("gate", "why", _ID), b""),
    (("gate", "why", _ID, "--json"), b""),
    (("gate", "why"), b""),
    (("gate", "look", _ID, "app.py", "auth/errors.py"), b""),
    (("gate", "check-write", _ID, "auth/service.py", "auth/new.py", "app.py"), b""),
    (("gate", "check-write", _ID, "auth/service.py", "--json"), b""),
    (("gate", "outcome", _ID, "failure", "--slot", "observed_issue"), b""),
    (("gate", "submit", _ID), json.dumps(_UNDERSTANDING).encode()),
    (("gate", "submit", _ID, "--as", "understanding"), json.dumps(_UNDERSTANDING).encode()),
    (("gate", "submit", _ID, "--as", "frame"), json.dumps({"frame": _SLOTS}).encode()),
    (("gate", "submit", _ID, "--as", "verification"), b"{}"),
    (("gate", "submit", _ID, "--as", "revert"), b"{}"),
    (("code", "definitions", "LoginError", *_ALL), b""),
    (("code", "text", "login failed", *_ALL), b""),
    (("code", "semantic", "login", *_ALL, "--json"), b""),
    (("plan", "-", *_ALL), _EDIT),
    (("plan", "-", "--json", *_ALL), _EDIT),
    (("apply", "-", "-y", "--no-run", *_ALL), _EDIT),
)
_CALLS: Sequence[tuple[str, dict[str, Any]]] = (
    ("get_session_status", {}),
    ("submit_understanding", _UNDERSTANDING),
    ("submit_semantic", {"hypotheses": [{"symbol": "login", "evidence": {"tool": "semantic_search"}}]}),
    ("submit_verification", {"verified": [{"slot": "observed_issue", "evidence": _EVIDENCE}]}),
    ("update_slot", {"slot": "observed_issue", "value": "login failed", "evidence": _EVIDENCE}),
    ("search_text", {"patterns": ["login failed"]}),
    ("find_definitions", {"symbol": "AuthService"}),
    ("check_write_target", {"path": "auth/service.py"}),
    ("record_outcome", {"outcome": "partial"}),
    ("why", {}),
)


@contextmanager
def _home(folder: Path) -> Iterator[None]:
    """Let state and caches be in a folder of their own."""
    names = ("XDG_STATE_HOME", "XDG_CACHE_HOME")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update({name: str(folder / name) for name in names})
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            os.environ.update({name: value} if value is not None else {})


def _build(root: Path) -> Path:
    for name, text in _TREE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def _explore(session: Session) -> None:
    session.set_query_frame(_SLOTS)
    for symbol in ("AuthService", "LoginError", "login"):
        session.find_definitions(symbol)
        session.find_references(symbol)
    session.search_text(["login failed"])


@cache
def _logs() -> Sequence[bytes]:
    """Return the logs of sessions that became READY, and that went through hypotheses, and their outcomes; unsealed."""
    with TemporaryDirectory() as folder, _home(Path(folder) / "home"):
        workspace = Workspace(_build(Path(folder) / "tree"))
        ready = workspace.start_session(_REQUEST, "INVESTIGATE")
        _explore(ready)
        ready.submit_understanding(**_UNDERSTANDING)
        ready.check_write_target("auth/service.py")
        ready.record_outcome("failure", "observed_issue", "it was the other one")
        guessed = workspace.start_session("fix it", "MODIFY")
        _explore(guessed)
        guessed.submit_understanding(**_UNDERSTANDING, semantic_reason="architecture_unknown")
        guessed.semantic_search("login", reason="architecture_unknown")
        evidence = {"tool": "semantic_search", "params": {"query": "login"}}
        guessed.submit_semantic([{"symbol": "login", "evidence": evidence}])
        datas = [workspace.outcomes.path.read_bytes()]
        for session in (ready, guessed):
            events = [{key: item[key] for key in item if key != "seal"} for item in session.log]
            text = b"\n".join(json.dumps(event).encode() for event in events) + b"\n"
            datas.append(text.replace(workspace.root.encode(), _ROOT).replace(session.id.encode(), _ID.encode()))
        return datas


def _seal(data: bytes) -> bytes:
    """Return lines as this user's program writes them, as far as they are objects."""
    seals = Seals("log", make=True)
    lines = data.removesuffix(b"\n").split(b"\n")
    return b"".join(seals.seal(line) if line[:1] == b"{" and line[-1:] == b"}" else line + b"\n" for line in lines)


def _put(path: Path, data: bytes, draws: Random) -> None:
    """Let a file hold an input, or something that is no file stand in its place."""
    match draws.randrange(40):
        case 0:
            path.mkdir()
        case 1:
            os.mkfifo(path)
        case 2:
            path.symlink_to("/dev/zero")
        case 3:
            path.symlink_to(path.name)
        case 4:
            path.write_bytes(data[:-1] + b" " * 2_000_000)
        case _:
            path.write_bytes(data)


def _run(data: bytes, place: Path, draws: Random) -> tuple[str, str]:
    with _home(place / "home"):
        workspace = Workspace(_build(place / "tree"))
        state = workspace.folder.parent.parent
        workspace.folder.mkdir(parents=True, mode=0o700)
        state.chmod(0o700)
        if draws.random() < 0.15:
            (state / "journal.key").mkdir()  # so that there is none
        is_log = b'"start"' in data[:200]
        log = (data if is_log else _logs()[1 + draws.randrange(2)]).replace(_ROOT, workspace.root.encode())
        log = _seal(log) if draws.random() < 0.8 or not is_log else log
        _put(workspace.folder / f"{_ID}.jsonl", log, draws if is_log else Random(1))
        if not is_log:
            _put(workspace.outcomes.path, data, draws)
        if draws.random() < 0.4:
            return _call(workspace, draws)
        chosen, inputs = draws.choice(_COMMANDS)
        return call((*chosen, "--root", workspace.root), inputs)


def _call(workspace: Workspace, draws: Random) -> tuple[str, str]:
    """Let the server answer a call; a refusal is an answer."""
    from symops_lark.code_intelligence.server.answers import Desk

    name, inputs = draws.choice(_CALLS)
    answer = Desk(workspace).answer(name, {"session_id": _ID, **inputs})
    json.dumps(answer)
    return f"serve: {name}", str(answer["message"]) if answer.get("reason_code") == "internal_error" else ""


SESSIONS = {
    "session-log": Target(
        _logs,
        _run,
        (b'"call"', b'"set"', b'"phase": "READY"', b'"level": "off"', b'"\\ud800"', b"null", b"[]", b"{}", b"9" * 5000),
    )
}
