"""Edits of a text: how a repaired text is written, and where each edit is in it."""

from __future__ import annotations

import pytest

from symops_lark.error_correcting.edits import Edit, Leaf, Node, Place, is_word, list_leaves, write_edits


def insert(place: int, new: str) -> Edit:
    return Edit("insert", place, place, "NAME", new, 1000)


def replace(start: int, stop: int, new: str) -> Edit:
    return Edit("replace", start, stop, "NAME", new, 1500)


def delete(start: int, stop: int) -> Edit:
    return Edit("delete", start, stop, "NAME", "", 1000)


@pytest.mark.parametrize(
    ("text", "expected"), [("a", True), ("Z", True), ("9", True), ("_", True), ("-", False), (" ", False), ("", False)]
)
def test_words_have_letters_digits_and_underscores(text: str, expected: bool) -> None:
    assert is_word(text) == expected


WRITTEN = [
    ("a b", [], "a b"),
    ("a b", [insert(1, ",")], "a, b"),
    ("ab", [insert(1, "x")], "a x b"),
    ("a b", [insert(1, "x")], "a x b"),
    ("a b", [insert(2, "x")], "a x b"),
    ("a;b", [delete(1, 2)], "a b"),
    ("a;(", [delete(1, 2)], "a("),
    ("a;;b", [delete(1, 2), delete(2, 3)], "a b"),
    ("a", [delete(0, 1)], ""),
    ("a+b", [replace(1, 2, "or")], "a or b"),
    ("a+b", [replace(1, 2, "-")], "a-b"),
    ("(a", [insert(2, ")"), insert(2, "x"), insert(2, "y")], "(a)x y"),
    ("a b", [Edit("mistake", 0, 1, "late", "", 300), insert(3, ";")], "a b;"),
    ("(a-", [insert(2, "x")], "(a x-"),
    ("", [insert(0, "(a"), insert(0, "b")], "(a b"),
    ("a\nb", [insert(2, "  ")], "a\n  b"),
    ("ab", [insert(1, "  ")], "a  b"),
]


@pytest.mark.parametrize(("text", "edits", "repaired"), WRITTEN)
def test_words_stay_words(text: str, edits: list[Edit], repaired: str) -> None:
    assert write_edits(text, edits).text == repaired


def test_no_blank_is_written_where_blanks_count() -> None:
    assert write_edits("ab", [insert(1, "x")], "").text == "axb"
    assert write_edits("ab", [insert(1, "x")], "", wide=True).text == "axb"


WIDE = [("()", [insert(1, ")")], "( ) )"), ("(;)", [delete(1, 2)], "( )"), ("a\nb", [insert(2, "  ")], "a\n  b")]


@pytest.mark.parametrize(("text", "edits", "repaired"), WIDE)
def test_wide_texts_separate_new_tokens_but_keep_blanks(text: str, edits: list[Edit], repaired: str) -> None:
    assert write_edits(text, edits, wide=True).text == repaired


def test_places_are_those_of_the_new_text() -> None:
    edits = [insert(1, "x"), Edit("mistake", 1, 1, "late", "", 300), replace(2, 3, "--"), delete(4, 5)]
    repaired = write_edits("ab+c;d", edits)
    assert repaired.text == "a x b--c d"
    assert repaired.places == (Place(2, 3, 4, edits[0]), Place(5, 7, 7, edits[2]), Place(9, 9, 9, edits[3]))
    for start, stop, _, edit in repaired.places:
        assert repaired.text[start:stop] == edit.new


def test_leaves_are_read_from_left_to_right() -> None:
    first, second, third = (Leaf("A", at, at + 1, "a") for at in range(3))
    root = Node("r", (Node("r", (first,)), Node("r", ()), Node("r", (second, Node("r", (third,))))))
    assert list_leaves(root) == [first, second, third]
    assert list_leaves(first) == [first]
