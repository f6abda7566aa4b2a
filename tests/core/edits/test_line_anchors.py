"""Anchors of lines: what their hashes depend on, and where ranges and insertions by number go."""

from __future__ import annotations

import pytest

from symops_lark.core.edits.hunks import Hunk
from symops_lark.core.edits.line_anchors import NUMBER_ALONE, find_range, hash_lines, insert_by_number, show_anchors
from symops_lark.core.edits.lines import Lines
from symops_lark.core.edits.places import MisfitError, Place

NEXT_TO = "quote the lines next to the new ones"
ROWS = [f"row {number}" for number in range(12)]


def find(hunk: Hunk, rows: list[str], number: int = 1) -> Place:
    lines = Lines("".join(row + "\n" for row in rows))
    return find_range(hunk, lines, hash_lines(lines.bare), number)


def insert(hunk: Hunk, text: str) -> Place:
    return insert_by_number(hunk, Lines(text), 3)


def anchored(first: int, last: int, *new: str) -> Hunk:
    """Return a hunk that replaces lines of `ROWS`, both by index."""
    hashes = hash_lines(ROWS)
    return Hunk(new=new, line=first + 1, count=last - first + 1, hashes=(hashes[first], hashes[last]))


def anchored_after(index: int, *new: str) -> Hunk:
    """Return a hunk that inserts after a line of `ROWS`."""
    mark = hash_lines(ROWS)[index]
    return Hunk(new=new, line=index + 2, count=0, hashes=(mark, mark))


def test_a_hash_covers_a_line_and_its_two_neighbors() -> None:
    before = hash_lines(ROWS)
    after = hash_lines([*ROWS[:5], "other", *ROWS[6:]])
    assert [index for index in range(12) if before[index] != after[index]] == [4, 5, 6]
    assert before == hash_lines([row + " \t" for row in ROWS])
    assert before != hash_lines([" " + row for row in ROWS])
    assert hash_lines([]) == [] and len(hash_lines(["a"])) == 1
    # The first and the last line have no neighbor on one side, which is not an empty line.
    assert hash_lines(["a", "b"])[0] != hash_lines(["", "a", "b"])[1]
    assert hash_lines(["a", "b"])[1] != hash_lines(["a", "b", ""])[1]


def test_hashes_have_three_characters_that_are_told_apart() -> None:
    marks = hash_lines([str(number * 7919) for number in range(3000)])
    assert {len(mark) for mark in marks} == {3}
    assert set("".join(marks)) == set("abcdefghijkmnpqrstuvwxyz23456789")
    assert hash_lines(["\ud800"]) != hash_lines(["?"])


def test_anchors_are_shown_from_a_number_on() -> None:
    marks = hash_lines(["a", "b"])
    assert show_anchors("\ufeffa\r\nb") == f"1:{marks[0]}|a\n2:{marks[1]}|b\n"
    assert show_anchors("a\nb\n", 9) == f"9:{marks[0]}|a\n10:{marks[1]}|b\n"
    assert show_anchors("") == ""


# ---- ranges


def test_a_range_is_where_its_anchors_are() -> None:
    assert find(anchored(2, 4, "x"), ROWS) == Place(2, 3, ("x",))
    assert find(anchored(0, 11), ROWS) == Place(0, 12, ())
    assert find(anchored_after(4, "x"), ROWS) == Place(5, 0, ("x",))
    assert find(anchored_after(11, "x"), ROWS) == Place(12, 0, ("x",))


def test_the_top_of_a_file_needs_no_evidence() -> None:
    top = Hunk(new=("x",), line=1, count=0, hashes=("", ""))
    assert find(top, ROWS) == find(top, []) == Place(0, 0, ("x",))


def test_a_range_that_moved_is_asked_about() -> None:
    rows = ["new", "lines", *ROWS]
    doubt = "the lines have moved from 3 to 5"
    assert find(anchored(2, 4, "x"), rows) == Place(4, 3, ("x",), doubt, is_tolerated=True)
    assert find(anchored_after(2, "x"), rows) == Place(5, 0, ("x",), doubt, is_tolerated=True)
    doubt = "the lines have moved from 9 to 7"
    assert find(anchored(8, 9, "x"), ROWS[2:]) == Place(6, 2, ("x",), doubt, is_tolerated=True)


def test_a_range_of_which_one_end_is_elsewhere_has_changed() -> None:
    rows = [*ROWS[:6], "new", *ROWS[6:]]
    with pytest.raises(MisfitError) as error:
        find(anchored(2, 8, "x"), rows, 4)
    marks = hash_lines(rows)
    assert error.value.reason == "edit 4: line 3 or a line next to it has changed; it is 'row 2' now"
    assert error.value.places == ()
    # Two lines above the first one, and four below it: of a long range, only the beginning.
    shown = ", ".join(f"{index + 1}:{marks[index]}" for index in range(7))
    assert error.value.hint == f"use the anchors of the current file: {shown}"


