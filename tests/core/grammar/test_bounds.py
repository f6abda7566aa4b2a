"""Grammars of strangers: what they cost is bounded, through every door, and what is refused is told."""

from __future__ import annotations

import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import RLock

import pytest
from command_line import run
from hostile_grammars import GRAMMARS, RECOVERIES, TERMINALS
from wings import has_wing

import symops_lark
from symops_lark import GrammarError, SymOpsError
from symops_lark.core.grammar.compiling import bounds
from symops_lark.core.grammar.compiling.bounds import bounded_steps
from symops_lark.core.grammar.loading import derive, load_dialect, load_grammar

TEXT = ">> a\n%% aaaa\n::run @make\nnot said\n"
AT_EVERY_DOOR = (
    "terminal-nested",
    "optionals",
    "recursive-template",
    "empty-mark",
    "verb-without-a-text",
    "bad-escape",
)


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough for any grammar of these tests that is right."""
    monkeypatch.setattr(bounds, "MOST_STEPS", 3_000_000)
    if has_wing("lab"):
        from symops_lark.lab.workbench.check import use

        for draws in ("_SAMPLES", "_DAMAGED"):  # of `grammar check`
            monkeypatch.setattr(use, draws, 3)


def write(folder: Path, text: str, name: str = "hostile") -> Path:
    path = folder / f"{name}.lark"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


@pytest.mark.parametrize("name", GRAMMARS)
def test_a_hostile_grammar_is_read_or_refused(name: str, tmp_path: Path) -> None:
    text, answer = GRAMMARS[name]
    path = write(tmp_path, text)
    if not answer:
        try:
            symops_lark.process(TEXT, format=path)
        except SymOpsError as error:
            assert str(error)
        return
    with pytest.raises(GrammarError, match=re.escape(answer)) as caught:
        symops_lark.process(TEXT, format=path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.slow
@pytest.mark.parametrize("name", AT_EVERY_DOOR)
def test_every_door_tells_it(name: str, tmp_path: Path) -> None:
    """A wrong grammar ends with code 2, or 1 where its faults are what was asked for, and with a message."""
    path = write(tmp_path, GRAMMARS[name][0])
    target = "_EXTRA" if "extra" in GRAMMARS[name][0] else "_ACTION"
    for arguments in (
        ("process", "--format", str(path), "-"),
        ("grammar", "check", str(path)),
        ("grammar", "trace", str(path), "-"),
        ("grammar", "show", str(path)),
        ("grammar", "derive", str(path), "--set", f'{target}="&&"'),
        ("grammar", "sample", str(path)),
        ("grammar", "diff", str(path), "v2"),
        ("prompt", "--system", "--format", str(path)),
    ):
        result = run(*arguments, stdin=TEXT)
        assert result.exit_code in (0, 1, 2), (arguments, result.output)
        assert result.exit_code == 0 or result.output, arguments
        if GRAMMARS[name][1] and arguments[1] in ("check", "--format", "trace"):
            assert result.exit_code != 0


@pytest.mark.slow
def test_the_attack_is_shown_with_its_place(tmp_path: Path) -> None:
    path = write(tmp_path, GRAMMARS["terminal-nested"][0])
    with pytest.raises(GrammarError) as caught:
        load_grammar(path).parser  # noqa: B018
    assert str(caught.value).splitlines()[0] == (
        f"{path}:5:1: the grammar cannot be compiled: the terminal 'BAD' may take endless time: on the text "
        "'a' + 'a' * 30 + 'c', each repetition doubles the attempts; write it so that each text can be read in one way "
        "only"
    )
    result = run("grammar", "check", str(path))
    assert result.exit_code == 2 and "'a' + 'a' * 30 + 'c'" in result.output


@pytest.mark.parametrize("name", TERMINALS)
def test_a_terminal_exchanged_is_looked_at(name: str) -> None:
    with pytest.raises(GrammarError, match="may take endless time"):
        derive("v2", {"NUMBER": TERMINALS[name]})


@pytest.mark.slow
@pytest.mark.alike(6)
@pytest.mark.parametrize("name", RECOVERIES)
def test_a_hostile_recovery_grammar_is_read_or_refused(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, "%import .v2\n", "own")
    write(tmp_path, RECOVERIES[name], "own_recovery")
    try:
        symops_lark.recover("a\n::run make\n<<<\nx\n", format=path)
    except GrammarError as error:
        assert str(tmp_path) in str(error)
    for arguments in (("process", "--format", str(path)), ("grammar", "check", str(path)), ("check", "-f", str(path))):
        assert run(*arguments, stdin=TEXT).exit_code in (0, 1, 2)


# ---- files


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "folder.lark").mkdir()
    os.mkfifo(tmp_path / "pipe.lark")
    (tmp_path / "zero.lark").symlink_to("/dev/zero")
    (tmp_path / "large.lark").write_bytes(b"// \n" * 100_000)
    (tmp_path / "binary.lark").write_bytes(b"\xff\xfe")
    for name in ("folder", "pipe", "zero", "large", "binary"):
        for format in (f"{name}.lark", f"on_{name}.lark", f"of_{name}.lark"):
            write(tmp_path, f"%import .{name}\n%import .v2\n", f"on_{name}")
            write(tmp_path, f"%import .v2\n%import .{name}.WORDS\n", f"of_{name}")
            result = run("process", "--format", str(tmp_path / format), stdin=TEXT)
            assert result.exit_code == 2 and name in result.stderr, (format, result.output)


def test_imports_in_circles(tmp_path: Path) -> None:
    """Whole files are taken in once; Lark would read those of single definitions without end."""
    write(tmp_path, "%import .b\n", "a")
    write(tmp_path, "%import .a\n%import .v2\n", "b")
    assert symops_lark.process(TEXT, format=tmp_path / "a.lark").document.actions
    write(tmp_path, "%import .d.X\nX: /x/\n", "c")
    write(tmp_path, "%import .c.X\n", "d")
    with pytest.raises(GrammarError):
        symops_lark.process(TEXT, format=write(tmp_path, "%import .v2\n%import .c.X\n"))


def test_many_files(tmp_path: Path) -> None:
    for number in range(100):
        write(tmp_path, f"%import .n{number + 1}\n", f"n{number}")
    write(tmp_path, "%import .v2\n", "n100")
    with pytest.raises(GrammarError, match="builds on more than 40 files"):
        load_dialect(tmp_path / "n0.lark")
    for number in range(60):
        write(tmp_path, f"%import .m{number + 1}.X\n", f"m{number}")
    write(tmp_path, "X: /x/\n", "m60")
    with pytest.raises(GrammarError, match="more than 40 files are imported"):
        load_grammar(write(tmp_path, "%import .v2\n%import .m0.X\n")).definitions  # noqa: B018


def test_larks_own_terminals_are_there(tmp_path: Path) -> None:
    path = write(
        tmp_path, "%import .v2\n%import common (SIGNED_NUMBER, ESCAPED_STRING)\n%extend TEXT: ESCAPED_STRING\n"
    )
    assert symops_lark.process('>> "a"\n', format=path).document.thoughts


# ---- steps


def spend(path: Path, calls: int, most: int) -> None:
    with bounded_steps(path, most):
        for _ in range(calls):
            write_nothing()


def write_nothing() -> None:
    pass


class Noticing:
    """A context that works in its end, and notices whether it came to it."""

    def __init__(self) -> None:
        self.entered = self.left = 0

    def __enter__(self) -> None:
        self.entered += 1

    def __exit__(self, *_: object) -> None:
        write_nothing()
        self.left += 1


def test_a_stop_leaves_no_lock_locked_and_no_context_open(tmp_path: Path) -> None:
    """Wherever the steps end: a lock that stays locked would hold up all other threads for ever."""
    lock, context, stopped = RLock(), Noticing(), 0
    for item in range(1, 80):
        try:
            with bounded_steps(tmp_path / "a.lark", item):
                for _ in range(9):
                    with lock, context:
                        write_nothing()
        except GrammarError:
            stopped += 1
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(lock.acquire, blocking=False).result()
            pool.submit(lock.release).result()
        assert context.entered == context.left
    assert stopped > 20


def test_the_steps_leave_everything_as_it_was(tmp_path: Path) -> None:
    def watch(*_: object) -> None:
        pass

    sys.setprofile(watch)
    try:
        with pytest.raises(GrammarError, match="more than 100 steps"):
            spend(tmp_path / "a.lark", 1000, most=100)
        assert sys.getprofile() is watch
    finally:
        sys.setprofile(None)
    spend(tmp_path / "a.lark", 10, most=1000)
    assert sys.getprofile() is None


def test_an_installed_grammar_costs_a_custom_one_nothing(tmp_path: Path) -> None:
    """After an installation, the first check of a grammar compiles the dialects that it meets."""
    installed = load_grammar("v2").path
    with bounded_steps(tmp_path / "a.lark", 100), bounded_steps(installed):
        for _ in range(1000):
            write_nothing()
    with bounded_steps(installed), pytest.raises(GrammarError, match="more than 100 steps"):
        spend(tmp_path / "a.lark", 1000, most=100)
