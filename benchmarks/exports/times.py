"""How long exported parsers take, beside this package and beside JSON of the same payloads: one run, one machine.

No reply is read twice, so no cache of lines answers: each round has new replies, after a round that warms up. Times
are those of the processor. Cold is the first reply of all, in a new process.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
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

from ._parsers import node

_PYTHON = """
import json, sys, time
sys.path.insert(0, sys.argv[2])
import {module} as parser
rows, count = json.load(open(sys.argv[1], encoding="utf-8"))
def read(work, text):
    try:
        work(text)
    except (parser.ParseError, parser.ProtocolError):
        pass
def median(work, given):
    times = []
    for text in given:
        began = time.process_time_ns()
        read(work, text)
        times.append((time.process_time_ns() - began) / 1e6)
    warm = sorted(times[min(count, len(times) - 1):])
    return times[0], warm[len(warm) // 2]
print(json.dumps([median(json.loads if name == "json" else getattr(parser, name), given) for name, given in rows]))
"""
_NODE = """
import fs from "node:fs";
const parser = await import(process.argv[3]);
const strict = await import(process.argv[4]);
const [rows, count] = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const median = (work, given) => {
  const read = (text) => { try { work(text); } catch (error) { if (!error.diagnostics) throw error; } };
  const times = [];
  for (const text of given) {
    const began = process.cpuUsage();
    read(text);
    const { user, system } = process.cpuUsage(began);
    times.push((user + system) / 1000);
  }
  const warm = times.slice(Math.min(count, times.length - 1)).sort((one, other) => one - other);
  return [times[0], warm[warm.length >> 1]];
};
const works = { json: JSON.parse, parse: strict.parse };
console.log(JSON.stringify(rows.map(([name, given]) => median(works[name] ?? parser[name], given))));
"""
_TITLES = {"parse": "strict parse", "process": "process", "json": "JSON of the same document"}


def main(arguments: Sequence[str]) -> int:
    """Print the median times of each kind of reply in each runtime."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.exports times", description=__doc__)
    options.add_argument("--dialect", default="v2")
    options.add_argument("--replies", type=int, default=30, help="different replies of each kind (default 30)")
    options.add_argument(
        "--rounds", type=int, default=5, help="rounds after the first, each with new replies (default 5)"
    )
    given = options.parse_args(arguments)
    kinds = _payloads(given.dialect, given.replies * (given.rounds + 1))
    rows = [row for kind in kinds.values() for row in kind.items()]
    times = _run(given.dialect, rows, given.replies)
    print(
        f"Medians in milliseconds, dialect {given.dialect}, {counted(given.replies, 'reply', 'replies')} a kind, "
        f"{counted(given.rounds, 'round')}, all different; cold, then warm; in node, `./strict` parses"
    )
    print(f"{'reply':38} {'':26} {'package':>17} {'one file':>17} {'node':>17}")
    for (kind, name), *each in zip(
        [(kind, name) for kind, payload in kinds.items() for name in payload], *times, strict=True
    ):
        print(f"{kind:38} {_TITLES[name]:26} " + " ".join(f"{cold:8.3f} {warm:8.3f}" for cold, warm in each))
    return 0


def _payloads(dialect: str, count: int) -> dict[str, dict[str, list[str]]]:
    """Return texts by kind of reply and by what reads them."""
    typical = [texts.typical(dialect, number) for number in range(count)]
    heavy = list(islice(filter(partial(_is_valid, dialect), _heavy(dialect)), count))
    kinds = {
        "valid, 200 lines": {name: [write(each, dialect) for each in typical] for name in ("parse", "process")},
        "valid, 40 blocks of 2.5 KB": {name: [write(each, dialect) for each in heavy] for name in ("parse", "process")},
    }
    for kind, documents in zip([*kinds], (typical, heavy), strict=True):
        parsed = [symops_lark.parse(write(each, dialect), dialect).to_dict() for each in documents]
        kinds[kind]["json"] = [json.dumps(each, ensure_ascii=False) for each in parsed]
    for title, names in texts.DAMAGES.items():
        broken = [texts.broken(texts.typical(dialect, number), dialect, names) for number in range(count)]
        kinds[f"broken: {title}"] = {"process": [text for text in broken if text is not None]}
    return kinds


def _heavy(dialect: str) -> Iterator[Document]:
    return (texts.content_heavy(dialect, number=number) for number in itertools.count())


def _is_valid(dialect: str, made: Document) -> bool:
    """Return whether a document can be written: a content that is cut may hold a delimiter of the dialect."""
    try:
        symops_lark.parse(write(made, dialect), dialect)
    except symops_lark.ParseError:
        return False
    return True


def _run(dialect: str, rows: list[tuple[str, list[str]]], count: int) -> list[list[tuple[float, float]]]:
    """Return the first time and the median of this package, of one file of Python, and of the npm package in node."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind in ("python", "javascript"):
            for file, text in export(kind, dialect, tolerant=True).items():
                (folder / file).write_text(text, encoding="utf-8")
        (folder / "rows.json").write_text(json.dumps([rows, count]), encoding="utf-8")
        (folder / "times.mjs").write_text(_NODE, encoding="utf-8")
        (folder / "package.py").write_text(_AS_MODULE.format(dialect=dialect), encoding="utf-8")
        given = [str(folder / "rows.json"), str(folder)]
        start = python_start("-c", _PYTHON.format(module="package"), *given)
        theirs = _PYTHON.format(module=module_name(load_grammar(dialect)))
        commands = [
            start.command,
            python_start("-I", "-S", "-c", theirs, *given).command,
            [
                node(),
                str(folder / "times.mjs"),
                given[0],
                (folder / "index.js").as_uri(),
                (folder / "strict.js").as_uri(),
            ],
        ]
        return [
            json.loads(
                subprocess.run(
                    command, capture_output=True, check=True, encoding="utf-8", env=start.environment, cwd=folder
                ).stdout
            )
            for command in commands
        ]


_AS_MODULE = """
from functools import partial
import symops_lark
from symops_lark import ParseError, ProtocolError
parse = partial(symops_lark.parse, format={dialect!r})
process = symops_lark.SymOpsProcessor({dialect!r}).process
"""
