"""Grammars with indented blocks: Lark's own tree, minimal prices, and edits of the given text."""

from __future__ import annotations

import random
from functools import cache
from itertools import product
from typing import Any

import pytest
from block_grammar import BLOCKS
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Lark, Token
from lark.exceptions import UnexpectedInput
from lark.indenter import DedentError, Indenter, PythonIndenter
from lark.lark import PostLex
from token_places import check_token_places

from symops_lark.core.ground.errors import GrammarError
from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.edits import DEDENT_SIGN, INDENT_SIGN, REPLACE, SIGNS
from symops_lark.error_correcting.indentation import Layout, guess_indenter, lay_out
from symops_lark.error_correcting.scanner import Scanner

VALID = "if a:\n    b = f(c,\n      d)\n    if e:\n        g = h\nelse:\n    i = j\nk = l()\n"


@cache
def blocks() -> ErrorCorrectingParser:
    return ErrorCorrectingParser(BLOCKS)


def lark_of(grammar: str) -> Lark:
    return Lark(grammar, parser="lalr", postlex=guess_indenter(grammar))


def test_a_valid_text_has_the_tree_of_lark() -> None:
    parse = blocks().parse(VALID)
    tree = lark_of(BLOCKS).parse(VALID)
    assert parse.tree == tree and places(parse.tree) == places(tree)
    assert (parse.price, parse.edits, parse.text, parse.steps) == (0, (), VALID, 0)
    assert "Indenter" in blocks().notes[0]


def places(tree: Any) -> list[tuple[str, int | None, int | None]]:
    return [
        (str(token), token.line, token.column) for token in tree.scan_values(lambda value: isinstance(value, Token))
    ]


REPAIRS = [
    ("if a:\nb = c\nd = e\n", "if a:\n    b = c\nd = e\n", 900),
    ("a = b\n    c = d\n", "a = b\nc = d\n", 900),
    ("if a:\n        b = c\n    d = e\nf = g\n", "if a:\n        b = c\n        d = e\nf = g\n", 400),
    ("if a\n  b = c\n", "if a:\n  b = c\n", 1000),
    ("a = f(b\nc = d\n", "a = f(b)\nc = d\n", 1000),
    ("a = f(b,\n    c\nd = e\n", "a = f(b,\n    c)\nd = e\n", 1000),
    ("a = f(b,\n    c\n", "a = f(b,\n    c)\n", 1000),
    ("if a:\n  b = f(g(c\n", "if a:\n  b = f(g(c))\n", 2000),
    ("if a:\n  b = c\nd = e\nelse:\n  f = g\n", "if a:\n  b = c\n  d = e\nelse:\n  f = g\n", 900),
    ("if a:\n  if b:\n  c = d\n  e = f\n", "if a:\n  if b:\n    c = d\n  e = f\n", 900),
    ("a = f(b))\nc = d\n", "a = f(b)\nc = d\n", 1000),
    ("if a:\n\tif b:\n\tc = d\n", "if a:\n\tif b:\n\t\tc = d\n", 900),
    ("if a:\n  b = c\nelse:\nd = e\n", "if a:\n  b = c\nelse:\n  d = e\n", 900),
    ("a = b c = d\n", "a = b \nc = d\n", 1060),
    ("if a:\n  b = c d = e\n", "if a:\n  b = c \n  d = e\n", 1060),
    ("a = b", "a = b\n", 1060),
    (")\na = b\n", "a = b\n", 2040),
]


@pytest.mark.parametrize(("text", "repaired", "price"), REPAIRS)
def test_texts_are_repaired(text: str, repaired: str, price: int) -> None:
    parse = blocks().parse(text)
    assert (parse.text, parse.price, parse.accepted, parse.minimal) == (repaired, price, True, True)
    assert parse.tree == lark_of(BLOCKS).parse(repaired)


def test_messages_name_the_direction() -> None:
    text = "a = b\n  c = d\nif e:\nf = g\n"
    parse = blocks().parse(text)
    rows = [(note.span.line, note.message, note.code) for note in blocks().diagnostics(text, parse)]
    assert rows == [
        (2, "expected this line to be indented less", "wrong-indentation"),
        (4, "expected this line to be indented further", "wrong-indentation"),
    ]