@pytest.mark.parametrize(("first", "last", "shown"), [(0, 0, range(3)), (4, 5, range(2, 8)), (10, 11, range(8, 12))])
def test_a_hint_shows_the_anchors_around_a_range(first: int, last: int, shown: range) -> None:
    rows = [row + "!" for row in ROWS]
    with pytest.raises(MisfitError) as error:
        find(anchored(first, last, "x"), rows)
    marks = hash_lines(rows)
    assert error.value.hint.partition("file: ")[2] == ", ".join(f"{index + 1}:{marks[index]}" for index in shown)


def test_a_range_that_fits_twice_is_refused() -> None:
    rows = ["", "a", "b", "c", "", "q", "", "a", "b", "c", ""]
    mark = hash_lines(rows)[2]
    with pytest.raises(MisfitError) as error:
        find(Hunk(new=("x",), line=6, count=1, hashes=(mark, mark)), rows)
    assert error.value.places == (2, 8) and "it is 'q' now" in error.value.reason
    assert find(Hunk(new=("x",), line=3, count=1, hashes=(mark, mark)), rows) == Place(2, 1, ("x",))


@pytest.mark.parametrize(
    ("line", "count", "told"),
    [
        (13, 1, "there is no line 13; the file has 12 lines"),
        (12, 2, "there is no line 13; the file has 12 lines"),
        (14, 0, "there is no line 14; the file has 12 lines"),
        (-1, 1, "there is no line -1; the file has 12 lines"),
        (20, 5, "there is no line 24; the file has 12 lines"),
    ],
)
def test_lines_after_the_end_are_refused(line: int, count: int, told: str) -> None:
    for hashes in (None, ("aaa", "aaa")):
        with pytest.raises(MisfitError) as error:
            find(Hunk(new=("x",), line=line, count=count, hashes=hashes), ROWS)
        assert (error.value.reason, error.value.hint) == (f"edit 1: {told}", "read the file again")


def test_numbers_alone_are_asked_about() -> None:
    assert find(Hunk(new=("x",), line=2, count=3), ROWS) == Place(1, 3, ("x",), NUMBER_ALONE)
    assert find(Hunk(new=("x",), line=12, count=1), ROWS) == Place(11, 1, ("x",), NUMBER_ALONE)


# ---- insertions


def test_a_number_names_the_line_before_new_ones() -> None:
    assert insert(Hunk(new=("x",), line=1), "a\nb\n") == Place(1, 0, ("x",), NUMBER_ALONE)
    assert insert(Hunk(new=("x",), line=0), "a\nb\n") == Place(0, 0, ("x",), NUMBER_ALONE)
    assert insert(Hunk(new=("x",), line=2, ended=False), "a\nb\n") == Place(2, 0, ("x",), NUMBER_ALONE, False)


def test_an_empty_file_has_one_place() -> None:
    for hunk in (Hunk(new=("x",)), Hunk(new=("x",), line=0), Hunk(new=("x",), at_end=True, scope=("a",))):
        assert insert(hunk, "") == Place(0, 0, ("x",))
    assert insert(Hunk(new=("x",), ended=False), "") == Place(0, 0, ("x",), ended=False)


def test_new_lines_at_the_end_of_the_file() -> None:
    assert insert(Hunk(new=("x",), at_end=True, ended=False), "a\nb\n") == Place(2, 0, ("x",), ended=False)
    assert insert(Hunk(new=("x",), at_end=True, line=1, scope=("a",)), "a\nb\n") == Place(2, 0, ("x",))
    assert insert(Hunk(new=("x",), at_end=True, line=2), "a\nb\n") == Place(2, 0, ("x",), NUMBER_ALONE)


@pytest.mark.parametrize(
    ("hunk", "text", "reason", "hint"),
    [
        (Hunk(line=3), "a\nb\n", "edit 3: there is no line 3; the file has 2 lines", "read the file again"),
        (Hunk(line=-1), "a\n", "edit 3: there is no line -1; the file has 1 line", "read the file again"),
        (Hunk(line=1), "", "edit 3: there is no line 1; the file has 0 lines", "read the file again"),
        (
            Hunk(line=1, at_end=True),
            "a\nb\n",
            "edit 3 ends the file, but line 1 is not its last line",
            "quote the line before the new ones",
        ),
        (Hunk(), "a\n", "edit 3 quotes no line of the file", NEXT_TO),
        (Hunk(line=1, scope=("a",)), "a\n", "edit 3 quotes no line of the file", NEXT_TO),
    ],
)
def test_new_lines_without_a_place_are_refused(hunk: Hunk, text: str, reason: str, hint: str) -> None:
    with pytest.raises(MisfitError) as error:
        insert(hunk, text)
    assert (error.value.reason, error.value.hint) == (reason, hint)
