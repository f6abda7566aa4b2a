"""What a silent command shows: on a terminal alone, after a while, and one thing at a time."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest
from command_line import run

from symops_lark.adapters.cli import progress, texts
from symops_lark.adapters.cli.acting import check
from symops_lark.adapters.cli.progress import show_progress
from symops_lark.core.ground import resources


class Terminal(io.StringIO):
    """A standard error that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


def shown(terminal: Terminal, patience: float, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(progress, "_PATIENCE", patience)
    monkeypatch.setattr(sys, "stderr", terminal)
    with show_progress("counting", 10) as step:
        step(4, 10)
        end = time.monotonic() + 5
        while patience == 0 and "4/10" not in terminal.getvalue() and time.monotonic() < end:
            time.sleep(0.01)
        with show_progress("something inside"):
            pass
    return terminal.getvalue()


def test_a_terminal_sees_how_far_it_is_and_the_line_is_gone_after(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = shown(terminal, 0, monkeypatch)
    assert "counting" in message and "4/10" in message and "something inside" not in message, "one thing at a time"
    assert "\x1b[2K" in message.rpartition("4/10")[2], "the line is taken away"


def test_what_is_done_in_time_shows_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(terminal, 60, monkeypatch) == ""
    monkeypatch.setenv("TERM", "dumb")
    with show_progress("counting", 10) as step:
        step(4, 10)
    assert terminal.getvalue() == ""


def test_a_pipe_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0)
    for arguments in (("rules", "test", "indented-block"), ("grammar", "diff", "v1", "v1", "-n", "2")):
        done = run(*arguments)
        assert done.exit_code == 0 and done.stderr == "" and "━" not in done.stdout, done.output


def test_a_grammar_that_is_compiled_is_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []

    def announce(what: str) -> object:
        names.append(what)
        return show_progress(what)

    monkeypatch.setattr(resources, "_shows", [announce])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    from symops_lark.core.grammar.compiling.compiler import WrittenDialect

    path = resources.find_folder("grammars") / "v1.lark"
    WrittenDialect(path, path.read_text("utf-8")).table("lalr")
    assert set(names) == {"compiling v1, which is kept"}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.slow
def test_a_real_terminal_sees_it(tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    code = (
        "import time; from symops_lark.adapters.cli import progress; progress._PATIENCE = 0\n"
        "with progress.show_progress('counting', 3) as step:\n    step(2, 3); time.sleep(0.5)"
    )
    subprocess.run([sys.executable, "-c", code], stderr=theirs, check=True, env={**os.environ, "TERM": "xterm"})
    assert b"2/3" in os.read(ours, 65_536)


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("grammar.check", ("grammar", "check", "mine.lark")),
        ("bench.collisions", ("bench", "collisions", "no_such_folder")),
        ("texts", ("bench", "report", "run.jsonl", "--markdown", "report.md")),
    ],
)
def test_a_command_that_takes_seconds_shows_that_it_works(
    module: str, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: list[str] = []

    @contextmanager
    def show(title: str, total: int | None = None, *, quiet: bool = False) -> Iterator[progress.Step]:
        names.append(title)
        yield lambda done, total: None

    assert run("bench", "run", "-f", "v2", "-t", "empty-package", "--out", "run.jsonl", "--quiet").exit_code == 0
    (tmp_path / "mine.lark").write_text("%import .v2\n%override action: head BLOCK BLOCK?\n")
    monkeypatch.setattr(import_module(f"symops_lark.adapters.cli.{module}"), "show_progress", show)
    run(*command)
    assert len(names) == 1, "the bar is made before the work"


@pytest.mark.parametrize("command", [("check",), ("process", "--json")])
def test_many_texts_show_how_far_they_are(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bar counts the texts; it is gone before anything is printed."""
    message: list[tuple[str, int | None]] = []

    @contextmanager
    def show(title: str, total: int | None = None, *, quiet: bool = False) -> Iterator[progress.Step]:
        if not quiet:
            message.append((title, total))
        yield lambda done, total: message.append((str(done), total))

    for module in (texts, check):
        monkeypatch.setattr(module, "show_progress", show)
    names = []
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("::run @ls\n")
        names.append(str(tmp_path / f"{number}.txt"))
    assert run(*command, *names).exit_code == 0
    assert message[0][1] == 3 and message[1:4] == [("1", 3), ("2", 3), ("3", 3)]
