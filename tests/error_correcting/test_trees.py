"""Trees of repaired texts: each token has its place in the text that was given."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from lark import Token, Transformer, Tree

from symops_lark.error_correcting import ErrorCorrectingParser, InsertedToken
from symops_lark.error_correcting.edits import Edit, write_edits
from symops_lark.error_correcting.trees import locate_tree

LISTS = """
start: "[" [WORD ("," WORD)*] "]"
WORD: /[a-z]+/
%ignore /\\s+/
"""
MISTAKES = """
%extend start: _semicolon
_semicolon.-300: "[" WORD ";" WORD "]"
"""


@cache
def lists() -> ErrorCorrectingParser:
    return ErrorCorrectingParser(LISTS, mistakes=MISTAKES, keep_all_tokens=True, propagate_positions=True)


def offsets(tree: Any) -> list[tuple[str, int, int]]:
    return [(str(token), token.start_pos, token.end_pos) for token in tree.children if token is not None]


PLACES = [
    ("[a]]", [("[", 0, 1), ("a", 1, 2), ("]", 2, 3)]),
    ("[a,]", [("[", 0, 1), ("a", 1, 2), ("]", 3, 4)]),
    ("[a,,b]", [("[", 0, 1), ("a", 1, 2), (",", 2, 3), ("b", 4, 5), ("]", 5, 6)]),
    ("[,a]", [("[", 0, 1), ("a", 2, 3), ("]", 3, 4)]),
    (",[a]", [("[", 1, 2), ("a", 2, 3), ("]", 3, 4)]),
    ("[a b]", [("[", 0, 1), ("a", 1, 2), (",", 2, 2), ("b", 3, 4), ("]", 4, 5)]),
    ("[abc", [("[", 0, 1), ("abc", 1, 4), ("]", 4, 4)]),
    ("a, b]", [("[", 0, 0), ("a", 0, 1), (",", 1, 2), ("b", 3, 4), ("]", 4, 5)]),
    ("[a!!b]", [("[", 0, 1), ("a", 1, 2), (",", 2, 2), ("b", 4, 5), ("]", 5, 6)]),
    ("[a;b]", [("[", 0, 1), ("a", 1, 2), (";", 2, 3), ("b", 3, 4), ("]", 4, 5)]),
]


@pytest.mark.parametrize(("text", "places"), PLACES)
def test_tokens_are_where_the_given_text_has_them(text: str, places: list[tuple[str, int, int]]) -> None:
    parse = lists().parse(text)
    assert offsets(parse.tree) == places
    for token in parse.tree.scan_values(lambda value: isinstance(value, Token)):
        assert isinstance(token, InsertedToken) == (token.start_pos == token.end_pos)
        assert (token.line, token.column, token.end_line) == (1, token.start_pos + 1, 1)
        assert token.end_column == token.end_pos + 1


def test_lines_and_columns_are_those_of_the_given_text() -> None:
    tree = lists().parse("[\nab\n  cd").tree
    ab, comma, cd, bracket = tree.children[1:]
    assert (ab.line, ab.column, ab.end_line, ab.end_column) == (2, 1, 2, 3)
    assert (comma.line, comma.column, comma.end_line, comma.end_column) == (2, 3, 2, 3)
    assert (cd.line, cd.column, cd.end_line, cd.end_column) == (3, 3, 3, 5)
    assert (bracket.line, bracket.column) == (3, 5)


def test_a_rule_has_the_places_of_its_tokens() -> None:
    meta = lists().parse(",\n[a],").tree.meta
    assert (meta.start_pos, meta.line, meta.column) == (2, 2, 1)
    assert (meta.end_pos, meta.end_line, meta.end_column) == (5, 2, 4)
    meta = lists().parse("").tree.meta
    assert (meta.start_pos, meta.end_pos) == (0, 0)


def test_a_rule_has_the_places_of_the_tokens_that_its_tree_leaves_out() -> None:
    parser = ErrorCorrectingParser('start: "[" a "]"\na: "x" "," B\nB: "y"\n%ignore /\\s+/', propagate_positions=True)
    text = ";;[\nx\ny\n]"
    meta: Any = parser.parse(text).tree.meta
    assert (meta.container_start_pos, meta.container_line, meta.container_column) == (2, 1, 3)
    assert (meta.container_end_pos, meta.container_end_line, meta.container_end_column) == (9, 4, 2)
    [rule] = parser.parse(text).tree.children
    places = (rule.meta.container_start_pos, rule.meta.container_line, rule.meta.container_end_pos)
    assert places == (4, 2, 7)


def test_a_rule_without_tokens_has_no_place() -> None:
    parser = ErrorCorrectingParser('start: a "."\na: "x"?', propagate_positions=True)
    [empty] = parser.parse(";.").tree.children
    assert empty == Tree("a", []) and empty.meta.empty


def test_a_replaced_token_has_the_place_of_the_old_text() -> None:
    parser = ErrorCorrectingParser('start: "print" WORD\nWORD: /[a-z]+/\n%ignore " "\n', keep_all_tokens=True)
    for text, stop in [("prin a", 4), ("printt a", 6), ("prnit a", 5)]:
        parse = parser.parse(text)
        assert parse.text == "print a" and offsets(parse.tree) == [("print", 0, stop), ("a", stop + 1, stop + 2)]
        assert not isinstance(parse.tree.children[0], InsertedToken)


def test_a_completed_token_was_not_inserted() -> None:
    parser = ErrorCorrectingParser('start: STRING ";"\nSTRING: /"[^"\\n]*"/\n%ignore " "\n')
    [token] = parser.parse('"a b').tree.children
    assert (token, token.start_pos, token.end_pos) == ('"a b"', 0, 4) and not isinstance(token, InsertedToken)


def test_a_tree_of_one_token_has_its_place() -> None:
    parser = ErrorCorrectingParser('?start: WORD ";"\nWORD: /[a-z]+/\n')
    for text, start, kind in [("!ab;", 1, Token), (";", 0, InsertedToken)]:
        token = parser.parse(text).tree
        assert (type(token), token.start_pos) == (kind, start)


class _Words(Transformer[Token, Any]):
    def start(self, words: list[Any]) -> list[str]:
        return [str(word) for word in words]


def test_what_a_transformer_makes_is_returned() -> None:
    parser = ErrorCorrectingParser(LISTS, parser="lalr", transformer=_Words())
    assert parser.parse("[a b").tree == ["a", "b"]


@pytest.mark.parametrize("place", ["start_pos", "end_pos"])
def test_a_token_without_a_place_stays_as_it_is(place: str) -> None:
    """A callback of Lark's lexer may return such a token."""
    token = Token("WORD", "b", 1, 1, 2, 1, 3, 2)
    setattr(token, place, None)
    repaired = write_edits("!b", [Edit("delete", 0, 1, "", "", 1000)])
    assert locate_tree(token, "!b", repaired) is token
    assert locate_tree(Tree("a", [token]), "!b", repaired).children[0] is token
