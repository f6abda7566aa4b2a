"""`symops edit`: what is exact, doubtful and refused, by its output and exit code."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from command_line import run

FILE = "import os\n\nx = 1\ny = 2\nz = 4\n"
DIFF = "@@\n-x = 1\n+x = 3\n"
FUZZY = "@@\n-x = 1  \n+x = 3\n"
WRONG = "@@\n-x = 2\n+x = 3\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.py"
    path.write_text(FILE)
    return path


@pytest.mark.parametrize(
    ("content", "options", "code", "is_written", "words"),
    [
        (DIFF, (), 0, False, "unified diff, line 3"),
        (DIFF, ("--write",), 0, True, "+x = 3"),
        (FUZZY, (), 3, False, "ask: line 3: the file has other blanks at line ends"),
        (FUZZY, ("-y",), 0, False, "other blanks"),
        (FUZZY, ("--write",), 3, False, "other blanks"),
        (FUZZY, ("--write", "-y"), 0, True, "other blanks"),
        (WRONG, ("--write", "-y"), 1, False, ""),
        ("x = 3\n", (), 3, False, "whole text"),
        (FILE, (), 0, False, "has this text already"),
    ],
)
def test_exit_codes(
    file: Path, content: str, options: tuple[str, ...], code: int, is_written: bool, words: str
) -> None:
    done = run("edit", "a.py", *options, stdin=content)
    assert (done.exit_code, words in done.stdout) == (code, True), done.output
    assert file.read_text() == (FILE.replace("x = 1", "x = 3") if is_written else FILE)


def test_a_refusal_says_why_and_what_to_do(file: Path) -> None:
    done = run("edit", "a.py", stdin=WRONG)
    assert (
        done.exit_code == 1 and "none of its lines is in the file" in done.stderr and "quote the lines" in done.stderr
    )


def test_what_was_written_can_be_undone(file: Path) -> None:
    assert run("edit", "a.py", "--write", stdin=DIFF).exit_code == 0
    assert run("undo").exit_code == 0 and file.read_text() == FILE


def test_the_plan_as_json(file: Path) -> None:
    done = run("edit", "a.py", "--json", stdin=DIFF)
    [change] = json.loads(done.stdout)["changes"]
    assert (change["reading"], change["places"], change["decision"]) == ("unified diff", [3], "auto")


def test_a_content_in_a_file_lets_a_person_answer(file: Path) -> None:
    (file.parent / "content").write_text(FUZZY)
    for answer, code in (("n", 3), ("y", 0)):
        assert run("edit", "a.py", "content", "--write", stdin=answer).exit_code == code
    assert "x = 3" in file.read_text()


def test_a_patch_of_several_files_is_written_together(file: Path) -> None:
    (file.parent / "b.py").write_text("y = 1\n")
    patch = f"*** Begin Patch\n*** Update File: a.py\n{DIFF}*** Update File: b.py\n@@\n-y = 1\n+y = 3\n*** End Patch\n"
    assert run("edit", "a.py", "--write", stdin=patch).exit_code == 0
    assert (file.parent / "b.py").read_text() == "y = 3\n"


@pytest.mark.parametrize("name", ["missing.py", "missing/a.py", ".", "a\0.py"])
def test_a_file_that_cannot_be_edited_is_an_error(file: Path, name: str) -> None:
    done = run("edit", name, stdin=DIFF)
    assert done.exit_code in (1, 2) and done.stderr and "Traceback" not in done.stderr


# ---- the same answer from every folder


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (".ssh/config", 1),
        (".aws/credentials", 1),
        (".github/workflows/ci.yml", 3),
        (".git/hooks/pre-commit", 1),
        (".symops/notes", 1),
        (".config/gcloud/a.py", 1),
        ("a.py", 0),
    ],
)
@pytest.mark.parametrize("here", [".", "..", "../other", "src", "BESIDE"])
def test_the_folder_of_the_caller_does_not_change_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: int, here: str
) -> None:
    project = tmp_path / "project"
    path = project / name
    for folder in ("src", "../other"):
        (project / folder).mkdir(parents=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(FILE)
    monkeypatch.chdir(path.parent if here == "BESIDE" else project / here)
    done = run("edit", os.path.relpath(path), "--write", stdin=DIFF)
    assert done.exit_code == code, done.output
    assert (path.read_text() != FILE) is (code == 0)
    assert not code or not (path.parent / ".symops/1").exists()


PARENTS = [".claude/worktrees/f", ".cursor/worktrees/f", ".config/nvim", ".local/share", "credentials", "secrets"]
PARENTS += ["node_modules/x", ".env", "kubeconfig", ".docker/x", ".ssh/x"]


@pytest.mark.parametrize("parent", PARENTS)
@pytest.mark.parametrize("here", [".", "src", "../other"])
def test_names_above_a_working_tree_do_not_change_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parent: str, here: str
) -> None:
    # An outer working tree, as that of a worktree of Git in `.claude`.
    (tmp_path / ".git").mkdir()
    project = tmp_path / parent
    for folder in ("src", "../other", ".ssh", ".github"):
        (project / folder).mkdir(parents=True)
    (project / ".git").touch()
    monkeypatch.chdir(project / here)
    for name, code in (("a.py", 0), ("src/a.py", 0), (".ssh/config", 1), (".github/a.py", 3)):
        (project / name).write_text(FILE)
        done = run("edit", os.path.relpath(project / name), stdin=DIFF)
        assert done.exit_code == code, done.output


def test_without_a_working_tree_names_count_from_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / ".config/home"
    for folder in (home / ".ssh", home / "notes", home / "../other"):
        folder.mkdir(parents=True)
        (folder / "a.py").write_text(FILE)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name, code in (("notes", 0), (".ssh", 1), ("../other", 3)):
        monkeypatch.chdir(home / name)
        assert run("edit", "a.py", stdin=DIFF).exit_code == code, name


def test_hooks_of_a_repository_without_a_git_folder_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("served/objects", "served/refs", "served/hooks", "served/tree", "other"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "served/HEAD").touch()
    # A working tree in it is none of its own files.
    (tmp_path / "served/tree/.git").touch()
    monkeypatch.chdir(tmp_path / "other")
    for name, code in (("hooks/update", 1), ("tree/a.py", 0)):
        (tmp_path / "served" / name).write_text(FILE)
        assert run("edit", f"../served/{name}", "--write", stdin=DIFF).exit_code == code


def test_a_patch_reaches_no_protected_file_beside_the_named_one(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [".config/a.py", ".config/gcloud/b.py"]
    for name in names:
        (file.parent / name).parent.mkdir(exist_ok=True)
        (file.parent / name).write_text(FILE)
    (file.parent / "other").mkdir()
    monkeypatch.chdir(file.parent / "other")
    patch = f"*** Begin Patch\n*** Update File: a.py\n{DIFF}*** Update File: gcloud/b.py\n{DIFF}*** End Patch\n"
    done = run("edit", "../.config/a.py", "--write", "--yes", stdin=patch)
    assert done.exit_code == 1 and "gcloud/b.py may hold secrets" in done.stdout
