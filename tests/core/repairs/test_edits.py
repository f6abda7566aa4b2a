"""Edits and the way back: every place of the new text has one in the old."""

from __future__ import annotations

import pytest

from symops_lark.core.repairs.edits import Edit, PositionMap, apply_edits, find_places


def made(text: str, *edits: tuple[int, int, str]) -> tuple[str, PositionMap]:
    return apply_edits(text, [Edit(start, end, new) for start, end, new in edits])


def test_edits_are_made_in_the_order_of_their_places() -> None:
    assert made("abcdef", (4, 5, ""), (1, 2, "XY"))[0] == "aXYcdf"
    assert made("abc", (0, 0, "<"), (3, 3, ">"))[0] == "<abc>"
    assert made("abc", (1, 2, "X"), (1, 1, "+"))[0] == made("abc", (1, 1, "+"), (1, 2, "X"))[0] == "a+Xc"
    assert made("abc")[0] == "abc"
    assert made("")[0] == ""


@pytest.mark.parametrize(
    ("text", "edits", "rows"),
    [
        ("", [], [(0, 0, 0, 0, True)]),
        ("abc", [], [(0, 3, 0, 3, True)]),
        ("abc", [(1, 2, "XY")], [(0, 1, 0, 1, True), (1, 3, 1, 2, False), (3, 4, 2, 3, True)]),
        ("abc", [(0, 3, "")], [(0, 0, 0, 3, False)]),
        (
            "abcdef",
            [(1, 2, "XY"), (4, 5, "")],
            [(0, 1, 0, 1, True), (1, 3, 1, 2, False), (3, 5, 2, 4, True), (5, 5, 4, 5, False), (5, 6, 5, 6, True)],
        ),
        ("abc", [(1, 1, "X")], [(0, 1, 0, 1, True), (1, 2, 1, 1, False), (2, 4, 1, 3, True)]),
        ("abc", [(0, 0, "")], [(0, 3, 0, 3, True)]),
        (
            "ab\ncd\n",
            [(0, 6, "b\nd\n")],
            [
                (0, 0, 0, 1, False),
                (0, 1, 1, 2, True),
                (1, 2, 2, 3, True),
                (2, 2, 3, 4, False),
                (2, 3, 4, 5, True),
                (3, 4, 5, 6, True),
            ],
        ),
        ("`\na\nb\n`", [(0, 7, "a\nb")], [(0, 0, 0, 2, False), (0, 3, 2, 5, True), (3, 3, 5, 7, False)]),
        ("a\nb", [(0, 3, "X\nb")], [(0, 1, 0, 1, False), (1, 2, 1, 2, True), (2, 3, 2, 3, True)]),
        ("a\nb", [(0, 3, "\n")], [(0, 1, 0, 3, False)]),
        ("a\nb", [(0, 3, "a\nb")], [(0, 3, 0, 3, True)]),
        ("a\nb", [(0, 3, "b")], [(0, 1, 0, 3, False)]),  # one line that is kept is written anew
        ("\n\na", [(0, 3, "\n\n")], [(0, 2, 0, 3, False)]),
        ("a\nb\nc", [(0, 5, "X\nb")], [(0, 3, 0, 5, False)]),
        ("aa\n\n", [(0, 4, "a\n\n")], [(0, 0, 0, 1, False), (0, 3, 1, 4, True)]),
        ("ab\ncd", [(0, 5, "ab\nXd")], [(0, 2, 0, 2, True), (2, 3, 2, 3, True), (3, 5, 3, 5, False)]),
    ],
)
def test_the_map_says_what_comes_from_where(
    text: str, edits: list[tuple[int, int, str]], rows: list[tuple[int, int, int, int, bool]]
) -> None:
    assert list(made(text, *edits)[1].rows) == rows


def test_places_go_back_and_forth() -> None:
    new, way = made("abcdef", (1, 3, "XYZ"), (4, 5, ""), (6, 6, "!"))
    assert new == "aXYZdf!"
    assert [way.to_old(at) for at in range(9)] == [0, 1, 1, 1, 3, 5, 6, 6, 6]
    assert [way.to_old(at, end=True) for at in range(9)] == [0, 1, 3, 3, 3, 4, 6, 6, 6]
    assert [way.to_new(at) for at in range(7)] == [0, 1, 1, 4, 5, 5, 6]
    assert [way.to_copied(at) for at in range(7)] == [0, None, None, None, 3, 5, None]


def test_what_was_deleted_in_front_holds_no_place() -> None:
    new, way = made("abc", (0, 1, ""), (3, 3, "."))
    assert new == "bc."
    assert [way.to_old(at) for at in range(4)] == [1, 2, 3, 3]
    assert [way.to_new(at) for at in range(4)] == [0, 0, 1, 2]


def test_what_is_inserted_at_an_end_stands_behind_it() -> None:
    new, way = made("abc", (3, 3, "."))
    assert new == "abc."
    assert [way.to_new(at) for at in range(4)] == [0, 1, 2, 3]
    assert [way.to_old(at) for at in range(5)] == [0, 1, 2, 3, 3]
    new, way = made("", (0, 0, "."))
    assert (way.to_new(0), way.to_old(0), way.to_old(1), way.to_old(1, end=True)) == (1, 0, 0, 0)
    assert (way.to_new(-1), way.to_old(-1), way.to_old(0, end=True)) == (0, 0, 0)


def test_each_edit_has_its_place_in_the_new_text() -> None:
    edits = [Edit(4, 5, "Z"), Edit(1, 2, "XY"), Edit(1, 1, "+"), Edit(2, 4, "")]
    text, _ = apply_edits("abcdef", edits)
    places = find_places(edits)
    assert text == "a+XYZf" and places == [4, 2, 1, 4]
    assert all(text.startswith(edit.text, place) for edit, place in zip(edits, places, strict=True))
