"""The errors of all exported strict parsers have the places, messages and drawn lines of this package."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rust_crates import RUSTC, compile_crate, compile_program

from benchmarks.exports._parsers import node
from symops_lark import ParseError, export, parse

Ask = Callable[[str], Any]
# A dialect that names paths in attribute lines, whose errors look at the lines above, and one that does not.
DIALECTS = ("v2", "v2_attributes")
LINES = (
    *("::create @a.py", "::create", "::run @ls", "::e", ">> a", "<<<", ">>>", "  @path: b.py", "  @deps: c", "  @x: y"),
    *("? a", " 1. b", "! late", "::c0.5", "::frob", "x", "", " ", "```", "create @a.py", "::Create @a", ">>a"),
    *(">>>>", "<<<<< ", ">>>> x"),
)
SIGNS = (
    *("\n", "\r", "\r\n", "\u2028", "\u2029", "\x85", "\v", "\f", "\x1c", "\ufeff", "\0", "\t", "\u3000", "\u200b"),
    *("🙂", "𝒙", "漢", "e\u0301", "\uffff", "\U0010ffff", "\ue000", "\u0378", "\U0001fae8", "'", '"', "\\", "ſ", "K"),
    *("x" * 130, "漢" * 70, "🙂" * 65, "\u2028\n", "\ufeff\n"),
)
# Some lines, not all of which end, with signs before, between and after them.
TEXTS = st.lists(st.sampled_from([*LINES, *(f"{line}\n" for line in LINES), *SIGNS]), max_size=12).map("".join)
IN_NODE = """
import { createInterface } from "node:readline";
import { parse, ParseError, StreamReader } from "./strict.js";
const outcome = (make) => {
  try { return { document: make() }; } catch (error) {
    if (!(error instanceof ParseError)) return { crash: error.stack };
    return { error: error.diagnostics[0], drawn: error.message };
  }
};
const stream = (text) => {
  const reader = new StreamReader();
  for (let at = 0; at < text.length; at += 3) reader.push(text.slice(at, at + 3));
  return reader.end();
};
for await (const line of createInterface({ input: process.stdin })) {
  const text = Buffer.from(line, "hex").toString();
  const whole = JSON.stringify(outcome(() => parse(text)));
  const pieces = JSON.stringify(outcome(() => stream(text)));
  console.log(whole === pieces ? whole : `{ "whole": ${whole}, "pieces": ${pieces} }`);
}
"""
IN_RUST = """
use std::io::{stdin, BufRead};
fn main() {
    for line in stdin().lock().lines() {
        let line = line.unwrap();
        let bytes = (0..line.len()).step_by(2).map(|at| u8::from_str_radix(&line[at..at + 2], 16).unwrap());
        println!("{}", parser::to_json(&String::from_utf8(bytes.collect()).unwrap()));
    }
}
"""


@contextmanager
def asked(command: list[str], folder: Path) -> Iterator[Ask]:
    """Give a function that asks a process: a text as a hexadecimal line in, a line of JSON out."""

    def ask(text: str) -> Any:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(text.encode().hex() + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        try:
            yield ask
        finally:
            process.kill()


def load_module(dialect: str, folder: Path) -> Any:
    """Return the exported module of Python."""
    [code, _] = export("python", dialect).values()
    path = folder / "exported.py"
    path.write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(f"exported_{dialect}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcome(read: Callable[[str], Any], error_type: type[Exception], text: str) -> dict[str, Any]:
    """Return a document, or the diagnostic with the drawn message, as JSON has them."""
    table: dict[str, Any]
    try:
        table = {"document": read(text).to_dict()}
    except error_type as error:
        [diagnostic] = error.diagnostics  # type: ignore[attr-defined]
        table = {"error": diagnostic.to_dict(), "drawn": str(error)}
    result: dict[str, Any] = json.loads(json.dumps(table))
    return result


def in_units(text: str, value: Any) -> Any:
    """Return a JSON value in which the places of code points count UTF-16 units."""
    if isinstance(value, list):
        return [in_units(text, item) for item in value]
    if not isinstance(value, dict):
        return value
    if {"start", "end", "line", "column"} != {*value}:
        return {name: in_units(text, member) for name, member in value.items()}
    line_start = value["start"] - value["column"] + 1
    return {
        "start": units(text[: value["start"]]),
        "end": units(text[: value["end"]]),
        "line": value["line"],
        "column": units(text[line_start : value["start"]]) + 1,
    }


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def for_node(text: str, wanted: dict[str, Any]) -> dict[str, Any]:
    """Return what node should say of a text."""
    changed: dict[str, Any] = in_units(text, wanted)
    if "error" in wanted:
        before, after = wanted["error"]["span"], changed["error"]["span"]
        head = f"<reply>:{before['line']}:{before['column']}:"
        assert wanted["drawn"].startswith(head)
        changed["drawn"] = f"<reply>:{after['line']}:{after['column']}:" + wanted["drawn"].removeprefix(head)
    return changed


def for_rust(wanted: dict[str, Any]) -> dict[str, Any]:
    """Return what the crate should say."""
    if "document" in wanted:
        return wanted
    members = dict(wanted["error"])
    span = members.pop("span")
    del members["severity"]
    return {"error": {**members, "offset": span.pop("start"), **span, "drawn": wanted["drawn"]}}


@pytest.fixture(scope="module", params=DIALECTS)
def readers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Any, Ask, Ask | None]]:
    """Give a dialect, its module of Python, and its parsers in node and in Rust, where there is a compiler."""
    dialect = request.param
    folder = tmp_path_factory.mktemp(dialect)
    for name, code in export("javascript", dialect).items():
        folder.joinpath(name).write_text(code, encoding="utf-8")
    folder.joinpath("ask.mjs").write_text(IN_NODE, encoding="utf-8")
    module = load_module(dialect, folder)
    with asked([node(), "ask.mjs"], folder) as in_node:
        if RUSTC is None:
            yield dialect, module, in_node, None
            return
        crate = folder / "crate"
        compile_crate(export("rust", dialect), crate)
        with asked([str(compile_program(IN_RUST, crate))], folder) as in_rust:
            yield dialect, module, in_node, in_rust


@pytest.mark.slow
@settings(max_examples=100)
@given(text=TEXTS)
@example(">>>>\n")  # a delimiter that begins with the mark of a thought
@example("\n  @x: y\nbad\n")  # once without an end in JavaScript
@example("\n\ufeff::e")  # a mark that is not at the beginning of the text belongs to its line
@example("::\U0001fae8")  # new in Unicode 15
@example("::\uffff\ue000\u00ad\u2028'\"\\")
def test_all_parsers_give_the_same_errors(readers: tuple[str, Any, Ask, Ask | None], text: str) -> None:
    dialect, module, in_node, in_rust = readers
    expected = outcome(partial(parse, format=dialect), ParseError, text)
    assert outcome(module.parse, module.ParseError, text) == expected
    assert in_node(text) == for_node(text, expected)
    if in_rust is not None:
        assert in_rust(text) == for_rust(expected)
