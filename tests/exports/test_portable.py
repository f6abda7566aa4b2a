"""The strict parser on tables, in node, agrees with this package on valid and on damaged texts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from grammar_changes import FEATURE_CHANGES
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mutated_documents import is_valid, mutated_documents, portable_texts
from portable_runtime import run_node

from symops_lark import ExportError, ParseError, derive, dialects, export, parse, portable_tables, schema
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.exports.portable.dfa import DEAD, Dfa, minimize, squeeze

COUNT = 400
# Offsets of characters beyond the basic plane differ between the languages.
BEYOND = "[\U00010000-\U0010ffff\ud800-\udfff]"
ASK = """
import { readFileSync } from "node:fs";
import { parse, ParseError, StreamReader } from "./strict.js";
const outcome = (make) => {
  try { return { document: make() }; } catch (error) {
    if (!(error instanceof ParseError)) return { crash: error.stack };
    return { error: error.diagnostics[0], drawn: error.message };
  }
};
let seed = 7;
const random = (most) => (seed = (seed * 1103515245 + 12345) % 2147483648) % most;
const stream = (text, most) => outcome(() => {
  const reader = new StreamReader(), early = [];
  for (let at = 0; at < text.length;) {
    const next = at + 1 + random(most);
    early.push(...reader.push(text.slice(at, next)));
    at = next;
  }
  const document = reader.end();
  early.forEach((section, at) => { if (section !== document.sections[at]) throw new Error("no prefix"); });
  return document;
});
for (const text of JSON.parse(readFileSync("texts.json", "utf8"))) {
  console.log(JSON.stringify([outcome(() => parse(text)), stream(text, 9), stream(text, 3000)]));
}
"""
SLOW = """
import { StreamReader } from "./strict.js";
const take = (text) => {
  const start = process.cpuUsage().user, reader = new StreamReader();
  for (let at = 0; at < text.length; at += 7) reader.push(text.slice(at, at + 7));
  reader.end();
  return process.cpuUsage(undefined).user - start;
};
const block = (lines) => `::create @a.py\\n<<<\\n${">>> x\\n".repeat(lines)}>>>\\n`;
const thoughts = (lines) => ">> a b\\n".repeat(lines);
const keys = (lines) => Array.from({ length: lines }, (_, key) => `  @k${key}: x\\n`).join("");
const attributes = (lines) => `::create @a.py\\n${keys(lines)}`;
const dependencies = (lines) => `::create @a.py\\n${"  @deps: b, c\\n".repeat(lines)}`;
const makes = [block, thoughts, attributes, dependencies];
makes.forEach((make) => take(make(2000)));
console.log(JSON.stringify(makes.map((make) => [take(make(20000)), take(make(80000))])));
"""


def expected_outcome(text: str, dialect: Any) -> dict[str, Any]:
    """Return what node should print for a text."""
    try:
        return {"document": json.loads(json.dumps(parse(text, dialect).to_dict()))}
    except ParseError as error:
        [diagnostic] = error.diagnostics
        return {"error": json.loads(json.dumps(diagnostic.to_dict())), "drawn": str(error)}


@pytest.mark.slow
@pytest.mark.alike(2)
@pytest.mark.parametrize("name", dialects())
def test_node_says_what_this_package_says(name: str, tmp_path: Path) -> None:
    dialect = load_grammar(name)
    texts = portable_texts(dialect, COUNT, BEYOND)
    # A window of the least size: streams forget each section as soon as it is complete.
    answers = run_node(ASK, dialect, tmp_path, texts, {"LEAST_FORGOTTEN = 4096": "LEAST_FORGOTTEN = 1"})
    for text, (batch, *streams) in zip(texts, answers, strict=True):
        assert batch == expected_outcome(text, dialect), repr(text)
        for stream in streams:
            assert stream == batch, repr(text)
    assert any("document" in answer[0] for answer in answers)
    assert any("error" in answer[0] for answer in answers)


def test_characters_beyond_the_basic_plane_have_utf_16_places(tmp_path: Path) -> None:
    [answer] = run_node(ASK, "v2", tmp_path, [">> 🙂 a\n::run @🙂🙂\n"])
    thought, action = answer[0]["document"]["sections"]
    assert (thought["text"], thought["span"]["end"], action["span"]["start"]) == ("🙂 a", 7, 8)
    assert answer[1] == answer[0]


@pytest.mark.slow
def test_streams_of_many_pieces_take_linear_time(tmp_path: Path) -> None:
    [rows] = run_node(SLOW, "v2_attributes", tmp_path)
    for small, large in rows:
        assert large < 7 * small + 100_000, rows  # microseconds; four times the text


@pytest.mark.slow
def test_lines_with_many_blanks_take_linear_time(tmp_path: Path) -> None:
    program = """
    import { readFileSync } from "node:fs";
    import { parse } from "./strict.js";
    for (const text of JSON.parse(readFileSync("texts.json", "utf8"))) {
      const start = process.cpuUsage().user;
      try { parse(text); } catch (error) { if (!error.diagnostics) throw error; }
      console.log(process.cpuUsage().user - start);
    }
    """
    blanks = " \t" * 100_000
    texts = [f">> a{blanks}b\n", f"x{blanks}x\n", f"<<<{blanks}x\n", f"::run @a{blanks}b\n", f"! a{blanks}@\n"]
    times = run_node(program, "v2", tmp_path, texts)
    assert max(times) < 1_000_000, times  # microseconds; with a pattern, a minute and more


@pytest.mark.alike(2)
@pytest.mark.parametrize("name", dialects())
def test_tables_have_their_schema(name: str) -> None:
    tables = json.loads(export("tables", name)["tables.json"])
    assert tables == portable_tables(name)
    validator = Draft202012Validator(schema("tables"))
    assert [error.message for error in validator.iter_errors(tables)] == []
    for changed in (tables | {"symops_tables": 2}, tables | {"more": 1}):
        assert not validator.is_valid(changed)


@pytest.mark.slow
def test_a_derived_dialect_needs_no_code(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(derive("v2", {"_ACTION": '"%%"', "_OPEN": '"((("', "_CLOSE": '")))"'}), encoding="utf-8")
    dialect = load_grammar(path)
    texts = mutated_documents(dialect, 60)
    assert any(is_valid(text, dialect) for text in texts)
    for text, (batch, *_) in zip(texts, run_node(ASK, dialect, tmp_path, texts), strict=True):
        if re.search("[\U00010000-\U0010ffff]", text) is None:
            assert batch == expected_outcome(text, dialect), repr(text)


def test_tables_of_another_version_are_refused(tmp_path: Path) -> None:
    program = """
    import { load } from "./runtime.js";
    try { load({ symops_tables: 2 }); } catch (error) { console.log(JSON.stringify(error.message)); }
    """
    assert run_node(program, "v2", tmp_path) == [
        "these tables have version 2, and this runtime reads version 1: export both with the same symops-lark"
    ]


def test_a_terminal_that_looks_around_has_no_tables(tmp_path: Path) -> None:
    path = tmp_path / "look.lark"
    path.write_text(FEATURE_CHANGES["look-around"](load_grammar("v2").text), encoding="utf-8")
    with pytest.raises(ExportError, match=r"look\.lark:56:1: the export tables cannot keep NUMBER: "):
        portable_tables(path)


PATTERNS = st.lists(st.sampled_from(["a", "b", "[ab]", "a*", "(?:ab|a)", "b{1,2}", "a+?", "."]), min_size=1, max_size=4)


@settings(max_examples=60)
@given(st.lists(PATTERNS.map("".join), min_size=1, max_size=3), st.text("abc", max_size=6))
def test_the_last_match_of_a_scan_is_that_of_re(patterns: list[str], text: str) -> None:
    patterns = [f"c{pattern}" for pattern in patterns]  # no terminal is empty
    names = [f"T{index}" for index in range(len(patterns))]
    dfa = Dfa([(name, pattern, False, "", 0) for name, pattern in zip(names, patterns, strict=True)])
    start = dfa.start(names)
    dfa.close()
    rows, match, [state] = minimize(dfa.rows, dfa.match, [start])
    rows, cuts = squeeze(rows, dfa.alphabet)
    text = "c" + text
    end, result, place = -1, -1, 0
    while state != DEAD:
        if match[state] >= 0:
            end, result = place, match[state]
        if place == len(text):
            break
        state = rows[state][max(cut for cut in cuts if cut[0] <= ord(text[place]))[1]]
        place += 1
    expected = re.match("|".join(f"(?P<{name}>{p})" for name, p in zip(names, patterns, strict=True)), text)
    if expected is None:
        assert (end, result) == (-1, -1)
    else:
        assert (end, result) == (expected.end(), names.index(str(expected.lastgroup)))
