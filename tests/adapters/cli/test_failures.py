"""The command line among people and other programs: every failure is one clear message, never a traceback."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from command_line import BROKEN, CRLF, GOOD, VERBS, arguments_for, environment, fill, run, run_python, write_rule

from symops_lark import __version__, dialects
from symops_lark.adapters.cli.visibility import visible


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return fill(tmp_path)


# ---- what people do wrong


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("process", "--rules", "nodir", "good.txt"),
            "nodir: there is no such folder or file; name a folder with rules",
        ),
        (("process", "--rules", "empty", "good.txt"), "empty: no rule (*.yaml) is in this folder or below; "),
        (("ask", "-p", "openai", "hello"), "the provider `openai` has many models: name one (`openai:MODEL` for "),
        (
            ("bench", "run", "--source", "openai", "--out", "x"),
            "the provider `openai` has many models: name one (`openai:MODEL`",
        ),
        # What a shell has taken the quotes from: symops sees _ACTION=%% where _ACTION="%%" was typed.
        (("grammar", "derive", "v2", "--set", "_ACTION=%%"), "a text is in quotes, and shells remove them: quote "),
        (("grammar", "derive", "v2", "--set", "_ACTION=?!"), "a text is in quotes, and shells remove them: quote "),
        (("grammar", "derive", "v2", "--set", '_ACTION="(('), "<derived from v2>.lark:45:10: the grammar cannot be "),
        (("grammar", "derive", "v2", "--set", "_ACTON=%%"), "v2.lark: nothing called _ACTON is defined"),
    ],
)
def test_messages_say_what_to_do(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    (folder / "empty").mkdir()
    result = run(*arguments)
    assert result.exit_code == 2 and message in result.stderr, result.stderr
    assert "`symops grammar check <" not in result.stderr, "a file that is nowhere cannot be checked"


@pytest.mark.slow
def test_what_derive_says_to_type_works(folder: Path) -> None:
    errors = run("grammar", "derive", "v2", "--set", "_ACTION=%%").stderr
    [typed] = re.findall(r"quote it, (--set .*) \(see", errors)
    assert run("grammar", "derive", "v2", *shlex.split(typed)).stdout.startswith('// Derived from v2: _ACTION: "%%"')


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.txt", "symops: missing.txt: cannot be read: No such file or directory\n"),
        (".", "symops: .: this is a folder, not a file\n"),
        ("a\0b", "symops: 'a\\x00b': cannot be read: embedded null byte\n"),
        ("latin.txt", "symops: latin.txt: not UTF-8: byte 0xe9 at offset 6 (line 2)\n"),
        ("utf16.txt", "symops: utf16.txt: not UTF-8: byte 0xff at offset 0 (line 1) (it looks like UTF-16)\n"),
    ],
)
def test_unreadable_files(folder: Path, verb: str, name: str, message: str) -> None:
    (folder / "latin.txt").write_bytes(b">> a\nb\xe9")
    (folder / "utf16.txt").write_bytes(GOOD.encode("utf-16"))
    result = run(*arguments_for(verb), name)
    assert (result.exit_code, result.stderr, result.stdout) == (2, message, "")


@pytest.mark.parametrize("verb", VERBS)
def test_unknown_formats(folder: Path, verb: str) -> None:
    result = run(*arguments_for(verb), "--format", "v9", "good.txt")
    installed = ", ".join(dialects())
    assert result.exit_code == 2
    assert result.stderr.startswith(f"symops: no dialect is called 'v9'; installed: {installed}; ")
    (folder / "bad.lark").write_text("document: ][\n")
    for name in ("bad.lark", "missing.lark"):
        result = run(*arguments_for(verb), "--format", name, "good.txt")
        assert result.exit_code == 2 and result.stderr.startswith(f"symops: {name}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("proces",), "symops: No such command 'proces'"),
        (("process", "--colour"), "symops: No such option"),
        (("export", "lark"), "symops: Missing option '-o' / '--output'"),
        (("process", "-", "-"), "symops: standard input can be read only once"),
        (("render", "a", "b"), "symops: Got unexpected extra argument"),
        (("rules", "test", "no-such-rule"), "symops: no rule is called 'no-such-rule'"),
        (("convert", "--to", "v9"), "symops: no dialect is called 'v9'"),
        (("grammar", "show", "v9"), "symops: no dialect is called 'v9'"),
        (("process", "--rules", "nowhere"), "symops: nowhere"),
    ],
)
def test_bad_arguments(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments, stdin=GOOD)
    assert result.exit_code == 2 and message in result.stderr and result.stderr.count("\n") == 1


@pytest.mark.parametrize("verb", ["process", "repair", "recover", "check"])
def test_bad_rules_are_reported_even_if_none_is_needed(folder: Path, verb: str) -> None:
    write_rule(folder / "bad", more="what?")
    result = run(verb, "--rules", "bad", "good.txt")
    assert result.exit_code == 2 and result.stderr.startswith(
        "symops: bad/my-rule.yaml:10:1: error: unknown key 'more'"
    )


def test_nothing_is_done_if_one_file_cannot_be_read(folder: Path) -> None:
    result = run("check", "--fix", "broken.txt", "missing.txt")
    assert result.exit_code == 2 and (folder / "broken.txt").read_text() == BROKEN


def test_huge_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symops_lark.core.processor.MAX_CHARACTERS", 10)
    result = run("process", stdin="x" * 11)
    assert result.exit_code == 2
    assert result.stderr == "symops: <stdin>: the text is longer than the limit of 10 characters\n"


def test_a_bug_is_a_message_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symops_lark.adapters.cli.reading.render.read_document", lambda text: 1 / 0)
    result = run("render", stdin=GOOD)
    assert result.exit_code == 70 and "this is a bug, please report it: ZeroDivisionError" in result.stderr


def test_an_interruption_is_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(text: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("symops_lark.adapters.cli.reading.render.read_document", interrupt)
    result = run("render", stdin=GOOD)
    assert result.exit_code == 130 and result.stderr.strip() == "symops: interrupted"


def test_control_characters_do_not_reach_the_terminal(folder: Path) -> None:
    result = run("process", stdin="::run @echo \x1b[2J\u202e\n>> \x07\x9b\n")
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(result.stdout)
    assert visible("a\x1b[31m\tb\x7f") == "a␛[31m\tb␡"


# ---- as a process


def test_help_and_version_load_nothing_heavy() -> None:
    assert run_python("--version").stdout.decode() == f"symops, version {__version__}\n"
    probe = (
        "import sys\nfrom symops_lark.adapters.cli import symops\ntry: symops(['--help'])\nexcept SystemExit: pass\n"
    )
    probe += "print('HEAVY', {'lark', 'yaml', 're2'} & set(sys.modules))"
    command = [sys.executable, "-c", probe]
    output = subprocess.run(command, capture_output=True, text=True, check=True, env=environment()).stdout
    assert "HEAVY set()" in output and all(f"  {verb} " in output for verb in (*VERBS, "rules", "grammar"))


def test_no_arguments_is_help() -> None:
    result = run_python()
    assert result.returncode in (0, 2) and b"Commands:" in result.stdout + result.stderr


@pytest.mark.slow
def test_bytes_go_through_unchanged() -> None:
    for text in (CRLF, "\ufeff" + GOOD, GOOD.rstrip("\n"), ">> ゆ\u2028\x85\x0c\n"):
        done = run_python("repair", stdin=text.encode())
        assert (done.returncode, done.stdout, done.stderr) == (0, text.encode(), b"")


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_output_encoding_will_do(encoding: str) -> None:
    done = run_python("process", stdin=">> 設定 é\nHé!\n".encode(), PYTHONIOENCODING=encoding)
    assert done.returncode == 0 and done.stderr == b""
    assert run_python("repair", stdin=">> é\n".encode(), PYTHONIOENCODING=encoding).stdout == ">> é\n".encode()


@pytest.mark.slow
def test_a_reader_who_has_had_enough_ends_it_quietly(folder: Path) -> None:
    (folder / "long.txt").write_text("".join(f">> {number}\n" for number in range(20_000)))
    for verb, unbuffered in (("process", ""), ("process", "1"), ("repair", ""), ("repair", "1")):
        with subprocess.Popen(
            [sys.executable, "-m", "symops_lark", verb, "long.txt"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(PYTHONUNBUFFERED=unbuffered),
        ) as child:
            assert child.stdout is not None and child.stderr is not None
            child.stdout.read(10)
            child.stdout.close()
            assert child.stderr.read() == b""
        assert child.returncode == 141


@pytest.mark.slow
def test_a_full_disk_is_a_message() -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "symops_lark", "repair"]
        done = subprocess.run(command, input=GOOD.encode(), stdout=full, stderr=subprocess.PIPE, env=environment())
    assert done.returncode == 2 and done.stderr == b"symops: output: No space left on device\n"


WITHOUT_STREAMS = """\
import json, sys
from symops_lark.adapters.cli import symops
names, commands, codes = json.loads(sys.argv[1])
for arguments in commands:
    for name in names:
        setattr(sys, name, None)
    try:
        symops.main(arguments)
    except SystemExit as end:
        with open(codes, "a") as file:
            file.write(f"{end.code} {' '.join(arguments)}\\n")
