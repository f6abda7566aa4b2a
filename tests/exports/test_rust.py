"""The exported crate of Rust agrees with this package, in one piece and in many, and through C."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from mutated_documents import portable_texts
from new_dialects import NEW
from repository import ROOT
from rust_crates import (
    CARGO,
    compile_crate,
    compile_program,
    compile_runner,
    compile_rust,
    compile_wasm,
    needs_cargo,
    needs_rustc,
    needs_wasm,
    pass_cases,
    run,
    write_crate,
)

from benchmarks.exports._parsers import node
from symops_lark import ParseError, derive, dialects, export, parse
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.exports.rust.data import write_widths

COUNT = 200
HALVES = "[\ud800-\udfff]"  # of surrogate pairs: Rust has none
# Reads texts as hexadecimal lines; streams of them must give what the whole text gives.
ASK = """
use parser::{parse, to_json, ParseError, Section, StreamReader};

fn stream(text: &str, most: usize) -> Result<Vec<Section<'static>>, ParseError> {
    let mut seed: u64 = 7;
    let mut reader = StreamReader::new();
    let mut early = Vec::new();
    let mut piece = String::new();
    for sign in text.chars() {
        piece.push(sign);
        seed = (seed * 1103515245 + 12345) % 2147483648;
        if seed as usize % most == 0 {
            early.extend_from_slice(reader.push(&piece)?);
            piece.clear();
        }
    }
    early.extend_from_slice(reader.push(&piece)?);
    let sections = reader.end()?;
    for (one, other) in early.iter().zip(&sections) {
        assert_eq!(one.span(), other.span(), "no prefix");
    }
    Ok(sections)
}

fn main() {
    for line in std::fs::read_to_string("texts.txt").unwrap().lines() {
        let bytes = (0..line.len()).step_by(2).map(|at| u8::from_str_radix(&line[at..at + 2], 16).unwrap());
        let text = String::from_utf8(bytes.collect()).unwrap();
        for most in [1, 5, 900] {
            assert_eq!(stream(&text, most), parse(&text), "{text:?}");
        }
        for section in parse(&text).unwrap_or_default() {
            let (span, shown) = (section.span(), &text[section.span().bytes.clone()]);
            assert_eq!(text.chars().skip(span.start).take(span.end - span.start).collect::<String>(), shown);
        }
        println!("{}", to_json(&text));
    }
}
"""
SLOW = """
use parser::StreamReader;
use std::time::Instant;

// Nanoseconds of the processor, or of the clock where the system does not count them: other processes take turns.
fn now(start: Instant) -> u128 {
    let counted = std::fs::read_to_string("/proc/self/schedstat").ok();
    let spent = counted.and_then(|text| text.split(' ').next()?.parse().ok());
    spent.unwrap_or_else(|| start.elapsed().as_nanos())
}

fn take(text: &str) -> u128 {
    let read = |_| {
        let start = Instant::now();
        let before = now(start);
        let mut reader = StreamReader::new();
        for piece in text.as_bytes().chunks(7) {
            reader.push(std::str::from_utf8(piece).unwrap()).unwrap();
        }
        reader.end().unwrap();
        (now(start) - before) / 1000
    };
    (0..3).map(read).min().unwrap()
}

fn main() {
    let block = |lines| format!("::create @a.py\\n<<<\\n{}>>>\\n", ">>> x\\n".repeat(lines));
    let thoughts = |lines| ">> a b\\n".repeat(lines);
    println!("[{}, {}]", take(&block(5000)), take(&block(20000)));
    println!("[{}, {}]", take(&thoughts(5000)), take(&thoughts(20000)));
    let attributes = |lines| {
        let keys = (0..lines).map(|key| format!("  @k{key}: x\\n"));
        format!("::create @a.py\\n{}", keys.collect::<String>())
    };
    println!("[{}, {}]", take(&attributes(5000)), take(&attributes(20000)));
}
"""
IN_C = """
#include <stdio.h>
#include <string.h>
char *symops_alloc(size_t size);
char *symops_parse(const char *text, size_t size);
void symops_free(char *memory);

