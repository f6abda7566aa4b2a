"""How the cases of a conformance suite are chosen, in small: few walks, and every outcome as the parser gives it."""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any

import pytest

from symops_lark import ParseError, parse, portable_tables
from symops_lark.core.grammar.loading import load_grammar
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


def test_walks_and_damage_reach_what_the_cover_of_the_language_misses() -> None:
    cover, walked = (transitions_of([case["text"] for case in cases_of(walks)]) for walks in (0, 2))
    assert cover < walked
