"""The strict npm package at work in node, with a program beside it."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.exports._parsers import node
from symops_lark import export

_TAKES = """
import { readFileSync } from "node:fs";
import { load, parse, ParseError } from "./runtime.js";
const tables = load(JSON.parse(readFileSync("given.json", "utf8")));
for (const text of JSON.parse(readFileSync("texts.json", "utf8"))) {
  let taken = true;
  try { parse(tables, text); } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    taken = false;
  }
  console.log(JSON.stringify(taken));
}
"""


def run_node(
    program: str, dialect: Any, folder: Path, texts: Any = None, changes: dict[str, str] | None = None
) -> list[Any]:
    """Return the lines that a program prints beside the exported strict package, in which some texts are replaced."""
    for name, text in export("javascript", dialect).items():
        for before, after in (changes or {}).items():
            text = text.replace(before, after)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "ask.mjs").write_text(program, encoding="utf-8")
    (folder / "texts.json").write_text(json.dumps(texts or []), encoding="utf-8")
    done = subprocess.run(
        [node(), "ask.mjs"], cwd=folder, capture_output=True, encoding="utf-8", timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def read_by_tables(tables: str, texts: list[str]) -> list[bool]:
    """Return for each text whether the runtime takes it with tables in JSON."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "given.json").write_text(tables, encoding="utf-8")
        return run_node(_TAKES, "v2", Path(folder), texts)


def run_cases(files: dict[str, str], dialect: Any) -> str:
    """Return what the runner of a conformance suite prints for the strict npm package."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in {**export("javascript", dialect), **files}.items():
            (folder / file).write_text(text, encoding="utf-8")
        command = [node(), "run.mjs", "strict.js"]
        done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=300, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
