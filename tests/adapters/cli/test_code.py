"""`symops code`: each command, for people and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from code_trees import write_tree
from command_line import run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(write_tree(tmp_path / "tree"))
    return tmp_path / "tree"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["definitions", "AuthService.login"], "auth/service.py:9:9  method AuthService.login  def login(self, user):"),
        (["references", "decode"], "auth/service.py:3:21  from .tokens import decode"),
        (["text", "-e", "class \\w+Service", "zzz"], "auth/service.py:6:1  class AuthService:"),
        (["structure", "srv"], "1 file, 7 lines, 6 definitions: Go 1"),
        (["symbols", "lib/lib.rs", "--kind", "enum"], "lib/lib.rs:5:6  enum Color  enum Color { Red }"),
        (["files", "*.tsx"], "web/View.tsx  2 lines"),
        (["at", "auth/service.py", "12"], "    12 |             return decode(user)"),
        (["query", "login controller"], "web/app.js:3:14  class LoginController"),
        (["semantic", "login"], "of "),
    ],
)
def test_command_shows_what_is_found(arguments: list[str], expected: str) -> None:
    done = run("code", *arguments)
    assert done.exit_code == 0, done.stderr
    assert expected in done.stdout
    data = json.loads(run("code", *arguments, "--json").stdout)
    assert data["shown"] == len(data["items"]) > 0


def test_nothing_found_and_wrong_questions(tmp_path: Path) -> None:
    assert run("code", "definitions", "nobody").exit_code == 1
    for arguments in (["text", "-e", "("], ["symbols", "../x"], ["definitions", "a", "--root", str(tmp_path / "none")]):
        done = run("code", *arguments)
        assert done.exit_code == 2 and done.stderr.startswith("symops: ") and "Traceback" not in done.stderr
