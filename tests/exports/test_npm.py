"""The exported npm package is packed, installed, and used from TypeScript, as an embedder would."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from command_line import run
from repository import ROOT
from typescript import SETTINGS, TYPESCRIPT, call, compile_typescript

from benchmarks.exports._parsers import node
from symops_lark import ExportError, __version__, derive, export
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.exports.javascript.npm import _choose_name

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
    assert {file["path"] for file in packed["files"]} == files.keys()
    (folder / "package.json").write_text('{"name": "project", "private": true, "type": "module"}', encoding="utf-8")
    call(NPM, "install", f"./{packed['filename']}", "--no-audit", "--no-fund", folder=folder)
    installed = folder / "node_modules" / "symops-v2"
    assert not installed.is_symlink() and (installed / "index.d.ts").is_file()
    (folder / "broken_reply.txt").write_bytes((ROOT / "examples" / "broken_reply.txt").read_bytes())
    (folder / "index.ts").write_text(PROJECT, encoding="utf-8")
    (folder / "misuse.ts").write_text(MISUSE, encoding="utf-8")
    compile_typescript(folder)
    return folder


@pytest.mark.slow
def test_ten_lines_of_typescript_print_what_the_command_prints(project: Path) -> None:
    assert len(PROJECT.splitlines()) == 10
    text = call("index.js", folder=project)
    ours = run("process", "--json", str(project / "broken_reply.txt"))
    assert text.stdout.encode() == ours.stdout_bytes
    sections = json.loads(ours.stdout)["document"]["sections"]
    assert text.stderr.splitlines() == [section["path"] for section in sections if section["kind"] == "action"]


@pytest.mark.slow
def test_the_first_program_of_the_guide_runs(project: Path) -> None:
    guide = (ROOT / "docs" / "embedding.md").read_text(encoding="utf-8")
    for name in ("app.ts", "reply.txt"):
        [code] = re.findall(f"```text {re.escape(name)}\n(.*?)```", guide, re.DOTALL)
        (project / name).write_text(code, encoding="utf-8")
    [options] = re.findall(r"^npx tsc (.*) app\.ts$", guide, re.MULTILINE)
    # In the tests, the types of node are elsewhere than in a project of npm.
    types = ("--typeRoots", SETTINGS["typeRoots"][0])
    call(TYPESCRIPT, *options.split(), "--skipDefaultLibCheck", *types, "app.ts", folder=project)
    [output] = re.findall("The program prints `(.*)`", guide)
    assert call("app.js", folder=project).stdout == f"{output}\n"


@pytest.mark.slow
def test_the_packed_package_is_reproducible(project: Path, tmp_path: Path) -> None:
    """Files of another day make the package that was installed."""
    package = tmp_path / "symops-v2"
    package.mkdir()
    for name, text in export("javascript", "v2", tolerant=True).items():
        (package / name).write_text(text, encoding="utf-8")
        os.utime(package / name, (10**9, 10**9))
    [packed] = json.loads(call(NPM, "pack", "./symops-v2", "--json", folder=tmp_path).stdout)
    assert (tmp_path / packed["filename"]).read_bytes() == (project / packed["filename"]).read_bytes()


@pytest.mark.slow
def test_names_of_packages_do_not_clash(tmp_path: Path) -> None:
    names = set()
    dialects = ("v2_1", "v2-1", "V2_1", "a", "a_strict", "é")
    for name in dialects:
        path = tmp_path / f"{name}.lark"
        path.write_text(derive("v2", {"_ACTION": '"%%"'}), encoding="utf-8")
        for tolerant in (False, True):
            names.add(_choose_name(load_grammar(path), tolerant))
    assert len(names) == 2 * len(dialects) and {"symops-v2-1", "symops-v2-1-strict", "symops-a"} <= names


@pytest.mark.slow
def test_a_package_has_the_name_and_version_that_are_asked_for(tmp_path: Path) -> None:
    options = ["--name", "@acme/symops.v2", "--version", "3.2.1-rc.1"]
    run("export", "javascript", *options, "-o", str(tmp_path))
    package = json.loads((tmp_path / "package.json").read_text(encoding="utf-8"))
    assert (package["name"], package["version"]) == ("@acme/symops.v2", "3.2.1-rc.1")
    assert 'from "@acme/symops.v2"' in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert package["publishConfig"]["provenance"] and package["repository"]["url"].startswith("git+https://")
    usual = json.loads(export("javascript", "v2")["package.json"])
    assert usual == {**package, "name": "symops-v2-strict", "version": __version__}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"package_name": "No Name"}, "--name: expected a name that npm accepts"),
        ({"package_name": "x" * 215}, "--name: expected a name that npm accepts"),
        ({"version": "1.2"}, "--version: expected a semantic version"),
    ],
)
def test_names_and_versions_that_npm_refuses_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(ExportError, match=message):
        export("javascript", "v2", **options)  # type: ignore[arg-type]
    with pytest.raises(ExportError, match="python is not an npm package"):
        export("python", "v2", **options)  # type: ignore[arg-type]
