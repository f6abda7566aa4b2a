"""Which texts of strangers go into which commands: examples of each, words that it knows, and how it is run."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from dataclasses import fields
from enum import Enum
from functools import cache
from pathlib import Path
from random import Random

from symops_lark.acting.plan.policy import Policy
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.models import load_model

from .calls import Target, call, read_files, run_commands
from .notations import NOTATIONS
from .routing import ROUTING
from .sessions import SESSIONS

BROKEN = b'Sure:\n\n```\n>> go\n::Create "a.py"\n<<<\nx = 1\n>>>\n```\n::run @make\n'


@cache
def _documents() -> tuple[bytes, ...]:
    from symops_lark import process

    results = []
    for data in (
        BROKEN,
        *read_files("examples/small_model_reply.txt", "examples/broken_reply.txt", "tests/transcripts/composed-*.txt"),
    ):
        result = process(data.decode())
        results += [result.document.to_dict(), result.to_dict()]
    return tuple(json.dumps(value).encode() for value in results)


def _dialects() -> tuple[bytes, ...]:
    extra = b"%import .v2\n%override document: (_GAP | thought | vitals | action | question | error | extra)*\n"
    extra += b'extra: _EXTRA _SP WORD ("a" | "b")? ("c"~1..3) _NL\n_EXTRA: "%%"\nOTHER: /[a-z]+[0-9]*/i\n'
    return *read_files("grammars/v1.lark", "grammars/v2.lark", "grammars/v2_*ed.lark", "grammars/plain.lark"), extra


def _recoveries() -> tuple[bytes, ...]:
    own = b"%import .v2_recovery\n//! A line too many. | delete it\nnew_mistake.-4000: TEXT\n"
    own += b"%extend document: document new_mistake\n"
    return own, *read_files("grammars/*_recovery.lark")


def _recover(data: bytes, place: Path, draws: Random) -> tuple[str, str]:
    (place / "own.lark").write_bytes(b"%import .v2\n")
    (place / "own_recovery.lark").write_bytes(data)
    own = str(place / "own.lark")
    chosen = draws.choice((("process", "-f", own), ("grammar", "check", own), ("grammar", "trace", own, "-")))
    return call(chosen, BROKEN)


def _rule(data: bytes, place: Path, draws: Random) -> tuple[str, str]:
    rules = place / "rules"
    rules.mkdir()
    strips = [line.removeprefix(b"id:").strip() for line in data.split(b"\n") if line.startswith(b"id:")]
    stem = strips[0].decode("ascii", "replace") if strips else "a-rule"
    stem = stem[:60] if stem.replace("-", "").isalnum() else "a-rule"
    (rules / f"{stem}.yaml").write_bytes(data)
    commands = (("rules", "test"), ("rules", "list"), ("process",), ("repair",), ("rules", "show", stem))
    return call((*draws.choice(commands), "--rules", str(rules)), BROKEN)


def _apply(data: bytes, place: Path, draws: Random) -> tuple[str, str]:
    """Plan or apply a document in a folder of its own; no command runs."""
    root = place / "root"
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_bytes(b"x = 1\n")
    (root / "a.py").write_bytes(b"y = 1\n")
    text = place / "reply"
    text.write_bytes(data)
    where = (str(text), "--root", str(root))
    chosen = draws.choice((("plan", *where), ("plan", "--json", *where), ("apply", "--yes", "--no-run", *where)))
    output, answer = call(chosen)
    return (output, answer) if answer or chosen[0] == "plan" else call(("undo", "--root", str(root)))


def _policies() -> tuple[bytes, ...]:
    """Return a policy of all defaults, and one of a few settings."""
    all_of_it = {
        name: str(value) if isinstance(value, Enum) else list(value) if isinstance(value, tuple) else value
        for name, value in ((field.name, getattr(Policy(), field.name)) for field in fields(Policy))
    }
    lines = "".join(f"{name}: {json.dumps(value)}\n" for name, value in all_of_it.items())
    return lines.encode(), b"deleting: auto\nsensitive: ['.github/**']\nask_from: 0.5\n"


@cache
def _journal_files() -> tuple[tuple[str, bytes], ...]:
    """Return the files of a journal, as an apply that was done leaves them."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        root.mkdir()
        (root / "a.py").write_bytes(b"y = 1\n")
        reply = Path(folder) / "reply"
        reply.write_bytes(b"::edit @a.py\n<<<\nx = 1\n>>>\n::create @new/b.py\n<<<\nz\n>>>\n")
        call(("apply", "--yes", "--no-run", "--root", str(root), str(reply)))
        rglob = [path for path in sorted(root.rglob("*")) if path.is_file() and ".symops" in path.parts]
        return tuple((str(path.relative_to(root)), path.read_bytes()) for path in rglob)