def test_lines_that_are_moved_with_others_have_no_message() -> None:
    text = "if a:\nif b:\n  c = d\n  e = f\n"
    parse = blocks().parse(text)
    assert parse.text == "if a:\n  if b:\n    c = d\n  e = f\n"
    assert [edit.price for edit in parse.edits] == [900, 0]
    applieds = [blocks().apply(text, edits) for edits in parse.alternatives]
    assert applieds == ["if a:\n  if b:\n    c = d\n    e = f\n"]
    assert len(blocks().diagnostics(text, parse)) == 1


# ---- the text for the search


def tokens_of_lark(text: str) -> list[str] | None:
    """Return the names of the tokens that Lark's postlexer gives; None if it refuses the text."""
    lark = Lark(BLOCKS, parser="lalr", lexer="basic", postlex=guess_indenter(BLOCKS))
    try:
        return [str(token.type) for token in lark.lex(text)]
    except (DedentError, AssertionError, UnexpectedInput):
        return None


def tokens_of(layout: Layout) -> list[str]:
    scanner = Scanner(blocks().compiled.tables, layout.text, "basic")
    names = []
    place = 0
    while here := scanner.units(place):
        names.append(here[0].name)
        place = here[0].stop
    return names


LINES = ["a = b", "  a = b", "    a = b", "if a:", "  if a:", "(", " )", "", "   ", "\t a = f("]


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=6))
def test_signs_are_where_lark_has_its_tokens(lines: list[str]) -> None:
    text = "\n".join(lines)
    indentation = blocks().compiled.indentation
    assert indentation is not None
    layouts = lay_out(text, blocks().compiled.tables, indentation)
    expected = tokens_of_lark(text)
    if expected is not None:
        assert tokens_of(layouts[0]) == expected and layouts[0].price == 0
    for layout in layouts:
        bare = "".join(sign for sign in layout.text if sign not in INDENT_SIGN + DEDENT_SIGN)
        assert len(bare) == len(text)
        assert layout.to_given(len(layout.text)) == len(text)


def test_texts_with_signs_have_none() -> None:
    parse = blocks().parse(f"a {SIGNS} = b\n")
    assert parse.complete and parse.tree == lark_of(BLOCKS).parse("a = b\n")


# ---- laws


@st.composite
def broken_texts(draw: st.DrawFn) -> str:
    text = VALID
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, max(0, len(text) - 1)))
        new = draw(st.sampled_from(["", "", "(", ")", ":", "\n", "    ", " ", "x", "="]))
        text = text[:place] + new + text[place + draw(st.sampled_from([0, 1, 4])) :]
    return text


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(broken_texts())
def test_laws_of_a_repair(text: str) -> None:
    parser = blocks()
    parse = parser.parse(text)
    assert parse.price == sum(edit.price for edit in parse.edits)
    for edit, following in zip(parse.edits, parse.edits[1:], strict=False):
        assert 0 <= edit.start <= edit.stop <= following.start
    assert parse.complete == (not parse.why)
    if parse.complete:
        assert parse.accepted and parse.tree == lark_of(BLOCKS).parse(parse.text)
        assert parser.parse(parse.text).price == 0
        assert parser.apply(text, parse.edits) == parse.text
    for edits in parse.alternatives:
        lark_of(BLOCKS).parse(parser.apply(text, edits))
    check_token_places(parse, text)
    for note in parser.diagnostics(text, parse):
        assert 0 <= note.span.start <= note.span.end <= len(text)


# ---- minimality

SMALL = """
start: s+
s: "n" _NL | "i" _NL _INDENT s+ _DEDENT
_NL: /(\\n[ ]*)+/
%declare _INDENT _DEDENT
"""
LONGEST = 11


@cache
def small() -> ErrorCorrectingParser:
    return ErrorCorrectingParser(SMALL)


@cache
def sentences() -> frozenset[tuple[str, ...]]:
    """Return all sentences up to a length, as names of terminals."""
    rules = small().compiled.reader.rules
    texts: dict[str, set[tuple[str, ...]]] = {str(rule.origin.name): set() for rule in rules}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            rows: set[tuple[str, ...]] = {()}
            for symbol in rule.expansion:
                parts = {(str(symbol.name),)} if symbol.is_term else texts[str(symbol.name)]
                rows = {before + part for before in rows for part in parts if len(before) + len(part) <= LONGEST}
            text = texts[str(rule.origin.name)]
            changed = changed or not rows <= text
            text |= rows
    return frozenset(texts["start"])