"""
COMMANDS = (
    "apply --root . --yes --no-run good.txt",
    "undo --root .",
    "undo --root .",
    "process broken.txt prose.txt",
    "process --json broken.txt",
    "check broken.txt",
    "check --explain broken.txt",
    "plan --root . good.txt",
    "edit good.txt --full-diff broken.txt",
    "doctor",
    "formats",
    "grammar list",
    "repair --diff broken.txt",
    "process missing.txt",
    "process --unknown",
    "--help",
)
READERS = (
    "process -",
    "repair",
    "stream",
    "extract",
    "prompt",
    "apply --root .",
    "edit good.txt -",
    "gate hook claude",
)


def run_without(folder: Path, closed: str, commands: Sequence[str]) -> list[str]:
    """Run commands in one process whose caller has closed streams; return their exit codes and the commands."""
    streams = {"<&-": "stdin", ">&-": "stdout", "2>&-": "stderr"}
    codes = folder / "codes"
    arguments = [[streams[word] for word in closed.split()], [command.split() for command in commands], str(codes)]
    program = shlex.join([sys.executable, "-c", WITHOUT_STREAMS, json.dumps(arguments)])
    subprocess.run(["sh", "-c", f"{program} {closed}"], input=b"", capture_output=True, env=environment(), check=True)
    return codes.read_text().splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_change_no_exit_code(folder: Path, closed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = run_without(folder, closed, COMMANDS)
    other = folder / "other"
    other.mkdir()
    monkeypatch.chdir(fill(other))
    assert codes == [f"{run(*command.split()).exit_code} {command}" for command in COMMANDS]
    assert not any(line.startswith("70 ") for line in codes)


@pytest.mark.slow
def test_a_closed_input_is_a_message(folder: Path) -> None:
    """Not an empty text, and nothing that waits for it."""
    assert run_without(folder, "<&-", READERS) == [f"2 {command}" for command in READERS]
    shell = ["sh", "-c", f"{sys.executable} -m symops_lark stream <&-"]
    done = subprocess.run(shell, capture_output=True, env=environment())
    assert done.stderr == b"symops: standard input: it is closed\n"


ONE_AFTER_ANOTHER = """\
import json, sys
from symops_lark.adapters.cli import symops
for arguments in json.loads(sys.argv[1]):
    symops.main(arguments, standalone_mode=False)
    print("and then")