int main(void) {
    const char *reply = ">> caf\\xc3\\xa9\\n";
    char *copy = symops_alloc(strlen(reply));
    memcpy(copy, reply, strlen(reply));
    char *json = symops_parse(copy, strlen(reply));
    puts(json);
    symops_free(json);
    symops_free(copy);
    symops_free(NULL);
    json = symops_parse("!", 1);
    puts(json);
    symops_free(json);
    json = symops_parse(NULL, 0);
    puts(json);
    symops_free(json);
    puts(symops_parse("\\xff", 1) == NULL ? "null" : "a document");
    return 0;
}
"""


def expect(text: str, dialect: Any) -> dict[str, Any]:
    """Return the JSON that the crate should write for a text."""
    try:
        return {"document": parse(text, dialect).to_dict()}
    except ParseError as error:
        fields = error.diagnostics[0].to_dict()
        span = fields.pop("span")
        del fields["severity"]
        return {"error": {**fields, "offset": span.pop("start"), **span, "drawn": str(error)}}


def ask(texts: list[str], folder: Path) -> list[dict[str, Any]]:
    """Return what the compiled program writes for texts."""
    lines = "".join(f"{text.encode().hex()}\n" for text in texts)
    (folder / "texts.txt").write_text(lines, encoding="utf-8")
    done = run([str(folder / "program")], folder)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def agree(dialect: Any, folder: Path, more: Sequence[str] = ()) -> None:
    """Check that the crate and its streams say what this package says."""
    # A window of the least size: streams forget each section as soon as it is complete.
    files = export("rust", dialect)
    stream = files["src/stream.rs"].replace("LEAST_FORGOTTEN: usize = 4096", "LEAST_FORGOTTEN: usize = 1")
    assert stream != files["src/stream.rs"]
    compile_crate({**files, "src/stream.rs": stream}, folder)
    compile_program(ASK, folder)
    texts = [*portable_texts(dialect, COUNT, HALVES), *more]
    answers = ask(texts, folder)
    for text, answer in zip(texts, answers, strict=True):
        assert answer == json.loads(json.dumps(expect(text, dialect))), repr(text)
    assert {"document", "error"} == {next(iter(answer)) for answer in answers}


@needs_rustc
@pytest.mark.slow
@pytest.mark.alike(8)
@pytest.mark.parametrize("name", dialects())
def test_rust_says_what_this_package_says(name: str, tmp_path: Path) -> None:
    agree(load_grammar(name), tmp_path)


@needs_rustc
@pytest.mark.slow
@pytest.mark.alike(8)
@pytest.mark.parametrize("name", NEW)
def test_dialects_with_sections_of_their_own_need_no_code(name: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(NEW[name].grammar, encoding="utf-8")
    agree(load_grammar(path), tmp_path, [NEW[name].text, *NEW[name].broken])


@needs_rustc
@pytest.mark.slow
def test_classes_and_cases_of_letters_are_those_of_unicode(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text("%import .v2\n%override VERB: /[\\w-]+|→σ/i\n%override NUMBER: /\\d+/\n", encoding="utf-8")
    verbs = ("déplace", "Ⅷ字", "kſK", "→ς", "→", "a\u0301")
    agree(load_grammar(path), tmp_path, [f"::{verb} @a.py\n" for verb in verbs])


@needs_rustc
@pytest.mark.slow
@pytest.mark.alike(10)
@pytest.mark.parametrize("name", [*dialects(), "derived"])
def test_the_crate_passes_the_cases_and_no_other(name: str, tmp_path: Path) -> None:
    dialect: str | Path = name
    if name == "derived":
        dialect = tmp_path / "mine.lark"
        grammar = derive("v2", {"_ACTION": '"%%"', "_OPEN": '"((("', "_CLOSE": '")))"'})
        dialect.write_text(grammar, encoding="utf-8")
    files = export("conformance", dialect)
    program = compile_runner(files, export("rust", dialect), tmp_path)
    done = pass_cases(program, files["cases.jsonl"])
    count = files["cases.jsonl"].count("\n")
    assert done.stdout == f"{count} of {count} cases passed\n", done.stderr
    first, second, *_ = files["cases.jsonl"].splitlines()
    changed = json.dumps({**json.loads(first), "text": ">> another text\n"})
    renamed = json.dumps({**json.loads(second), "dialect": "v0"})
    done = pass_cases(program, f"{changed}\n{renamed}\n{second}\n")
    assert (done.returncode, done.stdout) == (1, "1 of 3 cases passed\n")
    assert "another text" in done.stderr


@needs_rustc
@pytest.mark.slow
def test_streams_of_many_pieces_take_linear_time(tmp_path: Path) -> None:
    compile_crate(export("rust", "v2_attributes"), tmp_path)
    done = run([str(compile_program(SLOW, tmp_path))], tmp_path)
    assert done.returncode == 0, done.stderr
    for row in done.stdout.splitlines():
        small, large = json.loads(row)
        assert large < 7 * small + 100_000, done.stdout  # microseconds; four times the text


@needs_rustc
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="a C compiler is not installed")
def test_c_programs_read_json(tmp_path: Path) -> None:
    write_crate(export("rust", "v2"), tmp_path)
    library = ("--crate-type", "staticlib", "--crate-name", "symops", "--cfg", 'feature="c"')
    compile_rust(tmp_path, *library, "src/lib.rs")
    (tmp_path / "main.c").write_text(IN_C, encoding="utf-8")
    linked = ("-Wall", "-Werror", "main.c", "libsymops.a", "-lpthread", "-ldl", "-lm", "-o", "main")
    built = run(["cc", *linked], tmp_path)
    assert built.returncode == 0, built.stderr
    *answers, last = run([str(tmp_path / "main")], tmp_path).stdout.splitlines()
    for text, answer in zip((">> café\n", "!", ""), answers, strict=True):
        assert json.loads(answer) == json.loads(json.dumps(expect(text, "v2")))
    assert last == "null"


def pass_wasm_cases(suite: dict[str, str], name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Return the run of a conformance suite's runner for the crate as WebAssembly."""
    write_crate({**export("rust", name), **suite}, folder)
    return run([node(), "run.mjs", str(compile_wasm(folder))], folder)


