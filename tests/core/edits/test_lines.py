"""The lines of a file: where one ends, where a passage is found, and which bytes stay when lines are replaced."""

from __future__ import annotations

import pytest

from symops_lark.core.edits import lines as lines_module
from symops_lark.core.edits.lines import (
    MAX_PLACES,
    Lines,
    TooManyPlaces,
    content_lines,
    ending_of,
    filled_lines,
    find_lines,
    frame,
    split_lines,
)


def test_only_line_feeds_end_a_line() -> None:
    assert split_lines("a\r\nb\x0c\u2028c\rd\n") == ["a", "b\x0c\u2028c\rd", ""]
    assert split_lines("a\r\r\n") == ["a\r", ""]
    assert Lines("a\r\nb\rc\u2028d\n").bare == ["a", "b\rc\u2028d"]


@pytest.mark.parametrize(
    ("content", "lines"), [("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\n\n", ["a", ""]), ("\n", [""]), ("a\r\n", ["a"])]
)
def test_the_lines_of_a_content_have_none_after_the_last_ending(content: str, lines: list[str]) -> None:
    assert content_lines(content) == lines


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("\ufeff\n \n\ta\n\nb\n\n", ["\ta", "", "b"]),
        ("a\n \n", ["a", " "]),
        ("a\r\n\r\n", ["a"]),
        ("\n \n", []),
        ("\n\n", []),
        ("", []),
        ("a", ["a"]),
    ],
)
def test_empty_lines_around_a_content_are_left_out(content: str, lines: list[str]) -> None:
    """A last line of one blank is an empty line of context in a diff."""
    assert filled_lines(content) == lines


@pytest.mark.parametrize(
    ("text", "ending"),
    [("", "\n"), ("a", "\n"), ("a\r\n", "\r\n"), ("a\r\nb\n", "\n"), ("a\r\nb\r\nc\n", "\r\n"), ("a\nb\nc\r\n", "\n")],
)
def test_most_lines_decide_on_the_ending(text: str, ending: str) -> None:
    assert ending_of(text) == ending


def test_complete_lines_are_found_and_may_overlap() -> None:
    assert frame(["a", "b"]) == "\na\nb\n" and frame([]) == "\n"
    assert find_lines(["a"], ["a", "ab", "ba", "a"]) == [0, 3]
    assert find_lines(["a", "a"], ["a"] * 4) == [0, 1, 2]
    assert find_lines(["a"], ["a"] * 4) == [0, 1, 2, 3]
    assert Lines("a\nb\na\nb\na").find(["a", "b"]) == [0, 2]
    assert Lines("b\nA\na").find(["A"], str.lower) == [1, 2]
    assert Lines("").find(["a"]) == []


def test_a_passage_has_so_many_places_at_most() -> None:
    assert len(Lines("a\n" * MAX_PLACES).find(["a"])) == MAX_PLACES
    with pytest.raises(TooManyPlaces):
        Lines("a\n" * (MAX_PLACES + 1)).find(["a"])