def _journals() -> tuple[bytes, ...]:
    return tuple(data for name, data in _journal_files() if name.endswith(".json")) or (b"{}",)


def _undo(data: bytes, place: Path, draws: Random) -> tuple[str, str]:
    root = place / "root"
    for name, saved in _journal_files():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(saved)
    root.mkdir(exist_ok=True)
    names = [name for name, _ in _journal_files()] or [".symops/1/open.json"]
    last = root / draws.choice(names)
    if draws.random() < 0.3:
        last = last.with_name(draws.choice(("open.json", "done.json", "notes", "0", "undone.json")))
    last.parent.mkdir(parents=True, exist_ok=True)
    last.write_bytes(data)
    reply = place / "reply"
    reply.write_bytes(BROKEN)
    where = ("--root", str(root))
    return call(
        draws.choice(
            (("undo", *where), ("undo", "--force", *where), ("plan", str(reply), *where), ("undo", "--json", *where))
        )
    )


@cache
def _run_logs() -> tuple[bytes, ...]:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "run.jsonl"
        call(("bench", "run", "-s", "faults", "-f", "v2,plain", "-t", "c-ring-buffer", "--quiet", "-o", str(log)))
        return (log.read_bytes(),)


def _transcript(data: bytes, place: Path, draws: Random) -> tuple[str, str]:
    name = draws.choice(("c-ring-buffer.txt", "c-ring-buffer.toml", "replies.jsonl", "c-ring-buffer.json"))
    target_path, out = place / "given", place / "out"
    target_path.mkdir()
    out.mkdir()
    for path, seed in zip(("toml", "txt"), read_files("tests/transcripts/composed-valid.*"), strict=True):
        (target_path / f"c-ring-buffer.{path}").write_bytes(seed)
    (target_path / name).write_bytes(data)
    commands: tuple[tuple[str, ...], ...] = (
        ("prompt", "--lint", str(target_path / name)),
        (
            *("bench", "run", "-s", str(target_path), "-f", "v2", "-t", "c-ring-buffer", "--quiet"),
            *("-o", str(out / "run.jsonl")),
        ),
    )
    return call(draws.choice(commands))


def _answers() -> tuple[bytes, ...]:
    from benchmarks.attacks._wire import Wire

    results = []
    for path in ("/v1/chat/completions", "/v1/messages"):
        for streams in (True, False):
            wire = Wire(None, None, path, {"stream": streams})  # type: ignore[arg-type]
            results.append(wire.body(">> Grün.\n", ":: run → make\n").encode())
    return tuple(results)


def _answer(data: bytes, place: Path, draws: Random) -> tuple[str, str]:
    """Let a server on loopback answer with an input."""
    from benchmarks.attacks._wire import AttackServer
    from benchmarks.attacks.servers import loopback_keys

    provider = "openai" if b"choices" in data else "anthropic"
    with loopback_keys(), AttackServer(lambda wire: wire.answer(data)) as server:
        if data.lstrip()[:1] == b"{":  # a whole answer
            with suppress(SymOpsError):
                load_model(provider, "m", base_url=server.url, max_retries=0, timeout=20).generate("Hello.")
            return "", ""
        return call(
            (
                *("ask", "-p", provider, "-m", "m", "--base-url", server.url, "--attempts", "0", "--timeout", "20"),
                *("--save-reply", str(place / "reply"), *draws.choice(((), ("--json",), ("-o", str(place / "out"))))),
                "Hello.",
            )
        )


_REPLY = run_commands(
    ("process",),
    ("process", "--json", "--trace"),
    ("process", "--extract"),
    ("parse",),
    ("parse", "-f", "v1"),
    ("recover",),
    ("recover", "--json"),
    ("repair",),
    ("repair", "--diff"),
    ("check",),
    ("check", "--json"),
    ("render",),
    ("convert", "-t", "v1"),
    ("convert", "-t", "plain"),
    ("stream",),
    ("stream", "--events-only"),
    ("grammar", "trace", "v2", "-"),
    ("prompt", "--lint", "-"),
    ("check", "--fix"),
    ("process", "-f", "plain"),
    ("repair", "-f", "v1"),
)
_GRAMMAR = run_commands(
    ("process", "-f", "{file}"),
    ("process", "-f", "{file}"),
    ("repair", "-f", "{file}"),
    ("grammar", "check", "{file}"),
    ("grammar", "trace", "{file}", "-"),
    ("grammar", "show", "{file}"),
    ("grammar", "sample", "{file}", "-n", "3"),
    ("grammar", "derive", "{file}", "--set", '_ACTION="&&"'),
    ("prompt", "--system", "-f", "{file}"),
    ("grammar", "diagram", "{file}", "-o", "{here}/d.svg"),
    name="own.lark",
    stdin=BROKEN,
)
_MARKS = (
    b"::",
    b">>",
    b"<<<",
    b">>>",
    b"@",
    b"$",
    b"--",
    b"```",
    b"<think>",
    b"</think>",
    b"<tool>",
    b"create",
    b"run",
    b"::c0.9",
)
_LARK = (
    b"%import ",
    b"%import common.WORD\n",
    b"%override ",
    b"%extend ",
    b"%declare X\n",
    b"%ignore WORD\n",
    b"_OPEN",
    b"_CLOSE",
    b"BLOCK",
    b"document",
    b"action",
    b"_SP",
    b"_NL",
    b"?",
    b"*",
    b"+",
    b"~2..3",
    b"|",
    b"/[a-z]/",
    b'"x"',
    b"->",
    b".2",
    b"{x}",
)

