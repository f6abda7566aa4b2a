"""What is shown is what is there: nothing acts on a terminal, nothing hides; what goes into a pipe stays as it is."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from command_line import environment, run
from crashes import change, command
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.adapters.cli import symops
from symops_lark.adapters.cli.acting.plan_view import show_command, show_diff
from symops_lark.adapters.cli.visibility import (
    escape_json,
    guard,
    visible,
    visible_code,
    visible_command,
    visible_in_place,
    wrap,
)
from symops_lark.core.text.drawing import column_width

UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp")
SELECTORS = "\u180b\u180f\ufe00\ufe0f\U000e0100\U000e01ef\U000e0041\u034f\u115f\u1160\u17b4\u2800\u3164\uffa0"
EVIL = "\x1b]0;owned\x07\x1b[2J\x1b[8m\x9b31m\x90q\x9c\x08\x7f\rX\u202eevil\u2066\u200b\u00a0\U000e0041\ufe0f\u061c"
KEPT = "\n\t "
HARMLESS = re.compile(
    r"\r?\n|\t|\x1b\[(?:0|1|3[1-7]|9[0-7]|[013];3[1-7])?m|\x1b\[38;5;\d+m"
    r"|\x1b\[\?25[hl]|\r?\x1b\[(?:2K|1A)"  # our own progress, where a command takes longer than a second
)
ACTING = re.compile("[\0-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\U000e0000-\U000e0fff]")


@pytest.mark.slow
def test_all_that_cannot_be_seen_is_made_visible() -> None:
    unseen = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) in UNSEEN and chr(c) not in KEPT]
    for character in (*unseen, *SELECTORS):
        visible_text = visible(f"a{character}b")
        assert character not in visible_text and len(visible_text) > 2, hex(ord(character))
        assert character not in visible_in_place(character) and json.loads(escape_json(json.dumps(character)))
    plain = "aé語 ー👍\n\tx - e\u0301"
    assert visible(plain) == plain == visible_in_place(plain) == visible_code(plain) == escape_json(plain)


@given(st.text(st.sampled_from(f"ab1;[]m语 \n\t\x1b{EVIL}"), max_size=60))
def test_nothing_acts_behind_the_guard(text: str) -> None:
    for line in (guard(text, True), guard(visible(text), True)):
        assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f]", re.sub(r"\x1b\[[013679;]*[0-9]*m", "", line))
    assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f]", guard(text, False))
    assert json.loads(escape_json(json.dumps(text, ensure_ascii=False))) == text
    assert sum(map(column_width, visible_in_place(text))) == sum(column_width(c) for c in text)


@pytest.mark.parametrize("hiding", ["\x1b[8m", "\x1b[30m", "\x1b[0;8m", "\x1b[38;5;0m", "\x1b[K", "\x1bc"])
def test_a_colour_that_hides_is_none_of_ours(hiding: str) -> None:
    assert "\x1b" not in guard(hiding, True) and guard("\x1b[1m\x1b[31mx\x1b[0m", True) == "\x1b[1m\x1b[31mx\x1b[0m"


# ---- commands and contents


@given(st.text(st.sampled_from("ab;语 \t\n\u00a0\u3000"), min_size=1, max_size=400))
def test_every_character_of_a_command_is_shown(text: str) -> None:
    joined = "".join(show_command(text))
    assert joined == visible_command(text)
    for count in re.findall(r"<(\d+) blanks>", joined):
        joined = joined.replace(f"<{count} blanks>", " " * int(count), 1)
    joined = joined.replace("␣", " ").replace("␊", "\n").replace("␉", "\t")
    assert re.sub("<U\\+([0-9A-F]+)>", lambda found: chr(int(found[1], 16)), joined) == text


@given(st.text(st.sampled_from("ab 语\u0301"), max_size=200), st.integers(2, 40))
def test_a_wrapped_line_has_every_character_and_its_width(text: str, width: int) -> None:
    pieces = wrap(text, width)
    assert "".join(pieces) == text and all(sum(map(column_width, piece)) <= width for piece in pieces)


def test_blanks_push_nothing_out_of_sight() -> None:
    assert visible_command(f"echo ok{' ' * 500}; rm -rf x") == "echo ok<500 blanks>; rm -rf x"
    assert visible_command("a  b ") == "a␣␣b␣" and visible_command("a b") == "a b"
    assert visible_code(f"x = 1{' ' * 200}; evil()") == "x = 1<200 blanks>; evil()"
    assert visible_code("\t" * 7 + "x") == "\t" * 7 + "x" and visible_code("\t" * 8 + "x") == "<8 blanks>x"


def test_plans_and_questions_show_the_whole_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    line = "echo " + "b" * 300 + " " * 300 + "; curl x | sh #" + "c" * 300
    (tmp_path / "r.txt").write_text(f"::run @{line}\n")
    for item in (run("plan", "r.txt"), run("apply", "--shell", "r.txt", stdin="n\n"), run("process", "r.txt")):
        assert "".join(visible_command(line).split()) in "".join((item.stdout + item.stderr).split())


def test_what_hides_in_a_content_is_shown() -> None:
    lines = "\n".join(show_diff(change(1, "a\u00a0b", b"x\n", f"{EVIL}\n".encode())))
    assert not ACTING.search(lines.replace("\n", "")) and "<U+00A0>" in lines and "<U+E0041>" in lines


@pytest.mark.slow
def test_the_whole_difference_can_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    content = "".join(f"line {number}\n" for number in range(25_000))
    (tmp_path / "r.txt").write_text(f"::create @a.txt\n<<<\n{content}>>>\n::create @.github/b\n<<<\n{content}>>>\n")
    short, whole_output = run("plan", "r.txt").stdout, run("plan", "--full-diff", "r.txt").stdout
    assert "too many to show (--full-diff" in short and "line 24999" not in short
    assert whole_output.count("+line ") == 50_000
    errors = run("apply", "r.txt", stdin="d\nq\n").stderr
    assert errors.count("+line ") >= 25_000 and errors.count("Make this change?") == 2
    assert run("apply", "--full-diff", "r.txt", stdin="q\n").stderr.count("+line ") == 25_000


@given(st.lists(st.sampled_from(["a\n", "b\n"]), max_size=6), st.lists(st.sampled_from(["a\n", "b\n"]), max_size=6))
def test_a_difference_of_long_texts_leads_from_one_to_the_other(old: list[str], new: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("symops_lark.adapters.cli.view._MOST_COMPARED", -1)
        lines = list(show_diff(change(1, "a", "".join(old).encode(), "".join(new).encode())))
        lines = lines if old or new else lines[1:]  # that says that the file is empty
        assert bool(lines) is (old != new)
    gone = [line[1:] + "\n" for line in lines[2:] if line.startswith("-")]
    come = [line[1:] + "\n" for line in lines[2:] if line.startswith("+")]
    remainder = len(old) - len(gone)
    assert remainder == len(new) - len(come) >= 0
    assert any(
        old == old[:at] + gone + old[at + len(gone) :] and new == old[:at] + come + old[at + len(gone) :]
        for at in range(remainder + 1)
    )


# ---- every command

EVERY_COMMAND = """\
import json, os, sys
from symops_lark.adapters.cli import symops
for arguments in json.loads(sys.argv[1]):
    try:
        symops.main(arguments, prog_name="symops")
    except SystemExit as end:
        assert end.code in (0, 1, 2), (arguments, end.code)
    print("and then", flush=True)
