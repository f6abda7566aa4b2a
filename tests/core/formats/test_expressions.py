"""Rules of formats as trees, the automata that are built of them, and their patterns."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.formats.automaton import ANY_LINES, ANY_TEXT, build, is_free
from symops_lark.core.formats.expressions import (
    NOTHING,
    Choice,
    Expression,
    Many,
    PatternWriter,
    Sequence,
    Term,
    Text,
    branches,
    choice,
    from_json,
    leaves,
    required_texts,
    sequence,
    to_json,
)
from symops_lark.core.formats.sections import FINAL, START

A = Text("a")
B = Text("b.")
WORD = Term("WORD", "[x-z]+")
BLANK = Term("_BLANK", "[ ]*")
FREE = Term("CONTENT", ANY_TEXT)
EXPRESSIONS = st.recursive(
    st.sampled_from([A, B, WORD, BLANK]),
    lambda parts: st.one_of(
        st.lists(parts, max_size=3).map(lambda rows: Sequence(tuple(rows))),
        st.lists(parts, min_size=1, max_size=3).map(lambda rows: Choice(tuple(rows))),
        st.builds(Many, parts, st.sampled_from("?*+")),
    ),
    max_leaves=8,
)


# ---- trees


def test_parts_after_each_other_are_one_sequence() -> None:
    assert sequence(A, sequence(B, WORD), NOTHING) == Sequence((A, B, WORD))
    assert sequence(NOTHING, A) == sequence(A) == A
    assert sequence() == sequence(NOTHING) == NOTHING
    assert sequence(Choice((A, B)), A) == Sequence((Choice((A, B)), A))


def test_alternatives_stay_in_order() -> None:
    assert choice(None, A) == choice(A, A) == A
    assert choice(choice(A, B), WORD) == Choice((A, B, WORD))
    assert branches(Choice((A, B))) == (A, B)
    assert branches(A) == (A,)


@given(EXPRESSIONS)
def test_a_tree_is_kept_as_json(expression: Expression) -> None:
    assert from_json(to_json(expression)) == expression


def test_the_texts_and_terminals_of_a_tree() -> None:
    tree = Sequence((A, Many(Choice((WORD, B)), "*"), FREE))
    assert list(leaves(tree)) == [A, WORD, B, FREE]
    assert list(leaves(WORD)) == [WORD]


def test_texts_that_a_section_needs() -> None:
    tree = Sequence((A, B, WORD, Many(A, "?"), Choice((A, B)), B, Sequence((A,))))
    assert [text for text in required_texts(tree) if text] == ["ab.", "b.", "a"]
    assert list(required_texts(A)) == ["a"]
    assert list(required_texts(Many(A, "+"))) == []


@given(EXPRESSIONS, st.text("abx. ", max_size=8))
def test_what_a_tree_needs_is_in_all_its_texts(expression: Expression, text: str) -> None:
    if re.fullmatch(PatternWriter().write(expression), text):
        assert all(needed in text for needed in required_texts(expression))


def test_patterns() -> None:
    writer = PatternWriter()
    tree = Sequence((B, WORD, Many(Choice((BLANK, WORD)), "*"), Term("SAME_WORD", "x")))
    pattern = writer.write(tree)
    assert pattern == r"b\.(?P<g0>[x-z]+)(?:(?:(?:[ ]*)|(?P<g1>[x-z]+)))*" + "\0WORD\0"
    assert writer.groups == {"g0": "WORD", "g1": "WORD"}
    # Whether the closing mark is there must be seen.
    assert writer.write(Term("_CLOSE", "y")) == "(?P<g2>y)"


# ---- automata


def edges_of(expression: Expression) -> set[tuple[int, str, int]]:
    """Return the edges of an automaton: from a state, a pattern, to a state."""
    return {
        (state, PatternWriter().write(edge.expression), edge.target)
        for state, edges in build(expression).edges.items()
        for edge in edges
    }


def test_a_hidden_terminal_is_no_free_text() -> None:
    for pattern in (ANY_TEXT, ANY_LINES):
        assert is_free(Sequence((A, Many(Term("CONTENT", pattern), "?"))))
        assert not is_free(Term("_REST", pattern))
        assert build(Sequence((A, Term("_REST", pattern), B))).free == {}
    assert not is_free(WORD)
    assert not is_free(NOTHING)


@pytest.mark.parametrize(
    ("sign", "may_be_none", "may_be_several"), [("?", True, False), ("*", True, True), ("+", False, True)]
)
def test_a_free_text_may_be_repeated(sign: str, may_be_none: bool, may_be_several: bool) -> None:
    automaton = build(Sequence((A, Many(Sequence((B, FREE)), sign), A)))
    ((state, free),) = automaton.free.items()
    assert (free.name, free.is_lines) == ("CONTENT", False)
    edges = edges_of(Sequence((A, Many(Sequence((B, FREE)), sign), A)))
    expected = {(START, r"ab\.", state), (state, "a", FINAL)}
    expected |= {(START, "aa", FINAL)} if may_be_none else set()
    expected |= {(state, r"b\.", state)} if may_be_several else set()
    assert edges == expected


def test_each_alternative_is_an_edge() -> None:
    assert edges_of(Choice((A, B))) == {(START, "a", FINAL), (START, r"b\.", FINAL)}
    lines = Term("CONTENT", ANY_LINES)
    tree = Sequence((A, Choice((Sequence((B, lines)), Sequence((lines, A)))), B))
    automaton = build(tree)
    assert [free.is_lines for free in automaton.free.values()] == [True, True]
    first, second = automaton.free
    assert edges_of(tree) == {
        (START, r"ab\.", first),
        (START, "a", second),
        (first, r"b\.", FINAL),
        (second, r"ab\.", FINAL),
    }


def test_marks_between_repetitions_are_one_edge() -> None:
    tree = Sequence((Many(A, "+"), FREE, Many(A, "*"), B))
    ((state, _),) = build(tree).free.items()
    assert edges_of(tree) == {(START, "(?:a)+", state), (state, r"(?:a)*b\.", FINAL)}
