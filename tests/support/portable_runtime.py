"""The strict npm package at work in node, with a program beside it."""

from __future__ import annotations

import json
import subprocess
import tempfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from benchmarks.exports._chromium import open_page
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


# What the runner takes from node, for a browser. The runner itself stays as it is.
_MODULES = {
    "fs.js": """
export const readFileSync = (address) => {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  request.send();
  return request.responseText;
};
""",
    "url.js": """
export const fileURLToPath = String;
export const pathToFileURL = (path) => new URL(path, location.href).href;
""",
    "util.js": """
const isObject = (value) => value !== null && typeof value === "object";
export const isDeepStrictEqual = (one, other) => {
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return Object.is(one, other);
  const names = Object.keys(one);
  const isSame = (name) => Object.hasOwn(other, name) && isDeepStrictEqual(one[name], other[name]);
  return names.length === Object.keys(other).length && names.every(isSame);
};
""",
    "page.html": """<!doctype html><meta charset="utf-8"><body><script>
var process = { argv: ["", "", "./strict.js"] };
console.log = (text) => { document.body.textContent = text; };
</script><script type="importmap">
{ "imports": { "node:fs": "./fs.js", "node:url": "./url.js", "node:util": "./util.js" } }
</script><script type="module" src="run.mjs"></script>
""",
}


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


def run_cases_in_browser(files: dict[str, str], dialect: Any) -> str:
    """Return what the runner of a conformance suite prints in Chromium for the strict npm package."""
    with tempfile.TemporaryDirectory() as folder:
        for file, text in {**export("javascript", dialect), **files, **_MODULES}.items():
            (Path(folder) / file).write_text(text, encoding="utf-8")
        # Modules of a file have no origin, so a browser does not load them.
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder)) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            try:
                return open_page(f"http://127.0.0.1:{server.server_port}/page.html")
            finally:
                server.shutdown()
