"""How long exported parsers take, beside this package, beside JSON of the same payloads, and beside a parser of v2
that is written by hand in JavaScript: one run, one machine.

No reply is read twice, so no cache of lines answers: each round has new replies, after a round that warms up. Times
are those of the processor. Cold is the first reply of all, in a new process. A parser that gives another document
than the package has no time.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import symops_lark
from benchmarks.speed import texts
from symops_lark import export
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.ground.numbers import counted
from symops_lark.core.ground.python_processes import python_start
from symops_lark.exports.python import module_name
from symops_lark.lab.benchmark.faults.documents import Document, write

from ._crate import Crate, find_tool
from ._parsers import node

_PYTHON = """
import json, sys, time
sys.path.insert(0, sys.argv[2])
import {module} as parser
def read(work, text):
    try:
        work(text)
    except (parser.ParseError, parser.ProtocolError):
        pass
def median(name, given, count):
    work = json.loads if name == "json" else getattr(parser, name, None)
    if work is None:
        return None
    times = []
    for text in given:
        began = time.process_time_ns()
        read(work, text)
        times.append((time.process_time_ns() - began) / 1e6)
    warm = sorted(times[count:])
    return times[0], warm[len(warm) // 2]
print(json.dumps([median(*row) for row in json.load(open(sys.argv[1], encoding="utf-8"))]))
"""
_NODE = """
import fs from "node:fs";
import {{ isDeepStrictEqual }} from "node:util";
import * as parser from "./index.js";
import * as strict from "./strict.js";
import * as hand from {hand};
const works = {{ json: JSON.parse, parse: strict.parse, hand: hand.parse }};
const compare = (text) => {{
  if (isDeepStrictEqual(hand.parse(text), strict.parse(text))) return;
  throw new Error(`the parser written by hand gives another document: ${{text.slice(0, 80)}}`);
}};
const median = ([name, given, count]) => {{
  const work = works[name] ?? parser[name];
  const read = (text) => {{ try {{ work(text); }} catch (error) {{ if (!error.diagnostics) throw error; }} }};
  const times = [];
  for (const text of given) {{
    const began = process.cpuUsage();
    read(text);
    const {{ user, system }} = process.cpuUsage(began);
    times.push((user + system) / 1000);
  }}
  if (name === "hand") given.forEach(compare);
  const warm = times.slice(count).sort((one, other) => one - other);
  return [times[0], warm[warm.length >> 1]];
}};
console.log(JSON.stringify(JSON.parse(fs.readFileSync("rows.json", "utf8")).map(median)));
"""
_HAND = Path(__file__).with_name("hand_written.mjs")
_WORKS = {
    "parse": "strict parse",
    "process": "process",
    "json": "JSON of the same document",
    "hand": "parser written by hand",
}
# The largest replies are 19 of the others together, so they are fewer by this factor.
_FEWER = 10
_COLUMNS = ("package", "one file", "node", "Rust")
_Times = tuple[float, float] | None  # cold and warm


@dataclass(frozen=True)
class _Row:
    """The replies of a kind, and what reads them; those before the index `warm` are the round that warms up."""

    kind: str
    work: str
    texts: list[str]
    warm: int


def main(arguments: Sequence[str]) -> int:
    """Print the median times of each kind of reply in each runtime."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.exports times", description=__doc__)
    options.add_argument("--dialect", default="v2")
    options.add_argument("--replies", type=int, default=30, help="different replies of each kind (default 30)")
    options.add_argument(
        "--rounds", type=int, default=5, help="rounds after the first, each with new replies (default 5)"
    )
    options.add_argument("--rust", action="store_true", help="build the crate of Rust with cargo, and time it too")
    inputs = options.parse_args(arguments)
    rows = [*_rows(inputs.dialect, inputs.replies, inputs.rounds + 1)]
    with tempfile.TemporaryDirectory() as folder:
        times = _run(inputs.dialect, rows, Path(folder))
        times.append(_run_crate(inputs.dialect, rows, Path(folder) / "crate") if inputs.rust else [None] * len(rows))
    print(
        f"Medians in milliseconds, dialect {inputs.dialect}, {counted(inputs.replies, 'reply', 'replies')} a kind, "
        f"{counted(inputs.rounds, 'round')}, all different; cold, then warm; in node, `./strict` parses"
    )
    print(f"{'reply':38} {'':26} " + " ".join(f"{column:>17}" for column in _COLUMNS))
    for row, *item in zip(rows, *times, strict=True):
        print(f"{row.kind:38} {_WORKS[row.work]:26} " + " ".join(map(_show, item)))
    return 0


