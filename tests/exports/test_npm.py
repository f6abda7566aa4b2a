"""The exported npm package is packed, installed, and used from TypeScript, as an embedder would."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path

import pytest
from command_line import run
from highlighters import PACKAGES
from repository import ROOT

from benchmarks.exports._parsers import node
from symops_lark import export

TYPESCRIPT = PACKAGES / "node_modules" / "typescript" / "bin" / "tsc"
NPM = Path(node()).parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
PROJECT = """\
import { readFileSync } from "node:fs";
import { process, type Action, type Result } from "symops-v2";

const reply: string = readFileSync("broken_reply.txt", "utf8");
const result: Result = process(reply);
const actions: Action[] = result.document.sections.filter((section) => section.kind === "action");
for (const action of actions) {
  console.error(action.path);
}
console.log(JSON.stringify(result, null, 2));
"""
MISUSE = """\
import { ParseError, ProtocolError, StreamParser, parse, process, recover, repair } from "symops-v2";
import { load, parse as parseWith } from "symops-v2/runtime";
import { StreamReader, type Section, type SymopsDocument } from "symops-v2/strict";
import tables from "symops-v2/tables.json" with { type: "json" };
// @ts-expect-error: a text is wanted
process(1);
// @ts-expect-error: there is no such option
process("", { cut: true });
// @ts-expect-error: strict documents have no phase
parse("").phase;
// @ts-expect-error: what was repaired is a text and what was done
repair("").sections;
// @ts-expect-error: only actions have a path
recover("").sections.map((section) => section.path);
// @ts-expect-error: a stream takes texts
new StreamParser().receive(new Uint8Array());
// @ts-expect-error: only the last phase has a partial document
(error: ParseError): unknown => error.document;
// @ts-expect-error: tables come first
parseWith("");
export const early = (piece: string): Section[] => new StreamReader().push(piece);
export const generic: SymopsDocument = parseWith(load(tables), "");
export const known = (error: ProtocolError): number => error.document.sections.length + error.diagnostics.length;
"""
SETTINGS = {
    "strict": True,
    "noUncheckedIndexedAccess": True,
    "exactOptionalPropertyTypes": True,
    "module": "nodenext",
    "target": "es2022",
    "resolveJsonModule": True,
    "types": ["node"],
    "typeRoots": [str(PACKAGES / "node_modules" / "@types")],
}


def call(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of node in a folder, with a home of its own there."""
    home = {"HOME": str(folder), "npm_config_cache": str(folder / "cache"), "npm_config_offline": "true"}
    command = [node(), *map(str, arguments)]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | home, capture_output=True, encoding="utf-8", timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that the packed package is installed in."""
    if not TYPESCRIPT.is_file():
        pytest.skip("npm could not reach a registry")
    folder = tmp_path_factory.mktemp("project")
    package = folder / "symops-v2"
    package.mkdir()
    files = export("javascript", "v2", tolerant=True)
    for name, text in files.items():
        (package / name).write_text(text, encoding="utf-8")
    [packed] = json.loads(call(NPM, "pack", "./symops-v2", "--json", folder=folder).stdout)
    assert {each["path"] for each in packed["files"]} == files.keys()
    (folder / "package.json").write_text('{"name": "project", "private": true, "type": "module"}', encoding="utf-8")
    call(NPM, "install", f"./{packed['filename']}", "--no-audit", "--no-fund", folder=folder)
    installed = folder / "node_modules" / "symops-v2"
    assert not installed.is_symlink() and (installed / "index.d.ts").is_file()
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": SETTINGS}), encoding="utf-8")
    (folder / "broken_reply.txt").write_bytes((ROOT / "examples" / "broken_reply.txt").read_bytes())
    (folder / "index.ts").write_text(PROJECT, encoding="utf-8")
    (folder / "misuse.ts").write_text(MISUSE, encoding="utf-8")
    call(TYPESCRIPT, "--project", ".", folder=folder)
    return folder


@pytest.mark.slow
def test_ten_lines_of_typescript_print_what_the_command_prints(project: Path) -> None:
    assert len(PROJECT.splitlines()) == 10
    said = call("index.js", folder=project)
    ours = run("process", "--json", str(project / "broken_reply.txt"))
    assert said.stdout.encode() == ours.stdout_bytes
    sections = json.loads(ours.stdout)["document"]["sections"]
    assert said.stderr.splitlines() == [section["path"] for section in sections if section["kind"] == "action"]


@pytest.mark.slow
def test_the_packed_package_is_reproducible(tmp_path: Path) -> None:
    if not NPM.is_file():
        pytest.skip("npm is not installed beside node")
    digests = set()
    for day in (0, 1):
        folder = tmp_path / str(day)
        package = folder / "symops-v2"
        package.mkdir(parents=True)
        for name, text in export("javascript", "v2", tolerant=True).items():
            (package / name).write_text(text, encoding="utf-8")
            os.utime(package / name, (10**9 + day, 10**9 + day))
        [packed] = json.loads(call(NPM, "pack", "./symops-v2", "--json", folder=folder).stdout)
        digests.add(hashlib.sha256((folder / packed["filename"]).read_bytes()).hexdigest())
    assert len(digests) == 1
