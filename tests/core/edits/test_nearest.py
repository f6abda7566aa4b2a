"""What a refusal tells about the place that a passage is most like, and how it quotes lines and numbers."""

from __future__ import annotations

import pytest

from symops_lark.core.edits.nearest import describe_nearest, quote_line, quote_numbers

FILE = ["a = 1", "b = 2", "c = 3", "", "d = 4"]


@pytest.mark.parametrize(
    ("old", "told"),
    [
        # The lines vote for the place at which most of them are equal but for blanks.
        (["a = 1", "b = 9", "c = 3"], "nearest is line 2, which is 'b = 2' and not 'b = 9'"),
        (["b = 2", "c = 9"], "nearest is line 3, which is 'c = 3' and not 'c = 9'"),
        (["x", "c = 3"], "nearest is line 2, which is 'b = 2' and not 'x'"),
        (["  b = 2", "c = 3"], "nearest is line 2, which is 'b = 2' and not '  b = 2' (only blanks differ)"),
        (["b  = 2 "], "none of its lines is in the file: 'b  = 2 '"),
        (["a = 1", "b  = 2"], "nearest is line 2, which is 'b = 2' and not 'b  = 2' (only blanks differ)"),
        (["a = 1", "c = 3", "", "d = 4"], "nearest is line 2, which is 'b = 2' and not 'a = 1'"),
        # In a tie the first one.
        (["d = 4", "x", "a = 1"], "nearest is line 1, but the quoted lines begin 2 lines before it, with 'd = 4'"),
        (
            ["a = 1", "x", "x", "x", "x", "x", "d = 4"],
            "nearest is line 1, but the quoted lines begin 2 lines before it, with 'a = 1'",
        ),
        (["d = 4", "e = 5"], "nearest is line 5, but the file has 5 lines"),
        (["a = 1", "b = 2", "c = 3", "", "d = 4", ""], "nearest is line 1, but the file has 5 lines"),
        (["x", "a = 1"], "nearest is line 1, but the quoted lines begin 1 line before it, with 'x'"),
        (
            ["x", "a = 1", "b = 2", "c = 3", "y", "d = 4", "z"],
            "nearest is line 1, but the quoted lines begin 1 line before it, with 'x'",
        ),
        (["c = 3", "", "d = 4"], "nearest is line 3"),
        (["", " ", "q = 1", "r = 1"], "none of its lines is in the file: 'q = 1'"),
        ([""], "none of its lines is in the file: ''"),
    ],
)
def test_the_nearest_place_and_its_first_difference(old: list[str], told: str) -> None:
    assert describe_nearest(old, FILE) == told


def test_two_equal_votes_are_for_the_first_place() -> None:
    assert (
        describe_nearest(["q", "b"], ["b", "x", "b"])
        == "nearest is line 1, but the quoted lines begin 1 line before it, with 'q'"
    )
    assert describe_nearest(["b", "q"], ["x", "b", "y", "b", "z"]) == "nearest is line 3, which is 'y' and not 'q'"


def test_lines_that_the_file_has_often_are_no_evidence() -> None:
    assert describe_nearest(["}", "q"], ["}"] * 20) == "nearest is line 2, which is '}' and not 'q'"
    assert describe_nearest(["}", "q"], ["}"] * 21) == "none of its lines is in the file: '}'"
    assert describe_nearest(["", "q"], ["", "x"]) == "none of its lines is in the file: 'q'"


@pytest.mark.parametrize(
    ("start", "told"),
    [
        (1, "nearest is line 2, which is 'b = 2' and not 'q'"),
        (4, "nearest is line 5, which is 'd = 4' and not 'q'"),
        (0, "nearest is line 1, which is 'a = 1' and not 'q'"),
        (-1, "nearest is line 1, which is 'a = 1' and not 'q'"),
        (5, "none of its lines is in the file: 'q'"),
        (None, "none of its lines is in the file: 'q'"),
    ],
)
def test_the_expected_place_is_told_if_no_line_is_in_the_file(start: int | None, told: str) -> None:
    assert describe_nearest(["q"], FILE, start) == told
    assert describe_nearest(["b = 2", "x"], FILE, start) == "nearest is line 3, which is 'c = 3' and not 'x'"


def test_an_empty_file_has_no_place() -> None:
    assert describe_nearest(["a"], [], 0) == "the file is empty"
    assert describe_nearest(["a", "b"], ["a"]) == "nearest is line 1, but the file has 1 line"


def test_long_lines_are_cut_off() -> None:
    assert quote_line("x" * 80) == f"'{'x' * 80}'"
    assert quote_line("x" * 81) == f"'{'x' * 79}…'"


@pytest.mark.parametrize(
    ("indexes", "told"),
    [
        ([0], "line 1"),
        ([0, 4], "lines 1 and 5"),
        ([0, 1, 2], "lines 1, 2 and 3"),
        ([0, 1, 2, 3, 8], "lines 1, 2, 3, 4 and 9"),
        ([0, 1, 2, 3, 4, 5], "lines 1, 2, 3, 4, 5 …"),
    ],
)
def test_numbers_of_lines_in_a_message(indexes: list[int], told: str) -> None:
    assert quote_numbers(indexes) == told
