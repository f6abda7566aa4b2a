"""Planning on a real folder, by the library and by the command: what is seen there, and that nothing changes."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
from command_line import run as symops
from trees import create, delete, document, edit

from symops_lark import parse, plan
from symops_lark.acting.files.entries import Entry, Kind
from symops_lark.acting.files.view import FolderView

# ---- a real folder


def fingerprint(folder: Path) -> dict[str, tuple[int, str]]:
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mtime_ns,
            hashlib.sha256(path.read_bytes() if path.is_file() and not path.is_symlink() else b"").hexdigest(),
        )
        for path in folder.rglob("*")
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("SECRET\n")
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "a.py").write_bytes(b"x = 1\n")
    (root / "a.py").chmod(0o755)
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "src" / "secret.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (root / "dangling").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    return root


def test_view_tells_what_is_there(folder: Path) -> None:
    view = FolderView(folder)
    assert view.look("a.py") == Entry(Kind.FILE, b"x = 1\n", 0o755)
    kinds = {
        "src": "folder",
        "link": "link",
        "link/secret.txt": "link",
        "src/secret.txt": "link",
        "dangling": "link",
        "pipe": "other",
        "no": "missing",
        "no/x": "missing",
        "a.py/x": "missing",
        "x" * 300: "other",
    }
    assert {path: str(view.look(path).kind) for path in kinds} == kinds
    assert all(view.look(path).data is None for path in kinds)
    assert view.names("") == ("a.py", "dangling", "link", "pipe", "src") and view.names("src") == ("secret.txt",)
    assert view.names("link") == view.names("no") == view.names("a.py") == ()
    assert FolderView(folder, max_bytes=3).look("a.py") == Entry(Kind.FILE, None, 0o755)
    for path in ("", "..", "../outside", "/etc/passwd", "a//b", "./a", "a/../b", "a\0b"):
        with pytest.raises(ValueError, match="not a path below a root"):
            view.look(path)


def test_view_without_handles_tells_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = ["a.py", "src", "link", "link/secret.txt", "src/secret.txt", "pipe", "no/x", "a.py/x"]
    expected = [FolderView(folder).look(path) for path in paths], FolderView(folder).names("src")
    monkeypatch.setattr("symops_lark.acting.files.view._BY_HANDLE", False)
    assert ([FolderView(folder).look(path) for path in paths], FolderView(folder).names("src")) == expected


def test_links_of_a_real_folder_are_not_followed(folder: Path) -> None:
    before = fingerprint(folder.parent)
    for path in ("link/secret.txt", "src/secret.txt", "link/new.txt", "dangling", "link"):
        for action in (create(path), edit(path, "x"), delete(path)):
            planned_changes = plan(document(action), FolderView(folder))
            assert [finding.code for finding in planned_changes.conflicts] == [
                "link-on-the-way"
            ] and not planned_changes.changes
            assert "SECRET" not in json.dumps(planned_changes.to_dict())
    assert fingerprint(folder.parent) == before


# ---- the command

REPLY = "::create @b.py >a.py\n<<<\ny = 1\n>>>\n\n::edit @a.py\n<<<\nx = 2\n>>>\n\n::run @pytest -q\n"


def test_command_shows_the_plan_and_changes_nothing(folder: Path) -> None:
    before = fingerprint(folder.parent)
    finished = symops("plan", "--root", str(folder), stdin=REPLY)
    assert finished.exit_code == 0, finished.output
    for part in (
        "<stdin>: possible, 2 by itself, 1 to ask about",
        "1. replace a.py: auto (action 2)",
        "-x = 1",
        "+x = 2",
        "2. create b.py: auto (action 1, after action 2)",
        "--- nothing",
        "3. run pytest -q: ask",
        "ask       a command is run",
    ):
        assert part in finished.stdout
    assert fingerprint(folder.parent) == before and "\x1b" not in finished.stdout


def test_command_draws_conflicts(folder: Path) -> None:
    reply = "::delete @nowhere.py\n::create @../x\n<<<\n>>>\n::edit @link/secret.txt\n<<<\nx\n>>>\n::delete @.env\n"
    finished = symops("plan", "--root", str(folder), stdin=reply)
    assert finished.exit_code == 1
    for part in (
        "not possible, 1 refused, 3 conflicts",
        "<stdin>:1:1: error: nowhere.py does not exist",
        "[unsafe-path]",
        "[link-on-the-way]",
        "| ^^^^",
        "delete .env: refuse",
        "hint: ",
    ):
        assert part in finished.stdout
    allowed = symops("plan", "--root", str(folder), "--allow", ".env", stdin="::create @.env\n<<<\nK=1\n>>>\n")
    assert allowed.exit_code == 0 and "1 by itself" in allowed.stdout


def test_command_as_json_and_from_json(folder: Path) -> None:
    data = json.loads(symops("plan", "--root", str(folder), "--json", stdin=REPLY).stdout)
    assert data == plan(parse(REPLY, "v2"), FolderView(folder)).to_dict()
    repeated_finished = symops("plan", "--root", str(folder), "--json", stdin=json.dumps(parse(REPLY, "v2").to_dict()))
    assert json.loads(repeated_finished.stdout) == data
    run_alone = symops("plan", "--root", str(folder), "--allow-command", "pytest*", stdin=REPLY)
    assert "3. run pytest -q: auto" in run_alone.stdout


def test_command_tells_what_is_doubtful_about_the_reading(folder: Path) -> None:
    finished = symops("plan", "--root", str(folder), stdin="::create @b.py\n<<<\ny\n>>>\n::create\n")
    assert "[early-close]" in finished.stdout


def test_command_with_wrong_arguments(folder: Path) -> None:
    assert symops("plan", "--root", str(folder / "no"), stdin=REPLY).exit_code == 2
    assert symops("plan", "--root", str(folder / "a.py"), stdin=REPLY).exit_code == 2
    assert symops("plan", "no-such-file.txt").exit_code == 2
    assert symops("plan", "--root", str(folder), stdin="Hello there.\n").exit_code == 1


def test_command_shows_hidden_characters_and_odd_files(folder: Path) -> None:
    (folder / "old.bin").write_bytes(b"\xff\x00")
    reply = (
        "::create @x.py\n<<<\nif x:\u202e\x1b[2J\n>>>\n::create @y.py\n<<<\n>>>\n::delete @old.bin\n"
        "::edit @a.py\n<<<\n@@ -1 +1 @@\n-x = 1\n+x = 2\n\\ No newline at end of file\n>>>\n"
    )
    output = symops("plan", "--root", str(folder), stdin=reply).stdout
    assert "\u202e" not in output and "\x1b" not in output and "an empty file" in output
    assert "3. delete old.bin" in output and "2 bytes that are not text" in output
    assert "\\ No newline at end of file" in output
