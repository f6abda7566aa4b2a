"""No cheaper repair exists: against all sentences of small grammars, and against the damage that was done."""

from __future__ import annotations

import random
from functools import cache
from itertools import chain, combinations_with_replacement, product
from operator import itemgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark.exceptions import LarkError

from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.edits import MARGIN, REPLACE, Edit, Unit, write_edits
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


@pytest.mark.slow
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


# ---- signs that become one

SIGNS = [
    'start: "=" X | "==" X | X "===" \nX: /[xy]/\n%ignore " "',
    'start: ">" "=" | ">" X | e "=>"\ne: "=" | X\nX: /[xy]/\n',
    'start: X "==" | X | e\ne: ">" | "x" | "===" ">>"\nX: /[xy]/\n',
    'start: "=" | X "xx" | e\ne: "==" | "==" ">" ">" | ">" X "x"\nX: /[xy]/\n%ignore " "',
    'start: "===" "=>" | e\ne: "==" | "=" X | "y" ">>"\nX: /[xy]/\n',
]


def find_cheaper(parser: ErrorCorrectingParser, text: str, limit: int) -> int | None:
    """Return the price of a repair that keeps, deletes and inserts tokens, and costs less than a limit."""
    tables = parser.compiled.tables
    scanner = Scanner(tables, text, parser.compiled.lexer)
    units = []
    place = 0
    while scanner.units(place):
        units.append(scanner.units(place)[0])
        place = units[-1].stop
    prices = {name: tables.insert_price(name) or 0 for name in tables.used}
    gaps = sorted({0, *(place for unit in units for place in (unit.start, unit.stop))})
    slots = [(gap, name) for gap in gaps for name in prices]
    best = limit
    for kept in product((True, False), repeat=len(units)):
        deleted = [scanner.delete(unit) for unit, keep in zip(units, kept, strict=True) if not keep]
        tokens = [(unit.start, 1, unit.name) for unit, keep in zip(units, kept, strict=True) if keep]
        paid = sum(edit.price for edit in deleted)
        for added in chain([()], combinations_with_replacement(slots, 1), product(slots, repeat=2)):
            price = paid + sum(prices[name] for _, name in added)
            if price >= best or sorted(added, key=itemgetter(0)) != list(added):
                continue
            new = [Edit("insert", gap, gap, name, tables.samples[name], 0) for gap, name in added]
            expected = sorted([*tokens, *((gap, 0, name) for gap, name in added)], key=itemgetter(0, 1))
            edits = sorted([*deleted, *new], key=lambda edit: (edit.start, edit.stop))
            for wide in (False, True):
                repaired = write_edits(text, edits, parser.compiled.blank, wide=wide).text
                if read_names(parser, repaired) == [name for _, _, name in expected]:
                    best = price
    return best if best < limit else None


def read_names(parser: ErrorCorrectingParser, text: str) -> list[str] | None:
    try:
        state = parser.lark.parse_interactive(text)
        names = [str(token.type) for token in state.iter_parse()]
        state.feed_eof()
    except LarkError:
        return None
    return names


@pytest.mark.slow
@pytest.mark.parametrize("grammar", SIGNS)
def test_no_repair_of_tokens_is_cheaper_where_signs_may_become_one(grammar: str) -> None:
    parser = ErrorCorrectingParser(grammar, parser="lalr")
    draw = random.Random(5)
    minimal = 0
    for _ in range(60):
        text = "".join(draw.choice("=>xy") for _ in range(draw.randint(1, 4)))
        parse = parser.parse(text, exact=True)
        assert parse.complete and parse.accepted, text
        minimal += parse.minimal
        if parse.minimal:
            assert find_cheaper(parser, text, parse.price) is None, text
    assert minimal >= 30
