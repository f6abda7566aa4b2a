"""`symops check --fix`: no file is lost by it. What is written was shown, agreed to, and can be brought back."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from command_line import BROKEN, CRLF, HALF, REPAIRED, environment, run
from hypothesis import HealthCheck, given, settings
from texts import any_text

from symops_lark.adapters.cli.acting.fixing import LEAST_KEPT

PROSE = "# Title\n\nSome words about nothing much.\n\n" * 20
CODE = 'import os\n\n\ndef main() -> None:\n    """Say hello."""\n    print("hello @ home")\n'
CHATTY = PROSE + BROKEN


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def fix(*arguments: str, answers: str = "") -> Result:
    return run("check", "--fix", *arguments, stdin=answers)


# ---- what is no reply stays


@pytest.mark.parametrize("format", ["auto", "v1", "v2", "v2_1", "plain"])
@pytest.mark.parametrize("text", [PROSE, CODE, "", "\n \n", "\ufeff" + CODE, CODE.replace("\n", "\r\n"), "{}", "a"])
def test_a_text_that_says_nothing_is_never_written(folder: Path, text: str, format: str) -> None:
    path = folder / "f"
    path.write_bytes(text.encode())
    result = fix("--yes", "--force", "--format", format, "f")
    assert result.exit_code == 1 and path.read_bytes() == text.encode()
    assert sorted(os.listdir()) == ["f"]
    if text.strip():
        assert "f: not written: it has no section of any dialect" in result.stderr


def test_what_would_be_dropped_for_the_most_part_is_written_by_force_alone(folder: Path) -> None:
    path = folder / "f"
    path.write_text(CHATTY)
    result = fix("--yes", "f")
    assert result.exit_code == 1 and path.read_text() == CHATTY
    assert f"--force writes less than {LEAST_KEPT:.0%}" in result.stderr
    assert f"less than {LEAST_KEPT:.0%}" in " ".join(run("check", "--help").stdout.split())
    data = json.loads(fix("--yes", "--json", "f").stdout)
    assert data["repairs"] == 0 and "--force" in data["refused"] and not data["clean"]
    assert fix("--yes", "--force", "f").exit_code == 0 and path.read_text() == REPAIRED


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(any_text("v2"))
def test_no_file_loses_most_of_its_text(folder: Path, text: str) -> None:
    path = folder / "f"
    path.write_bytes(text.encode("utf-8", "replace"))
    before = path.read_bytes().decode()
    fix("--yes", "f")
    after = path.read_bytes().decode()
    assert len("".join(after.split())) >= LEAST_KEPT * len("".join(before.split()))
    if after != before:
        assert run("undo").exit_code == 0
    assert path.read_bytes().decode() == before


def test_binary_files_and_other_encodings_are_refused(folder: Path) -> None:
    for data in (b"\x89PNG\r\n\x1a\n\0\xff", BROKEN.encode("utf-16"), b"caf\xe9 " + BROKEN.encode()):
        (folder / "f").write_bytes(data)
        result = fix("--yes", "--force", "f")
        assert result.exit_code == 2 and "not UTF-8" in result.stderr and (folder / "f").read_bytes() == data


def test_what_is_no_regular_file_is_refused() -> None:
    os.mkfifo("pipe")
    with subprocess.Popen(["sh", "-c", "printf '%s' \"$TEXT\" > pipe"], env={**os.environ, "TEXT": BROKEN}):
        result = fix("--yes", "pipe")
    assert result.exit_code == 1 and "not a regular file" in result.stderr


def test_read_only_files_are_written_by_force_alone(folder: Path) -> None:
    path = folder / "f"
    path.write_text(BROKEN)
    path.chmod(0o444)
    result = fix("--yes", "f")
    assert result.exit_code == 1 and "read-only" in result.stderr and path.read_text() == BROKEN
    assert fix("--yes", "--force", "f").exit_code == 0
    assert path.read_text() == REPAIRED and stat.S_IMODE(path.stat().st_mode) == 0o444


def test_what_version_control_keeps_is_not_written(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "f").write_text(BROKEN)
    result = fix("--yes", ".git/f")
    assert result.exit_code == 1 and "version control" in result.stderr
    assert (folder / ".git" / "f").read_text() == BROKEN


# ---- consent


@pytest.mark.slow
def test_nothing_is_written_unless_somebody_agrees(folder: Path) -> None:
    path = folder / "f"
    path.write_text(BROKEN)
    silent = fix("f")
    assert silent.exit_code == 1 and "nothing was done, as there was no answer (see --yes)" in silent.stderr
    for answer in ("n\n", "\n", "q\n", "d\nn\n"):
        result = fix("f", answers=answer)
        assert result.exit_code == 1 and path.read_text() == BROKEN
        assert '-::Create "a.py"' in result.stderr and "+::create @a.py" in result.stderr
        assert "% of its text is kept" in result.stderr
    assert fix("f", answers="y\n").exit_code == 0 and path.read_text() == REPAIRED


def test_each_file_is_asked_about(folder: Path) -> None:
    for name in "abc":
        (folder / name).write_text(BROKEN)
    result = fix("a", "b", "c", answers="n\ny\nn\n")
    assert result.exit_code == 1 and result.stderr.count("Make this change?") == 3
    assert [(folder / name).read_text() for name in "abc"] == [BROKEN, REPAIRED, BROKEN]
    assert "b: 6 repairs made, no findings" in result.stdout and "a: 6 repairs made" not in result.stdout
    assert fix("a", "c", answers="a\n").exit_code == 0


@pytest.mark.slow
def test_without_a_terminal_nobody_is_asked() -> None:
    Path("f").write_text(BROKEN)
    command = [sys.executable, "-m", "symops_lark", "check", "--fix", "f"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment())
    assert done.returncode == 1 and b"--yes" in done.stderr and Path("f").read_text() == BROKEN


# ---- and back


def test_what_was_written_can_be_undone(folder: Path) -> None:
    (folder / "sub").mkdir()
    texts = {"a": BROKEN, "sub/b": CRLF.replace("::create", "::Create"), "c": HALF}
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
        (folder / name).chmod(0o640)
    result = fix("--yes", *texts)
    assert "3 files written; `symops undo` restores the state before" in result.stderr
    assert all((folder / name).read_bytes() != text.encode() for name, text in texts.items())
    assert all(stat.S_IMODE((folder / name).stat().st_mode) == 0o640 for name in texts)
    assert b"\r\n" in (folder / "sub/b").read_bytes()
    assert run("undo").exit_code == 0
    assert all((folder / name).read_bytes() == text.encode() for name, text in texts.items())
    assert run("undo").exit_code == 1


def test_files_elsewhere_have_their_journals_in_their_folders(folder: Path) -> None:
    paths = [folder.parent / "one", folder.parent / "two"]
    for path in paths:
        path.mkdir()
        (path / "f").write_text(BROKEN)
    (folder / "f").write_text(BROKEN)
    result = fix("--yes", "f", "../one/f", str(paths[1] / "f"))
    assert result.exit_code == 0 and all((path / "f").read_text() == REPAIRED for path in (*paths, folder))
    for path in paths:
        assert f"`symops undo --root {path}` restores the state before" in result.stderr
        assert run("undo", "--root", str(path)).exit_code == 0 and (path / "f").read_text() == BROKEN
    assert run("undo").exit_code == 0 and (folder / "f").read_text() == BROKEN


def test_links_keep_pointing_to_what_is_written(folder: Path) -> None:
    (folder.parent / "real").write_text(BROKEN)
    (folder / "link").symlink_to("../real")
    assert fix("--yes", "link").exit_code == 0
    assert (folder / "link").is_symlink() and (folder.parent / "real").read_text() == REPAIRED
    assert run("undo", "--root", "..").exit_code == 0 and (folder / "link").read_text() == BROKEN


def test_one_file_under_two_names_is_refused(folder: Path) -> None:
    (folder / "f").write_text(BROKEN)
    (folder / "link").symlink_to("f")
    for names in (("f", "link"), ("f", "./f")):
        result = fix("--yes", *names)
        assert result.exit_code == 2 and "are one file" in result.stderr and (folder / "f").read_text() == BROKEN


def test_a_file_that_somebody_changes_meanwhile_is_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import symops_lark.adapters.cli.acting.check as check

    (folder / "f").write_text(BROKEN)
    write = check._write

    def interfere(*arguments: object) -> None:
        (folder / "f").write_text("mine")
        write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(check, "_write", interfere)
    assert fix("--yes", "f").exit_code == 1 and (folder / "f").read_text() == "mine"


# ---- half a reply


@pytest.mark.parametrize("name", ["f", "-"])
def test_half_a_content_stays_half_a_content(folder: Path, name: str) -> None:
    (folder / "f").write_text(HALF)
    result = fix("--yes", name, answers=HALF)
    text = (folder / "f").read_text() if name == "f" else result.stdout
    assert result.exit_code == 1 and "\n! Truncated @ a.py " in text
    (folder / "again").write_text(text)
    assert run("plan", "again").exit_code == 1 and "TRUNCATED" in run("process", "again").stdout
    assert run("check", "again").exit_code == 1 and run("repair", "again").stdout == text


# ---- the output is the input


@pytest.mark.parametrize(
    "line", ["repair f > f", "repair f >> f", "check --fix - < f > f", "stream < f >> f", "repair <f 1<>f"]
)
def test_an_output_that_is_the_input_is_refused(folder: Path, line: str) -> None:
    (folder / "f").write_text(BROKEN)
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m symops_lark {line}"], capture_output=True, env=environment()
    )
    assert done.returncode == 2 and b"the output goes to this file too" in done.stderr
    assert (folder / "f").read_text() == ("" if " > " in line else BROKEN)


def test_repair_of_prose_fails_and_says_so(folder: Path) -> None:
    for text in (PROSE, CODE):
        result = run("repair", stdin=text)
        assert result.exit_code == 1 and result.stdout == text
        assert "says nothing in any dialect" in result.stderr
        output = run("repair", "--json", stdin=text)
        assert output.exit_code == 1 and json.loads(output.stdout)["text"] == text
        assert run("repair", "--diff", stdin=text).stdout == ""


@pytest.mark.parametrize(
    "more", [("-o", "a.py"), ("--save-reply", "a.py"), ("-o", "x", "--save-reply", "./x"), ("-o", "b.py")]
)
def test_ask_does_not_write_over_what_it_reads(folder: Path, more: tuple[str, ...]) -> None:
    (folder / "a.py").write_text(CODE)
    (folder / "b.py").symlink_to("a.py")
    result = run("ask", "-p", "command", "--command", "echo '>> hi'", "-c", "a.py", *more, "Go.")
    assert result.exit_code == 2 and "both written and read, or written twice" in result.stderr
    assert (folder / "a.py").read_text() == CODE and not (folder / "x").exists()


@pytest.mark.parametrize("here", ["here", "here/.git", "."])
def test_what_version_control_keeps_is_not_written_from_any_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, here: str
) -> None:
    path = folder / ".git/hooks/update"
    path.parent.mkdir(parents=True)
    path.write_text(BROKEN)
    monkeypatch.chdir(folder.parent / here)
    result = fix("--yes", os.path.relpath(path))
    assert result.exit_code == 1 and "keeps it for itself" in result.stderr
    assert path.read_text() == BROKEN and os.listdir(path.parent) == ["update"]