@needs_wasm
@pytest.mark.slow
@pytest.mark.alike(8)
@pytest.mark.parametrize("name", dialects())
def test_webassembly_passes_the_cases(name: str, tmp_path: Path) -> None:
    files = export("conformance", name)
    count = files["cases.jsonl"].count("\n")
    done = pass_wasm_cases(files, name, tmp_path)
    assert done.stdout == f"{count} of {count} cases passed\n", done.stderr


@needs_wasm
@pytest.mark.slow
def test_a_wrong_expectation_of_webassembly_is_noticed(tmp_path: Path) -> None:
    files = export("conformance", "v2")
    first, second, *_ = files["cases.jsonl"].splitlines()
    changed = json.dumps({**json.loads(first), "text": ">> another text\n"})
    done = pass_wasm_cases({**files, "cases.jsonl": f"{changed}\n{second}\n"}, "v2", tmp_path)
    assert (done.returncode, done.stdout) == (1, "1 of 2 cases passed\n")
    assert "another text" in done.stderr


@needs_wasm
@pytest.mark.slow
def test_the_example_of_webassembly_runs(tmp_path: Path) -> None:
    write_crate(export("rust", "v2"), tmp_path)
    compile_wasm(tmp_path)
    [example] = re.findall("```js\n(.*?)```", (tmp_path / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    texts = [">> café 🙂\n", "!", ""]
    program = (
        'import { readFileSync } from "node:fs";\n'
        'const bytes = readFileSync("parser.wasm");\n'
        f"for (const reply of {json.dumps(texts)}) {{\n{example}console.log(JSON.stringify(result));\n}}\n"
    )
    (tmp_path / "ask.mjs").write_text(program, encoding="utf-8")
    done = run([node(), "ask.mjs"], tmp_path)
    assert done.returncode == 0, done.stderr
    for text, answer in zip(texts, done.stdout.splitlines(), strict=True):
        assert json.loads(answer) == json.loads(json.dumps(expect(text, "v2")))


@needs_rustc
@pytest.mark.slow
def test_the_example_of_the_guide_runs(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "embedding.md").read_text(encoding="utf-8")
    [example] = re.findall("```text main.rs\n(.*?)```", guide, re.DOTALL)
    compile_crate(export("rust", "v2"), tmp_path)
    program = compile_program(example.replace("symops_v2::", "parser::"), tmp_path)
    assert run([str(program)], tmp_path).stdout == "run ls in line 2\n"


@needs_cargo
@pytest.mark.slow
@pytest.mark.alike(2)
@pytest.mark.parametrize("name", ["v2", "plain"])
def test_cargo_runs_the_examples_of_the_readme(name: str, tmp_path: Path) -> None:
    assert CARGO is not None
    write_crate(export("rust", name), tmp_path)
    done = run([CARGO, "test", "--offline", "--all-features", "--doc"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout


@pytest.mark.slow
def test_properties_of_characters_are_no_work_on_a_grammar(tmp_path: Path) -> None:
    write_widths.cache_clear()
    path = tmp_path / "mine.lark"
    path.write_text(NEW["lines"].grammar, encoding="utf-8")
    assert "WIDE" in export("rust", path)["src/widths.rs"]


@pytest.mark.slow
def test_the_crate_needs_no_other_and_uses_no_regular_expressions() -> None:
    files = export("rust", "v2")
    assert "dependencies" not in files["Cargo.toml"]
    imports = set()
    for name, text in files.items():
        if name.endswith(".rs"):
            imports.update(re.findall(r"^use (\w+)", text, re.MULTILINE))
    # Modules of the crate itself are named in lib.rs without `crate`.
    assert imports <= {"std", "crate", "driver", "source"}


@pytest.mark.slow
def test_the_runtime_is_the_same_for_each_dialect() -> None:
    def runtime(name: str) -> dict[str, str]:
        files = export("rust", name)
        parts = {path: text.partition("\n\n")[2] for path, text in files.items() if path.startswith("src/")}
        del parts["src/data.rs"]
        return parts

    assert runtime("v2") == runtime("plain")
