"""Commands: nothing without an end, and no shell but where it was said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from processes import wait_for_end

from symops_lark.acting.commands.commands import Runner
from symops_lark.acting.commands.shell_syntax import find_shell_syntax
from symops_lark.core.ground.errors import UnsafeActionError
from symops_lark.core.ground.numbers import counted


def python(code: str) -> str:
    """Give a command line that runs some Python."""
    return f"{sys.executable} -c '{code}'"


def test_command_runs_in_the_root(tmp_path: Path) -> None:
    line = python('import os, sys; print(os.getcwd()); print("e", file=sys.stderr); open("x", "w")')
    result = Runner().run(line, tmp_path)
    assert result.ok and result.code == 0 and result.reason == ""
    assert result.output.split() == [str(tmp_path), "e"] or result.output.split() == ["e", str(tmp_path)]
    assert (tmp_path / "x").exists() and 0 < result.seconds < 30 and result.arguments[0] == sys.executable
    assert json.loads(json.dumps(result.to_dict()))["code"] == 0


@pytest.mark.parametrize(
    ("line", "code", "reason"),
    [
        (python("raise SystemExit(3)"), 3, "exit code 3"),
        (python("import os; os.kill(os.getpid(), 9)"), -9, "killed by signal 9"),
        ("no-such-program-here", None, "it cannot be started: No such file or directory"),
    ],
)
def test_commands_that_fail(tmp_path: Path, line: str, code: int | None, reason: str) -> None:
    result = Runner().run(line, tmp_path)
    assert (result.ok, result.code, result.reason) == (False, code, reason)


def test_a_command_sees_the_source_as_it_is_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's compiled files are known by the second and the size: an agent is faster than that."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    line, module = python("import number; print(number.VALUE)"), tmp_path / "number.py"
    for value in "12":
        module.write_text(f"VALUE = {value}\n")
        os.utime(module, (1_000_000_000, 1_000_000_000))
        assert Runner().run(line, tmp_path).output == f"{value}\n"


def test_standard_input_is_empty(tmp_path: Path) -> None:
    assert Runner().run(python("import sys; print(len(sys.stdin.read()))"), tmp_path).output == "0\n"


# ---- shells


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("pytest -q", ()),
        ("a | b", ("|",)),
        ("a && b; c", ("&", ";")),
        ("a > b < c", (">", "<")),
        ("echo $HOME", ("$",)),
        ("echo `id`", ("`",)),
        ('echo "$(id)"', ("$",)),
        ("echo '$(id) | `x`'", ()),
        ('echo "a | b; c"', ()),
        ("ls *.py", ("*",)),
        ("ls '*.py' a\\*b", ()),
        ("a\nb", ("\n",)),
        ("X=1 make", ("=",)),
        ("make X=1", ()),
        ("ls ~", ("~",)),
        ("git show HEAD~1", ()),
        ("a # b", ("#",)),
        ("a#b", ()),
        ("(a)", ("(", ")")),
        ("a ?", ("?",)),
        ("a [b]", ("[",)),
        ("a\\", ()),
        ("echo 'a'\\''b|c'", ()),
        ("echo 'a'\\'b|c", ("|",)),
        ("a &", ("&",)),
        ('grep "a\\$" f', ("$",)),
        ('echo "a\\`b"', ("`",)),
        ("a \\\n b", ("\n",)),
        ('grep "a\\"b\\\\\\w" f', ()),
        ("mkdir -p src/{lib,bin}", ("{…}",)),
        ("touch file{1..3}.txt", ("{…}",)),
        ("echo {a}{,b}", ("{…}",)),
        ("echo {'a b',c} > d", (">", "{…}")),
        ("echo '{a,b}' \\{a,b} {a\\,b} \"{1..3}\"", ()),
        ("find . -exec ls {} +", ()),
        ("git diff stash@{1}..stash@{0} {a,b c}", ()),
        ("make PREFIX=~/x", ("=~",)),
        ("make A=/x:~/y", ("=~",)),
        ("make A+=~ B={1..9..2}", ("=~", "{…}")),
        ("make A='b c':~/y {a..c}", ("=~", "{…}")),
        ("./configure --prefix=~/x a:~/y A=b=~/x ''A=~/x A\\=~/x A=\\:~/y 1A=~/x \u00e9=~/x", ()),
        ("grep =~ a.txt", ()),
        ("echo {abc..def} {a..3} {1..3..} {1.5..2} {\\a..c}", ()),
        ("A+=1 make", ("=",)),
    ],
)
def test_shell_syntax(tmp_path: Path, line: str, found: tuple[str, ...]) -> None:
    assert find_shell_syntax(line) == found
    if found:
        with pytest.raises(UnsafeActionError, match="would need a shell, which is not allowed"):
            Runner().run(line, tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="asks a shell of the system")
@given(st.text("ab \\\"'$`\n~#=", max_size=8))
@example('"a\\$b"')
@example("a\\\nb")
def test_a_line_that_is_run_has_the_words_that_a_shell_would_see(words: str) -> None:
    line = f"printf %s| {words}".replace("|", "'\\0'")
    arguments = None
    with suppress(UnsafeActionError):
        arguments = Runner().prepare(line, ".")
    if arguments is not None:
        # With `printf` alone, no word and an empty word look alike.
        output = subprocess.run(["/bin/sh", "-c", f"{line} end"], capture_output=True, text=True, check=True).stdout
        assert output.split("\0")[:-1] == [*arguments[2:], "end"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@given(st.text("a1{},.~=:+'\"\\ ", max_size=10))
@example("a=1:~")
@example("{1..-1..+1}")
@example("{a},b}")
@example("{a,b}{1..2}")
@example("a=~ ")
def test_no_word_is_run_that_bash_would_expand(words: str) -> None:
    line = f"printf %s| {words}".replace("|", "'\\0'")
    arguments = None
    with suppress(UnsafeActionError):
        arguments = Runner().prepare(line, ".")
    if arguments is not None:
        output = subprocess.run(["bash", "-c", f"{line} end"], capture_output=True, text=True, check=True).stdout
        assert output.split("\0")[:-1] == [*arguments[2:], "end"]


def test_braces_name_what_to_do_instead_of_a_shell(tmp_path: Path) -> None:
    with pytest.raises(UnsafeActionError, match="/bin/sh may not do what bash does"):
        Runner().run("mkdir -p src/{lib,bin}", tmp_path)
    assert not os.listdir(tmp_path)


def test_a_refusal_of_several_lines_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UnsafeActionError) as caught:
        Runner().run("ls\n1. + a.py: approved", tmp_path)
    assert "\n" not in str(caught.value) and "a new line" in str(caught.value)


def test_a_shell_where_one_is_allowed(tmp_path: Path) -> None:
    result = Runner(shell=True).run("echo one > f && cat f | tr o 0; exit 4", tmp_path)
    assert (result.output, result.code) == ("0ne\n", 4) and result.arguments[:2] == ("/bin/sh", "-c")


@pytest.mark.parametrize("line", ["", "  ", "a\0b", "'unclosed", "''"])
@pytest.mark.parametrize("shell", [False, True])
def test_lines_that_are_no_commands(tmp_path: Path, line: str, shell: bool) -> None:
    if shell and "'" in line:
        assert not Runner(shell=True).run(line, tmp_path).ok
        return
    with pytest.raises(UnsafeActionError, match="not a command"):
        Runner(shell=shell).run(line, tmp_path)


# ---- limits


def test_a_limit_that_is_not_a_number_is_reached_at_once(tmp_path: Path) -> None:
    assert Runner(timeout=float("nan")).run(python("import time; time.sleep(60)"), tmp_path).timed_out


CHILDREN = "sleep 60 & echo $!; sleep 60"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_time_out_kills_the_whole_group(tmp_path: Path) -> None:
    begin = time.monotonic()
    result = Runner(shell=True, timeout=0.5).run(CHILDREN, tmp_path)
    assert result.timed_out and not result.ok and time.monotonic() - begin < 10
    assert result.reason.startswith("not done in time, killed after 0.")
    wait_for_end(int(result.output))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_cancellation_kills_the_whole_group(tmp_path: Path) -> None:
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()
    result = Runner(shell=True).run(CHILDREN, tmp_path, cancel)
    assert result.cancelled and not result.ok and result.reason.startswith("cancelled")
    wait_for_end(int(result.output))


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_an_interrupt_kills_the_whole_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pids = tmp_path / "pid"
    real = time.sleep

    def interrupted(seconds: float) -> None:
        real(seconds)
        if pids.exists() and pids.read_text().endswith("\n"):
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(time, "sleep", interrupted)
        with pytest.raises(KeyboardInterrupt):
            Runner(shell=True).run("sleep 60 & echo $! > pid; sleep 60", tmp_path)
    wait_for_end(int(pids.read_text()))


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_goes_on_in_the_background(tmp_path: Path) -> None:
    result = Runner(shell=True).run("sleep 60 & echo $!", tmp_path)
    assert result.ok and result.seconds < 10
    wait_for_end(int(result.output))


SIZES = [(10, 100), (100, 100), (101, 100), (5_000_000, 1000), (200_000, 100_000), (9, 0)]


@pytest.mark.parametrize(("size", "limit"), SIZES)
def test_head_and_tail_of_the_output_are_kept(tmp_path: Path, size: int, limit: int) -> None:
    (tmp_path / "text").write_bytes(bytes(ord("a") + index * 25 // size for index in range(size)))
    whole_text = (tmp_path / "text").read_text()
    result = Runner(limit=limit).run("cat text", tmp_path)
    if size <= limit:
        assert (result.output, result.omitted) == (whole_text, 0)
        return
    assert result.ok and result.omitted == size - limit
    gap = f"\n[… {counted(size - limit, 'byte')} left out …]\n"
    assert result.output == whole_text[: limit // 2] + gap + whole_text[size - limit // 2 :]