def edit_distance(layout: Layout, sentence: tuple[str, ...]) -> int:
    """Return the least price of edits that change a text to a sentence, in the prices of the parser."""
    tables = small().compiled.tables
    scanner = Scanner(tables, layout.text, "basic")
    inserted = [tables.insert_price(name) or 0 for name in sentence]
    row = [sum(inserted[:count]) for count in range(len(sentence) + 1)]
    place = 0
    while here := scanner.units(place):
        unit = here[0]
        deleted = scanner.delete(unit).price
        before, row = row, [row[0] + deleted]
        for index, item in enumerate(sentence):
            same = before[index]
            if item != unit.name:
                same += 10**6 if {item, unit.name} & tables.marks else REPLACE + 60 * (item not in tables.literals)
            row.append(min(same, before[index + 1] + deleted, row[-1] + inserted[index]))
        place = unit.stop
    return row[-1]


def small_texts() -> list[str]:
    lines = [blanks + sign for blanks in ("", " ", "  ") for sign in "ni"]
    texts = ["\n".join(rows) + "\n" for count in (1, 2, 3) for rows in product(lines, repeat=count)]
    return random.Random(3).sample(texts, 90)


@pytest.mark.parametrize("text", small_texts())
def test_the_price_is_that_of_exhaustive_search(text: str) -> None:
    compiled = small().compiled
    assert compiled.indentation is not None
    layouts = lay_out(text, compiled.tables, compiled.indentation)
    least = min(layout.price + edit_distance(layout, sentence) for layout in layouts for sentence in sentences())
    parse = small().parse(text, exact=True)
    assert (parse.price, parse.accepted, parse.complete) == (least, True, True)
    assert small().parse(text, exact=False).price >= least


# ---- other grammars


@pytest.mark.slow
def test_whole_files_of_python_are_read() -> None:
    options: dict[str, Any] = {"parser": "lalr", "start": "file_input", "maybe_placeholders": False}
    lark = Lark.open_from_package("lark", "python.lark", ["grammars"], postlex=PythonIndenter(), **options)
    parser = ErrorCorrectingParser(lark, "file_input")
    text = "class A:\n    def f(self):\n        return [self, 1]\n\n    def g(self):\n        pass\n"
    assert parser.parse(text).tree == lark.parse(text)
    for old, new, price in [
        ("f(self):", "f(self)", 1000),
        ("        return", "    return", 900),
        ("1]", "1", 1000),
        ("        pass", "         pass", 0),
        ("    def g", "  def g", 400),
    ]:
        parse = parser.parse(text.replace(old, new))
        assert (parse.price, parse.accepted) == (price, True)
        assert price == 0 or parse.tree == lark.parse(text) or "1" in old


def test_mistakes_can_be_named() -> None:
    mistakes = """
//! A condition has `then` for its colon. | write `:`
%extend stmt: _then_for_colon
_then_for_colon.-300: "if" NAME "then" _NL block
"""
    parser = ErrorCorrectingParser(BLOCKS, mistakes=mistakes)
    text = "if a then\n  b = c\nd = e\n"
    parse = parser.parse(text)
    assert [(edit.kind, edit.name, edit.start) for edit in parse.edits] == [("mistake", "then-for-colon", 0)]
    assert parse.text == text and not parse.accepted
    assert [token.line for token in parse.tree.scan_values(lambda value: isinstance(value, Token))] == [1, 2, 2, 3, 3]


class _Same(PostLex):
    always_accept = ()

    def process(self, stream: Any) -> Any:
        return stream


def test_what_is_not_supported_is_refused() -> None:
    indenter = guess_indenter(BLOCKS)
    with pytest.raises(GrammarError, match="_Same is not supported"):
        ErrorCorrectingParser('start: "a"', postlex=_Same())
    with pytest.raises(GrammarError, match="'lalr' alone"):
        ErrorCorrectingParser(Lark(BLOCKS, parser="earley", lexer="basic", postlex=indenter))
    assert guess_indenter("%declare _INDENT\n_NL: /x/") is None
    assert guess_indenter("%declare INDENT DEDENT\nNEWLINE: /x/") is not None
    assert issubclass(type(indenter), Indenter)


def test_rubbish_ends_within_its_bounds() -> None:
    draw = random.Random(1)
    words = ["if", "a", "=", ":", "\n", "\n  ", "\n    ", "(", ")", "else"]
    text = " ".join(draw.choice(words) for _ in range(200))
    parse = blocks().parse(text, max_steps=2_000)
    assert parse.steps <= 4 * (2_000 + 50_000)
    assert parse.complete or (parse.why and parse.edits[-1].kind == "skip")
