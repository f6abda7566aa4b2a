"""No cheaper repair exists: against all sentences of small grammars, and against the damage that was done."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.edits import MARGIN, REPLACE, Unit
from symops_lark.error_correcting.scanner import Scanner

GRAMMARS = {
    "balanced": 'start: | "(" start ")" start',
    "sums": 'start: e\ne: e "+" t | t\nt: "n" | "(" e ")"',
    "lists": 'start: "[" [v ("," v)*] "]"\n?v: "n" | start',
    "statements": 'start: s*\ns: "n" "=" e ";" | "i" e "{" s* "}"\n?e: "n" | "(" e ")"',
    "ambiguous": 'start: e\ne: e "+" e | "n" | "(" e ")" | e e "*"',
    "nullable": 'start: a b c\na: | "x" a\nb: a "y" | \nc: "z" | "z" c "x" | b',
    "cyclic": 'start: a\na: b | "x" a "y"\nb: a | "z" | b "z"',
}
LONGEST = 7


@cache
def load(name: str) -> ErrorCorrectingParser:
    engine = "earley" if name in ("ambiguous", "cyclic") else "auto"
    return ErrorCorrectingParser(GRAMMARS[name], parser=engine, maybe_placeholders=False)  # type: ignore[arg-type]


@cache
def sentences(name: str) -> frozenset[str]:
    """Return all sentences up to a length; a token is one character."""
    rules = load(name).lark.rules
    signs = load(name).compiled.tables.literals
    texts: dict[str, set[str]] = {str(rule.origin.name): set() for rule in rules}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            rows = {""}
            for symbol in rule.expansion:
                parts = {signs[symbol.name]} if symbol.is_term else texts[str(symbol.name)]
                rows = {before + part for before in rows for part in parts if len(before) + len(part) <= LONGEST}
            text = texts[str(rule.origin.name)]
            changed = changed or not rows <= text
            text |= rows
    return frozenset(texts["start"])


def edit_distance(name: str, text: str, sentence: str) -> int:
    """Return the least price of edits that change a text to a sentence, in the prices of the parser."""
    tables = load(name).compiled.tables
    scanner = Scanner(tables, text, "basic")
    names = {sign: terminal for terminal, sign in tables.literals.items()}
    inserted = [tables.insert_price(names[sign]) or 0 for sign in sentence]
    row = [sum(inserted[:count]) for count in range(len(sentence) + 1)]
    for place, sign in enumerate(text):
        deleted = scanner.delete(Unit(names[sign], place, place + 1)).price
        before, row = row, [row[0] + deleted]
        for index, item in enumerate(sentence):
            same = before[index] + (0 if sign == item else REPLACE)
            row.append(min(same, before[index + 1] + deleted, row[-1] + inserted[index]))
    return row[-1]


@pytest.mark.parametrize("name", GRAMMARS)
def test_the_price_is_that_of_exhaustive_search(name: str) -> None:
    parser = load(name)
    alphabet = sorted(parser.compiled.tables.literals.values())
    draw = random.Random(7)
    windowed = 0
    for _ in range(40):
        text = "".join(draw.choice(alphabet) for _ in range(draw.randint(1, 5)))
        prices = {sentence: edit_distance(name, text, sentence) for sentence in sentences(name)}
        least = min(prices.values())
        parse = parser.parse(text, exact=True, max_price=10_000)
        assert (parse.price, prices[parse.text]) == (least, least), text
        assert parse.minimal and parse.accepted
        for edits in parse.alternatives:
            repaired = parser.apply(text, edits)
            assert sum(edit.price for edit in edits) <= least + MARGIN
            assert repaired in sentences(name) or len(repaired) > LONGEST
        quick = parser.parse(text, exact=False)
        assert quick.complete and quick.price >= least
        windowed += quick.price == least
    assert windowed >= 36


VALID = '{"a": [1, 2, {"b": "x y", "c": true}], "d": -1.5, "e": null}'


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 200), st.sampled_from(["delete", ",", "]", "}", ":", "1"])), max_size=2))
def test_a_repair_is_never_more_expensive_than_the_damage(damage: list[tuple[int, str]]) -> None:
    parser = _json()
    tokens = [str(token) for token in parser.lark.parse_interactive(VALID).lexer_thread.lex(_First(parser))]
    price = 0
    for place, change in damage:
        index = place % (len(tokens) + 1)
        if change == "delete":
            tokens[index : index + 1] = []
            price += 1060
        else:
            tokens.insert(index, change)
            price += 1040
    parse = parser.parse(" ".join(tokens), exact=True)
    assert parse.complete and parse.price <= price


@cache
def _json() -> ErrorCorrectingParser:
    from symops_lark.error_correcting.languages import load_language

    return ErrorCorrectingParser(load_language("json").grammar, parser="lalr", lexer="basic")


class _First:
    """A parser state for the basic lexer, which does not read it."""

    def __init__(self, parser: ErrorCorrectingParser) -> None:
        self.position = parser.lark.options.start