def test_a_long_passage_has_fewer_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each place of it is compared again: with 40 characters in all, one of 20 characters has 3 places at most."""
    monkeypatch.setattr(lines_module, "_MAX_COMPARED", 40)
    passage = ["x" * 18]
    assert Lines("\n".join(passage * 3)).find(passage) == [0, 1, 2]
    with pytest.raises(TooManyPlaces):
        Lines("\n".join(passage * 4)).find(passage)


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\r\nb\nc", "\n\n", "\r\n", "a\n\rb"])
def test_what_is_not_changed_is_joined_as_it_was(text: str) -> None:
    lines = Lines(text)
    assert lines.join() == text
    assert lines.is_ended == (text == "" or text.endswith("\n"))
    assert len(lines) == len(content_lines(text))


@pytest.mark.parametrize(
    ("text", "start", "count", "new", "result"),
    [
        # New lines get the ending of most lines, and those that are changed one by one keep their own.
        ("a\r\nb\r\nc\n", 1, 0, ["x"], "a\r\nx\r\nb\r\nc\n"),
        ("a\r\nb\nc\n", 0, 1, ["x"], "x\r\nb\nc\n"),
        ("a\r\nb\nc\nd\n", 0, 2, ["x", "y", "z"], "x\ny\nz\nc\nd\n"),
        # Equal lines at both ends of the place stay.
        ("a\r\nb\nc\r\nd\nd\nd\n", 0, 3, ["a", "x", "y", "c"], "a\r\nx\ny\nc\r\nd\nd\nd\n"),
        ("a\r\nb\n", 0, 2, ["a"], "a\r\n"),
        # The file ends as it did.
        ("a\nb", 1, 1, ["x"], "a\nx"),
        ("a\nb", 1, 1, ["x", "y"], "a\nx\ny"),
        ("a\nb", 2, 0, ["x"], "a\nb\nx"),
        ("a\nb", 0, 1, ["x"], "x\nb"),
        ("a\nb", 0, 1, [], "b"),
        ("a\r\nb\r\nc", 3, 0, ["x"], "a\r\nb\r\nc\r\nx"),
        ("a\nb\n", 2, 0, ["x"], "a\nb\nx\n"),
        # The lines above a last line that is removed keep their ending, and an empty last line needs one.
        ("a\nb", 1, 1, [], "a\n"),
        ("a", 0, 1, [], ""),
        ("a\nb", 1, 1, [""], "a\n\n"),
        ("", 0, 0, ["x"], "x\n"),
    ],
)
def test_lines_are_replaced(text: str, start: int, count: int, new: list[str], result: str) -> None:
    lines = Lines(text)
    lines.splice(start, count, new)
    assert lines.join() == result


@pytest.mark.parametrize(
    ("text", "ended", "new", "result"),
    [
        ("a\nb\n", False, ["x"], "a\nx"),
        ("a\nb", True, ["x"], "a\nx\n"),
        ("a\r\nb", True, ["b"], "a\r\nb\r\n"),
        ("a\nb\n", False, [""], "a\n\n"),
        ("a\nb\n", False, [], "a"),
    ],
)
def test_a_notation_may_say_how_the_file_ends(text: str, ended: bool, new: list[str], result: str) -> None:
    lines = Lines(text)
    lines.splice(1, 1, new, ended)
    assert lines.join() == result


def test_all_lines_may_be_removed_of_a_file_that_shall_not_end() -> None:
    lines = Lines("a\n")
    lines.splice(0, 1, [], False)
    assert lines.join() == "" and lines.is_ended and len(lines) == 0


def test_a_passage_is_searched_for_in_the_lines_of_now() -> None:
    lines = Lines("a\nb\n")
    assert lines.find(["b"]) == [1] and lines.framed() == "\na\nb\n"
    lines.splice(0, 1, ["b"])
    assert lines.find(["b"]) == [0, 1] and lines.framed() == "\nb\nb\n"


def test_numbers_from_before_all_replacements() -> None:
    lines = Lines("a\nb\nc\nd\ne\n")
    lines.splice(1, 2, ["x", "y", "z", "w"])  # a x y z w d e
    assert [lines.number_before(index) for index in range(7)] == [1, 2, 3, 3, 3, 4, 5]
    lines.splice(0, 1, [])  # x y z w d e
    assert [lines.number_before(index) for index in range(6)] == [2, 3, 3, 3, 4, 5]
    lines.splice(5, 0, ["v"])  # x y z w d v e
    assert [lines.number_before(index) for index in range(7)] == [2, 3, 3, 3, 4, 5, 5]


def test_gaps_after_all_replacements() -> None:
    lines = Lines("a\nb\nc\nd\ne\n")
    lines.splice(1, 2, ["x", "y", "z", "w"])
    assert [lines.gap_now(gap) for gap in range(6)] == [0, 1, None, 5, 6, 7]
    lines.splice(0, 1, [])
    assert [lines.gap_now(gap) for gap in range(6)] == [0, 0, None, 4, 5, 6]
    inserted = Lines("a\nb\n")
    inserted.splice(1, 0, ["x"])
    assert [inserted.gap_now(gap) for gap in range(3)] == [0, 2, 3]