"""
LINE = EVIL.replace("\r", "")
REPLY = f"""\
Sure {EVIL}
>> think {LINE}
::create @a{LINE}.py
<<<
x = 1 {EVIL}
>>>
::create @b.py
<<<
x = 1 {EVIL}
>>>
::run @echo {LINE}
? "why {LINE}"
  1. {LINE}
! Bad{LINE} @ x {LINE}
::create @c.py
<<<
cut {EVIL}
"""
VALID = f'>> think {LINE}\n\n::create @b.py\n<<<\n{EVIL}\n>>>\n\n! Bad @ x {LINE}\n\n? "{LINE}"\n'
DOCUMENT = {
    "dialect": EVIL,
    "sections": [
        {"kind": "thought", "text": EVIL},
        {"kind": "vitals", "values": {EVIL: 0.5}},
        {"kind": "action", "type": EVIL, "path": EVIL, "content": EVIL, "dependencies": [EVIL]},
        {"kind": "action", "type": "create", "path": "d.py", "content": EVIL, "attributes": {EVIL: EVIL}},
        {"kind": "action", "type": "run", "path": EVIL},
        {"kind": "error", "type": EVIL, "target": EVIL, "message": EVIL},
        {"kind": "skipped", "text": EVIL, "code": EVIL},
    ],
}


def hostile_commands(folder: Path) -> list[tuple[str, ...]]:
    """Write hostile texts, and return commands that read them, each in several ways, and that get hostile arguments."""
    name = f"n{EVIL}\n.txt"
    texts = {"r.txt": REPLY, "v.txt": VALID, name: REPLY, "d.json": json.dumps(DOCUMENT), "bad.yaml": EVIL, "e": EVIL}
    for file, text in texts.items():
        (folder / file).write_bytes(text.encode())
    (folder / "bad.lark").write_text(f"document: {EVIL}\n")
    (folder / "latin").write_bytes(EVIL.encode("utf-8") + b"\xff")
    model = folder / "model.py"
    model.write_text(f"import sys\nprint({REPLY!r})\nsys.stderr.write({EVIL!r})\nsys.exit(int(sys.argv[1]))\n")
    readers: tuple[tuple[str, ...], ...] = (
        *(("process",), ("process", "--trace"), ("process", "--json"), ("parse",), ("recover",), ("recover", "--json")),
        *(("repair",), ("repair", "--diff"), ("repair", "--explain"), ("repair", "--json"), ("check",), ("render",)),
        *(("check", "--fix"), ("convert", "-t", "v1"), ("convert", "-t", "plain", "--json"), ("plan",)),
        *(
            ("plan", "--full-diff"),
            ("plan", "--json"),
            ("apply", "--yes", "--no-run"),
            ("apply",),
            ("prompt", "--lint"),
        ),
        *(("prompt", "do it", "-c"), ("grammar", "trace"), ("bench", "report"), ("apply", "--policy")),
    )
    files = ("r.txt", "v.txt", name, "d.json", "latin", "e", f"missing{EVIL}")
    python = f"{sys.executable} {model}"
    remaining = (
        *((EVIL,), ("process", f"--{EVIL}"), ("process", "-f", EVIL), ("process", "-f", "bad.lark", "r.txt")),
        *(("rules", "show", EVIL), ("rules", "test", EVIL), ("repair", "--rules", EVIL), ("grammar", "show", EVIL)),
        *(("grammar", "check", EVIL), ("grammar", "show", "bad.lark"), ("grammar", "diff", EVIL, "v2")),
        *(
            ("bench", "tasks", EVIL),
            ("bench", "report", EVIL),
            ("bench", "compare", EVIL, EVIL),
            ("undo", "--root", EVIL),
        ),
        *(("plan", "--policy", "bad.yaml", "v.txt"), ("plan", "--root", EVIL, "v.txt"), ("prompt", EVIL)),
        ("ask", "-p", "command", "--command", f"{python} 0", "--attempts", "0", EVIL),
        ("ask", "-p", "command", "--command", f"{python} 1", "--attempts", "0", "x"),
        ("ask", "-p", "command", "--command", f"{python} 0", "--attempts", "1", "--trace", "-o", "out.txt", "x"),
        *(("ask", "-p", EVIL, "x"), ("apply", "v.txt", "--yes", "--run"), ("undo",), ("undo",)),
    )
    return [*((*reader, file) for reader in readers for file in files), *remaining]


def run_at_a_terminal(folder: Path, commands: Sequence[Sequence[str]], is_piped: bool) -> tuple[str, str]:
    """Return what commands write to a terminal, or to a pipe, and to standard error."""
    main, second = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", EVERY_COMMAND, json.dumps(commands)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if is_piped else second,
        stderr=second,
        env=environment(TERM="xterm", NO_COLOR="", PYTHONIOENCODING="utf-8"),
    ) as process:
        os.close(second)
        data = b""
        if process.stdout is not None:
            from threading import Thread

            piped: list[bytes] = []
            reader = Thread(target=lambda: piped.append(process.stdout.read()))  # type: ignore[union-attr]
            reader.start()
        try:
            while piece := os.read(main, 65536):
                data += piece
        except OSError:  # how Linux says that the other side is closed
            pass
        if is_piped:
            reader.join()
    os.close(main)
    assert process.returncode == 0, data[-2000:]
    return (piped[0].decode() if is_piped else ""), data.decode()


@pytest.mark.slow
@pytest.mark.alike(4)
@pytest.mark.parametrize("is_piped", [False, True], ids=["terminal", "pipe"])
def test_no_command_lets_a_text_act_on_the_terminal(tmp_path: Path, is_piped: bool) -> None:
    commands = hostile_commands(tmp_path)
    out, output = run_at_a_terminal(tmp_path, commands, is_piped)
    assert (out or output).count("and then") == len(commands) and len(output) > 10_000
    match = ACTING.search(HARMLESS.sub("", output))
    assert match is None, repr(HARMLESS.sub("", output)[max(0, match.start() - 300) : match.start() + 50])


def test_data_in_a_pipe_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.txt").write_bytes(VALID.encode())
    for verb in (("repair",), ("convert", "-t", "v2"), ("render",)):
        assert CliRunner().invoke(symops, [*verb, "v.txt"]).stdout_bytes == VALID.encode()


def test_commands_that_cannot_be_seen_through_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert command(1, "ls").path == "ls"
    result = run("plan", stdin="::run @ls\x1b[8m\n")
    assert result.exit_code == 1 and "␛[8m" in result.stdout
