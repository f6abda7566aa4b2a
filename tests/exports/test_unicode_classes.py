"""Classes and cases of letters are those of `re` in every export: in all of Unicode."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from grammar_engines import MISSING, library_of, start_engine
from hypothesis import given
from hypothesis import strategies as st
from mutated_documents import is_valid
from portable_runtime import run_node

from symops_lark import export
from symops_lark.core.grammar.compiling.character_sets import Ranges, read_set
from symops_lark.core.grammar.compiling.compiler import WrittenDialect
from symops_lark.core.patterns.re_syntax import parse_pattern
from symops_lark.exports import list_exports
from symops_lark.exports.automata.terminals import Terminals

EVERYTHING = "".join(map(chr, range(0x110000)))
CLASSES = [
    *(r"\w", r"\W", r"[^\W\d]", r"\d", r"\s", r"[\S]", "(?a:[\\w])"),
    *("(?i:k)", "(?i:ß)", "(?i:σ)", "(?i:[^ß])", "(?i:[α-ω])", "(?i:[^a-z])", "(?i:[\\wι])", "(?i:[^\\Wa])"),
    *("(?i:ǆ)", "(?i:İ)", "(?i:[\U00010400-\U00010410])", "(?i:[Ā-\U00010410])", "(?ai:[a-é])", "(?a:(?u:\\w))"),
]
GRAMMARS = {
    "words": "%import .v2\n%override VERB: /\\w+/\n",
    "cases": "%import .v2\n%override VERB: /[\\w-]+/i\n%override NUMBER: /\\d+/\n%override TEXT: /\\S(.*\\S)?/\n",
    "lines": "%import .v2\n%override _CONTENT_LINE: /\\n|[^\\n<>\\w][^\\n]*\\n|[A-Za-z0-9_][^\\n]*\\n/\n",
    "forms": '%import .v2\n%override RUN: "kör"\n%override VERB: /straße-[α-ω]+|[k-s]+/i\n',
}
VERBS = (
    "déplace",
    "Ⅷ字",
    "kſK",
    "create",
    "a\u0660",
    "STRAẞE-ΣΑΣς",
    "straße-ϑ",
    "İs",
    "ＡＢ",
    "kör",
    "a²",
    "a\u0301",
    "😀",
)
TEXTS = [
    *(f"::{verb} @a.py\n" for verb in VERBS),
    *(f"::create @a.py\n<<<\n{line}\nx\n>>>\n" for line in ("éa", "→a", "字", "a", "\u00a0x", "\u0301x")),
    *(f">> {text}\n" for text in ("\u00a0", "é", "a\u2003", "\x1f")),
    *(f"::run#{number} @a.py\n" for number in ("1", "٣", "²")),
]


@cache
def dialect(name: str) -> WrittenDialect:
    return WrittenDialect(Path(f"{name}.lark"), GRAMMARS[name])


def points(ranges: Ranges) -> set[int]:
    return {point for low, high in ranges for point in range(low, high + 1)}


def read(pattern: str) -> Ranges:
    """Return the characters of a pattern of one character, as the exports read it."""
    [(ranges, _)] = Terminals([("A", pattern)]).edges.values()
    return ranges


@pytest.mark.slow
@pytest.mark.parametrize("pattern", CLASSES)
def test_a_class_has_the_characters_of_re(pattern: str) -> None:
    assert points(read(pattern)) == set(map(ord, re.findall(pattern, EVERYTHING)))


LETTER = st.characters() | st.sampled_from("kKsSiIßẞσςΣθϑϴǆǅǄµμK\u017fİı\u0345ι\U00010400\U00010428")


@given(st.lists(st.tuples(LETTER, LETTER).map(sorted), min_size=1, max_size=3), st.booleans(), st.text(LETTER))
def test_a_drawn_class_has_the_characters_of_re(items: list[list[str]], negated: bool, more: str) -> None:
    inside = "".join(f"\\U{ord(low):08x}-\\U{ord(high):08x}" for low, high in items)
    pattern = f"(?i:[{'^' * negated}{inside}])"
    ranges = read(pattern)
    text = more + more.swapcase() + more.title() + "".join(low + high for low, high in items)
    for character in {*text, *text.lower(), *text.upper()}:
        known = any(low <= ord(character) <= high for low, high in ranges)
        assert known == bool(re.fullmatch(pattern, character)), (pattern, character)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["é", "[^ß]", "ſ"])
def test_searches_for_slow_patterns_read_the_same_characters(pattern: str) -> None:
    [(op, value)] = parse_pattern(pattern).items
    ranges = read_set(str(op), value, re.IGNORECASE)
    assert ranges is not None
    assert points(ranges) == set(map(ord, re.findall(f"(?i){pattern}", EVERYTHING)))


@pytest.mark.slow
@pytest.mark.parametrize("name", GRAMMARS)
@pytest.mark.parametrize("notation", list_exports("constraint"))
def test_decoders_accept_what_the_parser_accepts(notation: str, name: str) -> None:
    if library_of(notation) in MISSING:
        pytest.skip(MISSING[library_of(notation)])
    [grammar] = export(notation, dialect(name)).values()
    engine = start_engine(notation, grammar)
    expected = [is_valid(text, dialect(name)) for text in TEXTS]
    assert {*expected} == {True, False}
    assert [engine.accepts(text) for text in TEXTS] == expected


ASK = """
import { readFileSync } from "node:fs";
import { parse } from "./strict.js";
for (const text of JSON.parse(readFileSync("texts.json", "utf8"))) {
  let valid = true;
  try { parse(text); } catch (error) { if (!error.diagnostics) throw error; valid = false; }
  console.log(valid);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", GRAMMARS)
def test_the_strict_package_accepts_what_the_parser_accepts(name: str, tmp_path: Path) -> None:
    assert run_node(ASK, dialect(name), tmp_path, TEXTS) == [is_valid(text, dialect(name)) for text in TEXTS]
