"""A grammar as tables: prices of insertions, keywords, and what a rule can begin with."""

from __future__ import annotations

from typing import Any

import pytest

from symops_lark.core.ground.errors import GrammarError
from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.edits import END
from symops_lark.error_correcting.tables import TOP, Symbol, Tables


def compile_tables(grammar: str, **options: Any) -> Tables:
    return ErrorCorrectingParser(grammar, parser="earley", **options).compiled.tables


def test_the_first_rule_is_the_start_and_the_end() -> None:
    tables = compile_tables('start: "a"')
    assert tables.productions[0][:2] == (TOP, (Symbol(False, "start"), Symbol(True, END)))
    assert tables.symbols == [Symbol(False, "start"), Symbol(True, END), None, Symbol(True, "A"), None]
    assert (tables.owner, tables.begin) == ([0, 0, 0, 1, 1], [0, 3])
    assert tables.by_name == {TOP: [0], "start": [1]}
    assert tables.first == [{"A", "start"}, {END}, None, {"A"}, None]


def test_terminals_cost_what_their_text_needs() -> None:
    tables = compile_tables('start: "a" WORD DATE\nWORD: /[a-z]+/\nDATE: /(?=x)[0-9]{8}/\n')
    names = ("A", "WORD", "DATE", END)
    assert [tables.insert_price(name) for name in names] == [1000, 1060, None, None]


def test_the_cheapest_derivation_is_inserted() -> None:
    tables = compile_tables('start: long | short\nlong: "a" "b" empty\nshort: WORD\nempty: "c"?\nWORD: /[a-z]+/\n')
    prices = {name: price for name, (price, _) in tables.least.items()}
    assert prices == {"start": 1060, "long": 2000, "short": 1060, "empty": 0}
    assert tables.productions[tables.least["start"][1]].symbols == (Symbol(False, "short"),)
    assert tables.nullable == {"empty"}


def test_a_rule_begins_like_what_follows_its_empty_parts() -> None:
    tables = compile_tables('start: none "b" | "c"\nnone: "a"?\n')
    firsts = dict(zip(tables.symbols, tables.first, strict=True))
    assert firsts[Symbol(False, "none")] == frozenset({"none", "A", "B"})
    assert tables.first[0] == frozenset({"start", "none", "A", "B", "C"})


KEYWORDS = [
    ('start: IF | NAME\nIF: "if"\nNAME: /[a-z]+/\n', "NAME", {"if": "IF"}),
    ('start: IF | NAME\nIF.2: "if"\nNAME: /[a-z]+/\n', "NAME", {"if": "IF"}),
    ('start: IF | NAME\nIF: "if"\nNAME.2: /[a-z]+/\n', "NAME", {}),
    ('start: IF | NAME\nIF: "if"\nNAME: /[a-z]/\n', "NAME", {}),
]


@pytest.mark.parametrize(("grammar", "name", "keywords"), KEYWORDS)
def test_keywords_are_the_literals_that_a_terminal_matches(grammar: str, name: str, keywords: dict[str, str]) -> None:
    tables = compile_tables(grammar)
    assert tables.keywords == {name: keywords}
    expected = "IF" if keywords else "NAME"
    stop = 1 if "/[a-z]/" in grammar else 2
    assert tables.find_longest("if", 0) == (("IF", 2) if stop == 1 else (expected, 2))


def test_values_are_inserted_as_they_are_given() -> None:
    grammar = 'start: "then"i WORD\nWORD: /[a-z]+/\n'
    assert compile_tables(grammar).samples == {END: "", "THEN": "then", "WORD": "x"}
    tables = compile_tables(grammar, values={"THEN": "THEN", "WORD": "id"})
    assert tables.samples == {END: "", "THEN": "THEN", "WORD": "id"}
    with pytest.raises(GrammarError, match="the value '1' is not a WORD"):
        compile_tables(grammar, values={"WORD": "1"})
    with pytest.raises(GrammarError, match="a value is given for ID, which is not a terminal"):
        compile_tables(grammar, values={"ID": "a"})


def test_terminals_have_their_texts_and_quotes() -> None:
    tables = compile_tables('start: MODE TEXT ";"\nMODE: "on" | "off"\nTEXT: /"[^"]*"/\n%ignore " "\n')
    assert tables.choices["MODE"] == {"on", "off"} and tables.choices["TEXT"] == set()
    assert (tables.quotes["MODE"], tables.quotes["TEXT"]) == ("", '"')
    assert tables.reserved >= {";"} and len(tables.ignored) == 1
    assert tables.used == ["MODE", "TEXT", "SEMICOLON"]


def test_a_rule_of_mistakes_costs_its_priority() -> None:
    mistakes = '%extend start: _one\n_one.-300: two three\ntwo: "b"\nthree.20: "c"\n'
    tables = compile_tables('start: "a"', mistakes=mistakes)
    assert {row.name: row.price for row in tables.productions if row.price} == {"_one": 300}
    assert tables.least["_one"][0] == 2300 and tables.least["start"][0] == 1000
