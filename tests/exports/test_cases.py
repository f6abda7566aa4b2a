"""How the cases of a conformance suite are chosen, in small: few walks, and every outcome as the parser gives it."""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any

import pytest

from symops_lark import ParseError, parse, portable_tables
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.exports.automata.alphabet import Alphabet
from symops_lark.exports.automata.automaton import Automaton
from symops_lark.exports.automata.language import find_language
from symops_lark.exports.portable import cases
from symops_lark.exports.portable.cases import choose, write_cases
from symops_lark.exports.portable.tracer import Counts, Tracer


@cache
def cases_of(walks: int) -> list[dict[str, Any]]:
    """Return the cases of v2 with so many walks."""
    dialect = load_grammar("v2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cases, "_WALKS", walks)
        suite = write_cases(dialect, portable_tables("v2"), find_language(dialect))
    return [json.loads(row) for row in suite.splitlines()]


def transitions_of(texts: list[str]) -> set[tuple[Any, ...]]:
    tracer = Tracer(portable_tables("v2"))
    return set().union(*map(tracer.trace, texts))


def test_the_shortest_texts_with_new_transitions_are_chosen() -> None:
    texts = [">> b\n", ">> a\n", "::run @ls\n", ">> a\n>> b\n", "", ">> ab\n"]
    chosen, transitions = choose(portable_tables("v2"), texts)
    # That a thought follows one is new, and another letter is not.
    assert chosen == ["", ">> a\n", ">> ab\n", "::run @ls\n", ">> a\n>> b\n"]
    assert transitions == transitions_of(texts)


def test_each_case_is_the_first_with_a_transition() -> None:
    texts = [case["text"] for case in cases_of(2)]
    assert len(texts) > 100 and texts == sorted(texts, key=lambda text: (len(text), text))
    assert choose(portable_tables("v2"), texts)[0] == texts


def test_a_case_says_what_the_parser_says() -> None:
    outcomes = set()
    for case in cases_of(2):
        assert case["dialect"] == "v2"
        try:
            document = parse(case["text"], "v2")
        except ParseError as error:
            [diagnostic] = error.diagnostics
            error_case, span = case["error"], diagnostic.span
            assert [error_case[key] for key in ("code", "message", "hint")] == [
                diagnostic.code,
                diagnostic.message,
                diagnostic.hint,
            ]
            assert (error_case["offset"], error_case["end"]) == (span.start, span.end)
            assert (error_case["line"], error_case["column"]) == (span.line, span.column)
            assert error_case["expected"] == list(diagnostic.expected) and error_case["drawn"] == str(error)
        else:
            assert case["document"] == json.loads(json.dumps(document.to_dict()))
        outcomes.add(frozenset(case))
    assert outcomes == {frozenset(("dialect", "text", "error")), frozenset(("dialect", "text", "document"))}


def test_walks_are_valid_texts_with_terminals_of_any_length() -> None:
    counts: Counts = {}
    tracer, draw = Tracer(portable_tables("v2")), Random(7)
    texts = [tracer.walk(draw, counts) for _ in range(12)]
    lengths = {len(thought) for text in texts for thought in parse(text, "v2").thoughts}
    assert len(set(texts)) > 9 and len(lengths) > 3 and max(lengths) > 9


@pytest.mark.slow
def test_walks_and_damage_reach_what_the_cover_of_the_language_misses() -> None:
    cover, walked = (transitions_of([case["text"] for case in cases_of(walks)]) for walks in (0, 2))
    assert cover < walked


class Walker:
    """A tracer whose walks are all the same."""

    text = ">> abc\n>> de\n"

    def __init__(self, tables: object) -> None:
        self.tables = tables

    def walk(self, draw: Random, counts: Counts) -> str:
        return self.text


def texts_of(monkeypatch: pytest.MonkeyPatch, language: Automaton, walks: int) -> set[str]:
    """Return the texts of a suite before any is left out."""
    monkeypatch.setattr(cases, "_WALKS", walks)
    monkeypatch.setattr(cases, "Tracer", Walker)
    monkeypatch.setattr(cases, "choose", lambda tables, texts: (sorted(texts), set()))
    return {json.loads(row)["text"] for row in write_cases(load_grammar("v2"), {}, language).splitlines()}


def test_each_move_is_covered_and_ends_the_shortest_way(monkeypatch: pytest.MonkeyPatch) -> None:
    # `a+b`: 1 is the letter of `a`, 2 that of `b`, and 0 all others, such as `c`.
    alphabet = Alphabet((0, ord("a"), ord("b"), ord("c")), (0, 1, 2, 0))
    language = Automaton(alphabet, ({1: 0b010}, {1: 0b010, 2: 0b100}, {}), frozenset({2}))
    refused = {"b", "c", "ac", "aba", "abb", "abc"}
    assert texts_of(monkeypatch, language, 0) == refused | {"a", "aa", "ab", "aab"}


def test_damage_is_done_at_every_place(monkeypatch: pytest.MonkeyPatch) -> None:
    text, nothing = Walker.text, Automaton(Alphabet((0,), (0,)), ({},), frozenset())
    monkeypatch.setattr(cases, "_INSERTED", ("\ufeff", "🙂"))
    damaged = texts_of(monkeypatch, nothing, 400) - {text, "a"}
    places = range(len(text) + 1)
    cuts = {text[:place] + text[place + count :] for place in places for count in (1, 2, 5, len(text))}
    assert {item for item in damaged if len(item) < len(text)} == cuts - {text}
    longer = {item for item in damaged if len(item) > len(text)}
    assert text.replace("\n", "\r\n") in longer
    added = {"\ufeff", "🙂", *load_grammar("v2").said_marks.values()}
    assert all(any(text[:place] + new + text[place:] in longer for place in places) for new in added)
    assert all(any(text[:place] + new + text[place:] in longer for new in added) for place in places)
