"""Which commands only read, so that a hook lets them run without a session."""

from __future__ import annotations

from typing import Any

import pytest

from symops_lark.code_intelligence.clients.tool_calls import Writing, only_reads, read_call

READING = [
    "ls", "ls -la src", "grep -rn 'a|b' src | head -20", "rg login", "git status", "git log --oneline -5", "cat a.py",
    "test -f a.py && cat a.py", "test a = b", "wc -l *.py", "rg x -g '*.py' src/*.py", "rg '[a-z]+' src", "ls;",
    "cd src && ls", "grep x a.py 2>/dev/null", "grep x a.py > /dev/null 2>&1", "wc -l a.py; head a.py",
]  # fmt: skip
WRITING = [
    "pytest", "make", "echo x > a.py", "echo x >> a.py", "cat a.py | tee b.py", "sed -i s/a/b/ a.py", "rm a.py",
    "git commit -m x", "git", "ls; rm a.py", "ls && rm a.py", "ls & rm a.py", "ls $(rm a.py)", "ls `rm a.py`",
    "ls\nrm a.py", "ls | sh", "git diff --output=a.py", "rg --pre ./x y", "find . -delete", "(rm a.py)",
    "cat <(rm a.py)",
    "X=1 ls", "ls 'unclosed", "", "   ", "git -c core.pager=x log", "cat a.py >| b.py", "ls > '/dev/null/../x'",
    "> a.py",
    "env rm a.py", "cat < a.py > b.py", "ls \\\n rm",
    "printf -v PATH . && ls", "printf -vPATH .; ls", "printf %n PATH; ls", "test -v 'a[PATH=0]' && ls",
    "cat\r./x", "rg x *", "> /dev/null rg x *", "rg --pr? ./x", "rg ''* y", "git diff [-]*", "ls; git diff *",
    "git diff '-'*", 'rg "-"-pr* x', "rg '-'* x", 'rg x "-"*', "rg ''-* x", 'rg "-""-pre"* x',
    "PATH=. ls", "LD_PRELOAD=./x.so ls", "> /dev/null PATH=. ls", "env ls", "exec ls", "command ./ls", "./ls", "~/ls",
    "sudo ls", "xargs rm", "ls | xargs rm", "find . -exec ./x", "find . -fprint x", "sort -o a.py a.py", "uniq a b",
    "tree -o x", "sed -n 'w x' a.py", "awk 1 a.py", "less a.py", "more a.py", "man ls", "vi a.py", "tee a.py", "dd",
    "alias ls=./x; ls", "declare -x PATH=.; ls", "export PATH=.; ls", "read PATH", "hash -p ./x ls; ls", "eval ls",
    "source a.sh", ". a.sh", "set -k", "enable -f ./x.so ls", "type ls && [ -v 'a[PATH=0]' ]", "cat <<< x", "time ls",
    "ls <(rm a)", "cat >(rm a)", "ls &> a.py", "ls >& a.py", "ls |& sh", "function ls", "if ls", "! rm a.py",
    "git -C x status", "git --exec-path=. log", "git grep -O./x y", "git log --output x", "git diff --ext-diff",
    "git branch x", "git alias", "git show --textconv", "rg --hostname-bin=./x y", "rg '--pre' ./x y", "yq -i . a.yaml",
    "cat a#b; rm -r src", "cat 'a'#; rm b", "grep x#y z && make", "cat@x a.py", "ls,x",
]  # fmt: skip


@pytest.mark.parametrize("command", READING)
def test_commands_that_read_are_known(command: str) -> None:
    assert only_reads(command)


@pytest.mark.parametrize("command", WRITING)
def test_commands_that_may_write_are_not_taken_for_readers(command: str) -> None:
    assert not only_reads(command)


PROGRAMS = [
    ["./deploy.sh", "-c", "ls"], ["./deploy.sh", "-lc", "ls"], ["pytest", "-c", "ls"], ["python", "-c", "ls"],
    ["./bash", "-c", "ls"], ["bin/sh", "-c", "ls"], ["../bin/bash", "-lc", "ls"], ["/tmp/bash", "-c", "ls"],
    ["bash", "ls"], ["bash", "-x", "ls"], ["bash", "-c", "./ls"], ["bash", "-c", "ls", "x"], ["", "-c", "ls"],
    ["ls", "\n", "rm"], ["env", "-c", "ls"], ["/bin/bash\n", "-c", "ls"],
]  # fmt: skip


@pytest.mark.parametrize("command", PROGRAMS)
def test_only_the_text_of_a_shell_is_read_instead_of_its_program(command: list[str]) -> None:
    assert read_call("shell", {"command": command}).command
    assert read_call("local_shell", {"command": command}).command


@pytest.mark.parametrize("shell", ["sh", "bash", "zsh", "dash", "/bin/sh", "/usr/bin/bash", "/opt/homebrew/bin/zsh"])
def test_shells_of_the_system_are_known(shell: str) -> None:
    for flag in ("-c", "-lc"):
        assert read_call("shell", {"command": [shell, flag, "ls | head"]}) == Writing()
        assert read_call("shell", {"command": [shell, flag, "make"]}) == Writing(command="make")
    assert read_call("exec_command", {"cmd": "ls", "shell": shell}) == Writing()


@pytest.mark.parametrize("more", [{"shell": "./deploy.sh"}, {"shell": 1}, {"env": {"PATH": "."}}, {"environment": "x"}])
def test_arguments_that_change_the_program_are_no_reading(more: dict[str, Any]) -> None:
    assert read_call("exec_command", {"cmd": "ls", **more}).command
    assert read_call("exec_command", {"cmd": "ls", "env": {}, "shell": None}) == Writing()