TARGETS: dict[str, Target] = {
    "reply": Target(lambda: (BROKEN, *read_files("examples/*.txt", "tests/transcripts/*.txt")), _REPLY, _MARKS),
    "applied": Target(
        lambda: (BROKEN, *read_files("tests/transcripts/composed-*.txt")), _apply, (*_MARKS, b"../x", b".git/x")
    ),
    "document": Target(
        _documents,
        run_commands(
            ("render",),
            ("render", "-t", "v1"),
            ("convert", "-t", "v1"),
            ("convert", "-t", "plain", "--json"),
            ("render", "--numbered"),
            ("plan", "-"),
            ("plan", "--json", "-"),
            ("process",),
            ("check",),
        ),
        (b'"sections"', b'"kind"', b'"action"', b"1e999", b"null", b'"\\ud800"', b"[]", b"{}", b"true", b"9" * 5000),
    ),
    "rule": Target(
        lambda: read_files("repair_rules/*/*.yaml"),
        _rule,
        (b"replace:", b"pattern:", b"with:", b"each:", b"{action}", b"<x>"),
    ),
    "policy": Target(
        _policies,
        run_commands(
            ("plan", "--policy", "{file}", "{here}/../../nothing"),
            ("plan", "--policy", "{file}", "-"),
            name="policy.yaml",
            stdin=BROKEN,
        ),
        (
            b"refuse",
            b"auto",
            b"ask",
            b"ask_from:",
            b"sensitive:",
            b"['**']",
            b"protected:",
            b"largest: 1e999",
            b"allow:",
        ),
    ),
    "dialect": Target(_dialects, _GRAMMAR, _LARK),
    "recovery": Target(
        _recoveries, _recover, (*_LARK, b"TEXT", b"OPEN", b"//! a | b\n", b".-4000", b"between", b"in_block")
    ),
    "profile": Target(
        lambda: read_files("benchmarks/profiles/*.yaml"),
        run_commands(
            ("bench", "faults", "--profile", "{file}"),
            ("bench", "faults", "--profile", "{file}", "--json"),
            name="own.yaml",
        ),
        (b"rate:", b"evidence:", b"0.5", b"2", b"kinds:"),
    ),
    "journal": Target(
        _journals, _undo, (b'"path"', b'"mode"', b'"inode"', b"null", b"[]", b'"../x"', b"-1", b"9" * 5000)
    ),
    "run-log": Target(
        _run_logs,
        run_commands(
            ("bench", "report", "{file}"),
            ("bench", "report", "{file}", "--json", "{here}/r.json"),
            ("bench", "decide", "{file}"),
            ("bench", "compare", "{file}", "{file}"),
            name="run.jsonl",
        ),
        (b"null", b"1e999", b"-1", b'"x"', b"{}", b"[]", b"9" * 5000, b'"strict"', b"true"),
    ),
    "transcript": Target(
        lambda: read_files("tests/transcripts/composed-v*", "benchmarks/transcripts/small*.jsonl"),
        _transcript,
        (b'"text"',),
    ),
    "task": Target(
        lambda: read_files("benchmarks/tasks/[a-c]*.md"),
        run_commands(("bench", "tasks", "{here}"), name="own-task.md"),
        (b"##", b"~~~", b"tags:"),
    ),
    "answer": Target(
        _answers, _answer, (b"null", b"[]", b"{}", b"5", b'"\\ud800"', b"data: ", b"event: ", b"\n\n", b'"text"')
    ),
    **NOTATIONS,
    **ROUTING,
    **SESSIONS,
}
os.environ.setdefault("COLUMNS", "100")