"""


def run_on_a_terminal(commands: Sequence[Sequence[str]], **more: str) -> bytes:
    main, second = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", ONE_AFTER_ANOTHER, json.dumps(commands)],
        stdout=second,
        stderr=second,
        stdin=subprocess.DEVNULL,
        env=environment(**{"NO_COLOR": "", "TERM": "xterm", **more}),
    ):
        os.close(second)
        data = b""
        while True:
            try:
                piece = os.read(main, 65536)
            except OSError:  # how Linux says that the other side is closed
                break
            if not piece:
                break
            data += piece
    os.close(main)
    return data


@pytest.mark.slow
def test_colour_on_a_terminal_only(folder: Path) -> None:
    commands = (("process", "broken.txt"), ("repair", "--diff", "broken.txt"), ("check", "broken.txt"))
    *output, end = run_on_a_terminal(commands).split(b"and then")
    assert len(output) == len(commands) and not end.strip()
    assert all(b"\x1b[" in item for item in output)
    for element in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        plain = run_on_a_terminal(commands, **element)
        assert plain.count(b"and then") == len(commands) and b"\x1b[" not in plain
    piped = subprocess.run(
        [sys.executable, "-c", ONE_AFTER_ANOTHER, json.dumps(commands)], capture_output=True, env=environment()
    )
    assert piped.stdout.count(b"and then") == len(commands) and b"\x1b[" not in piped.stdout


@pytest.mark.parametrize(
    "command",
    [
        "process - -",
        "extract --schema -",
        "prompt - -c -",
        "ask -p command --command cat - -c -",
        "do -p command --command cat - --frame -",
    ],
)
def test_standard_input_is_read_once(folder: Path, command: str) -> None:
    result = run(*command.split(), stdin='{"type": "object"}\n')
    assert result.exit_code == 2 and "standard input can be read only once" in result.stderr, result.output


def test_a_deleted_working_folder_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deleted = folder / "deleted"
    deleted.mkdir()
    monkeypatch.chdir(deleted)
    deleted.rmdir()
    for command in ("plan", "apply", "edit a.txt", "why", "code symbols"):
        result = run(*command.split(), stdin=GOOD)
        assert result.stderr == "symops: the working folder: No such file or directory\n", command
    monkeypatch.chdir(folder)
