"""Files that may hold secrets by their names: no tool shows their text, and nothing of it is kept on a disk."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from hostile import HARMLESS, PROTECTED

from symops_lark.acting.files.protected import is_protected
from symops_lark.acting.plan.policy import Policy, protects
from symops_lark.code_intelligence import Workspace
from symops_lark.code_intelligence.index import Index
from symops_lark.code_intelligence.index.storage import place_of
from symops_lark.code_intelligence.server.answers import Desk

MARK = "leak7f3a"  # one word for every index
TEXT = f"def {MARK}(): return '{MARK}'\nAPI_KEY={MARK}\n"
OPEN = "open9c1b"
PATHS = [path for path in PROTECTED if len(path) < 60]
ASKED: dict[str, list[dict[str, Any]]] = {
    "query": [{"text": f"{MARK} {OPEN}"}],
    "get_symbols": [{"path": "."}],
    "analyze_structure": [{}],
    "search_text": [{"patterns": [MARK[:5]]}, {"patterns": ["(?i)LEAK|API_KEY"], "regex": True}],
    "search_files": [{"pattern": "*", "limit": 200}],
    "find_definitions": [{"symbol": MARK}],
    "find_references": [{"symbol": MARK}, {"symbol": "API_KEY"}],
    "get_function_at_line": [],
    "semantic_search": [{"query": MARK}],
}
BELOW = ("query", "get_symbols", "analyze_structure", "search_text", "find_definitions", "find_references")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home" / name))
    return tmp_path / "home"


@pytest.fixture
def tree(tmp_path: Path, home: Path) -> Path:
    root = tmp_path / "tree"
    for path in (*PATHS, *HARMLESS, "app.py"):
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(TEXT if path in PATHS else f"def {OPEN}(): pass\n")
    return root


def ask_all(root: Path, path: str, **settings: Any) -> Iterator[dict[str, Any]]:
    """Yield the answers of all tools of the server, about everything and about one file."""
    desk = Desk(Workspace(root, **settings))
    session = desk.answer("start_session", {"query": f"fix {MARK[:4]} of API_KEY", "intent": "MODIFY"})["session_id"]
    for tool, questions in ASKED.items():
        for question in (
            *questions,
            *({**single_question, "path": path} for single_question in questions if tool in BELOW),
        ):
            yield desk.answer(tool, {"session_id": session, **question})
    yield desk.answer("get_function_at_line", {"session_id": session, "path": path, "line": 1})
    yield desk.answer("add_explored_files", {"session_id": session, "paths": [path, f"./{path}", "app.py"]})
    yield desk.answer("check_write_target", {"session_id": session, "path": path})
    yield desk.answer("get_session_status", {"session_id": session})
    yield desk.answer("why", {"session_id": session})


def on_disk(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file())


def test_there_is_one_list() -> None:
    """Law: what plans refuse is not shown, and what they do not refuse is."""
    for path in (*PROTECTED, *HARMLESS, "app.py", "a/b/environment.py"):
        assert is_protected(path) is bool(protects(path, Policy()))
        assert is_protected(path, ("*",)) is bool(protects(path, Policy(allow=("*",)))) is False


@pytest.mark.parametrize("path", [".env", "ID_RSA", ".ssh/config", "prod.tfvars"])
def test_no_tool_shows_the_text_of_a_protected_file(tree: Path, home: Path, path: str) -> None:
    answers = list(ask_all(tree, path))
    for answer in answers:
        items = [item for item in answer.get("items", ()) if isinstance(item, dict)]
        assert not any(MARK in json.dumps(item) for item in items), answer
    assert any(item["path"] == path for answer in answers for item in answer.get("items", ())), "its name is listed"
    assert any(item["path"] == "app.py" and OPEN in str(item) for answer in answers for item in answer.get("items", ()))
    notes = " ".join(note for answer in answers for note in answer.get("notes", ()))
    assert "may hold secrets, so its text is not shown" in notes
    opened = next(answer for answer in answers if answer.get("reason_code") == "protected" and "missing" in answer)
    assert [answer["reason_code"] for answer in opened["missing"]["files"]] == ["protected"] * 2
    assert [item["path"] for item in opened["items"]] == ["app.py"] and "--allow" in opened["message"]


def test_nothing_of_a_protected_file_is_kept_on_a_disk(tree: Path, home: Path) -> None:
    """Neither in the index, nor in the log of a session: no text, no hash of it."""
    desk = Desk(Workspace(tree))
    session = desk.answer("start_session", {"query": "fix the server", "intent": "MODIFY"})["session_id"]
    request = (
        ("search_files", {"pattern": "*", "limit": 200}),
        ("query", {"text": OPEN}),
        ("get_symbols", {"path": "."}),
    )
    for tool, question in request:
        desk.answer(tool, {"session_id": session, **question})
    desk.answer("add_explored_files", {"session_id": session, "paths": PATHS[:20]})
    saved = on_disk(home)
    assert OPEN.encode() in saved and MARK.encode() not in saved
    for algorithm in ("sha256", "sha1", "md5"):
        assert hashlib.new(algorithm, TEXT.encode()).hexdigest().encode() not in saved
    assert hashlib.blake2b(TEXT.encode(), digest_size=16).digest() not in saved


def test_an_allowed_file_is_shown_and_still_not_kept_in_the_index(tree: Path, home: Path) -> None:
    desk = Desk(Workspace(tree, allow=(".env", "*.pem")))
    session = desk.answer("start_session", {"query": "fix the server", "intent": "MODIFY"})["session_id"]
    answer = desk.answer("search_text", {"session_id": session, "patterns": [MARK]})
    assert {".env", ".ENV", "a/.env", "server.pem", "KEY.PEM"} == {item["path"] for item in answer["items"]}
    assert desk.answer("search_text", {"session_id": session, "patterns": [MARK], "path": ".env"})["shown"] == 2
    opened = desk.answer("add_explored_files", {"session_id": session, "paths": [".env", "id_rsa"]})
    assert [item["text"] for item in opened["items"]] == [TEXT] and opened["reason_code"] == "protected"
    for path in (home / "XDG_CACHE_HOME").rglob("*"):
        assert not path.is_file() or MARK.encode() not in path.read_bytes(), path
    assert desk.answer("find_definitions", {"session_id": session, "symbol": MARK})["shown"] == 0


def test_an_index_of_an_older_version_is_made_anew(tree: Path, home: Path) -> None:
    """An index that an older version made holds such texts: it is removed, not updated."""
    place = place_of(os.path.realpath(tree))
    assert place is not None
    with Index.open(tree).reading():
        pass
    with sqlite3.connect(place) as database:
        database.execute("PRAGMA user_version = 1")
        database.execute("INSERT INTO words(rowid, text) VALUES(99999, ?)", (MARK,))
    database.close()
    assert MARK.encode() in on_disk(home)
    with Index.open(tree).reading():
        pass
    assert MARK.encode() not in on_disk(home)


def test_a_list_that_has_grown_is_followed(tree: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = Index.open(tree)
    with index.reading() as database:
        assert database.execute("SELECT count(*) FROM words WHERE words MATCH ?", (OPEN,)).fetchone()[0] > 0
    monkeypatch.setattr("symops_lark.code_intelligence.index.index._way_of_reading", lambda: "another")
    monkeypatch.setattr("symops_lark.code_intelligence.index.file_reading.is_protected", lambda path: True)
    with Index.open(tree).reading() as database:
        assert database.execute("SELECT count(*) FROM words WHERE words MATCH ?", (OPEN,)).fetchone()[0] == 0


def test_a_link_to_a_protected_file_is_not_followed(tree: Path) -> None:
    (tree / "notes.txt").symlink_to(".env")
    (tree / "open").symlink_to(".ssh")
    desk = Desk(Workspace(tree))
    session = desk.answer("start_session", {"query": "fix the server", "intent": "MODIFY"})["session_id"]
    texts = ["notes.txt", "open/config", "a/../.env"]
    opened = desk.answer("add_explored_files", {"session_id": session, "paths": texts})
    assert not opened["items"] and len(opened["missing"]["files"]) == 3
    assert desk.answer("search_text", {"session_id": session, "patterns": [MARK]})["items"] == []


def test_files_that_are_ignored_are_not_opened_either(tree: Path) -> None:
    (tree / ".gitignore").write_text(".env\n*.pem\n")
    desk = Desk(Workspace(tree))
    session = desk.answer("start_session", {"query": "fix the server", "intent": "MODIFY"})["session_id"]
    opened = desk.answer("add_explored_files", {"session_id": session, "paths": [".env", ".Env", "server.pem"]})
    assert not opened["items"] and [file["reason_code"] for file in opened["missing"]["files"]] == ["protected"] * 3


def test_a_file_that_was_only_listed_is_not_looked_at(tree: Path) -> None:
    workspace = Workspace(tree)
    session = workspace.start_session("fix the server", "MODIFY")
    assert ".env" in session.search_files(".env")["files"]
    assert ".env" not in session.state.explored and "app.py" not in session.state.explored


def test_commands_show_no_text_either(tree: Path, home: Path) -> None:
    for arguments in (
        ("text", MARK),
        ("text", MARK, "--in", ".env"),
        ("query", MARK),
        ("definitions", MARK),
        ("references", MARK),
        ("symbols", "."),
        ("symbols", ".env"),
        ("structure", ".env"),
        ("semantic", MARK),
        ("files", ".env"),
        ("at", ".env", "1"),
    ):
        for item in ((), ("--json",)):
            done = run("code", *arguments, "--root", str(tree), *item)
            assert "return" not in done.output and "API_KEY=" not in done.output, arguments
            assert done.exit_code in (0, 1, 2)
    listed = run("code", "files", ".env", "--root", str(tree)).output
    assert ".env  left out: it may hold secrets" in listed and ".env.example" in listed
    output = run("code", "text", "API_KEY", "--root", str(tree), "--allow", ".env").output
    assert f".env:2:1  API_KEY={MARK}" in output
    session = Workspace(tree).start_session("fix the server", "MODIFY")
    refused = run("gate", "look", session.id, ".env", "--root", str(tree))
    assert refused.exit_code == 1 and "[protected]" in refused.output
    assert run("gate", "look", session.id, ".env", "--root", str(tree), "--allow", ".env").exit_code == 0


def test_a_prompt_names_a_protected_file_and_shows_no_text(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    (tree / "notes.txt").symlink_to(".env")
    for name in (".env", "./.ENV", str(tree / "id_rsa"), "notes.txt"):
        done = run("prompt", "-c", name, "-c", "app.py", "fix it")
        assert done.exit_code == 0 and MARK not in done.output and OPEN in done.output
        assert "it may hold secrets, so it is not shown" in done.stderr and name in done.stdout
    assert MARK in run("prompt", "-c", ".env", "--allow", ".env", "fix it").stdout
    output = run("ask", "-p", "command", "--command", "cat", "-c", ".env", "--attempts", "0", "fix it")
    assert MARK not in output.output and "it may hold secrets" in output.stderr


def test_a_plan_shows_no_text_of_a_protected_file(tree: Path) -> None:
    edit = "::edit @.env\n<<<\nx\n>>>\n::delete @id_rsa\n"
    for item in ((), ("--json",), ("--full-diff",)):
        done = run("plan", "-", "--root", str(tree), *item, stdin=edit)
        assert done.exit_code == 1 and MARK not in done.output and "may hold secrets" in done.output