def _show(times: _Times) -> str:
    return f"{'-':>17}" if times is None else f"{times[0]:8.3f} {times[1]:8.3f}"


def _rows(dialect: str, replies: int, rounds: int) -> Iterator[_Row]:
    """Yield the rows of the table: replies by their kind, and by what reads them."""
    count = replies * rounds
    typical = [texts.typical(dialect, number) for number in range(count)]
    yield from _valid_rows("valid, 200 lines", dialect, typical, replies)
    heavy = filter(partial(_is_valid, dialect), (texts.content_heavy(dialect, number=at) for at in itertools.count()))
    yield from _valid_rows("valid, 40 blocks of 2.5 KB", dialect, [*islice(heavy, count)], replies)
    few = max(1, replies // _FEWER)
    largest = [Document(sum((item.actions for item in islice(heavy, 19)), ())) for _ in range(few * rounds)]
    yield from _valid_rows("valid, 760 blocks of 2.5 KB", dialect, largest, few)
    for title, names in texts.DAMAGES.items():
        broken = [texts.broken(element, dialect, names) for element in typical]
        damaged = [text for text in broken if text is not None]
        yield _Row(f"broken: {title}", "process", damaged, min(replies, len(damaged) - 1))


def _valid_rows(kind: str, dialect: str, documents: list[Document], warm: int) -> Iterator[_Row]:
    replys = [write(document, dialect) for document in documents]
    for work in ("parse", "process"):
        yield _Row(kind, work, replys, warm)
    parsed = [symops_lark.parse(text, dialect).to_dict() for text in replys]
    yield _Row(kind, "json", [json.dumps(item, ensure_ascii=False) for item in parsed], warm)
    if dialect == "v2":
        yield _Row(kind, "hand", replys, warm)


def _is_valid(dialect: str, made: Document) -> bool:
    """Return whether a document can be written: a content that is cut may hold a delimiter of the dialect."""
    try:
        symops_lark.parse(write(made, dialect), dialect)
    except symops_lark.ParseError:
        return False
    return True


def _run(dialect: str, rows: list[_Row], folder: Path) -> list[list[_Times]]:
    """Return the first time and the median of this package, of one file of Python, and of the npm package in node."""
    for kind in ("python", "javascript"):
        for file, text in export(kind, dialect, tolerant=True).items():
            (folder / file).write_text(text, encoding="utf-8")
    (folder / "rows.json").write_text(json.dumps([[row.work, row.texts, row.warm] for row in rows]), encoding="utf-8")
    (folder / "times.mjs").write_text(_NODE.format(hand=json.dumps(_HAND.as_uri())), encoding="utf-8")
    (folder / "package.py").write_text(_AS_MODULE.format(dialect=dialect), encoding="utf-8")
    paths = [str(folder / "rows.json"), str(folder)]
    start = python_start("-c", _PYTHON.format(module="package"), *paths)
    theirs = _PYTHON.format(module=module_name(load_grammar(dialect)))
    commands = [
        start.command,
        python_start("-I", "-S", "-c", theirs, *paths).command,
        [node(), str(folder / "times.mjs")],
    ]
    return [
        json.loads(
            subprocess.run(
                command, stdout=subprocess.PIPE, check=True, encoding="utf-8", env=start.environment, cwd=folder
            ).stdout
        )
        for command in commands
    ]


def _run_crate(dialect: str, rows: list[_Row], folder: Path) -> list[_Times]:
    """Return the first time and the median of the crate of Rust, which only parses."""
    cargo = find_tool("cargo")
    if cargo is None:
        print("cargo is not installed, so Rust has no times", file=sys.stderr)
        return [None] * len(rows)
    crate = Crate(cargo, dialect, folder)
    documents = {row.kind: row.texts for row in rows if row.work == "json"}
    measured: list[_Times] = []
    for row in rows:
        if row.work != "parse":
            measured.append(None)
            continue
        times = crate.time(row.texts, documents[row.kind])
        warm = sorted(times[row.warm :])
        measured.append((times[0], warm[len(warm) // 2]))
    return measured


_AS_MODULE = """
from functools import partial
import symops_lark
from symops_lark import ParseError, ProtocolError
parse = partial(symops_lark.parse, format={dialect!r})
process = symops_lark.SymOpsProcessor({dialect!r}).process
"""
