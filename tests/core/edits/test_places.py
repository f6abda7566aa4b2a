"""The places of one hunk: which difference each rung overlooks, and which lines of the file stay there."""

from __future__ import annotations

from typing import Any

import pytest

from symops_lark.core.edits import places as places_module
from symops_lark.core.edits.hunks import Hunk
from symops_lark.core.edits.lines import Lines
from symops_lark.core.edits.places import Place, find_places, fold

BLANKS = "the file has other blanks at line ends"
INDENTATION = "the file has another indentation"
TYPOGRAPHY = "the file has other typographic characters (dashes, quotes or blanks)"


def find(old: list[str], new: list[str], text: str, **more: Any) -> list[Place]:
    return find_places(Hunk(tuple(old), tuple(new), **more), Lines(text))


def tolerated(start: int, count: int, new: list[str], doubt: str) -> Place:
    return Place(start, count, tuple(new), doubt, is_tolerated=True)


# ---- doubts of a place


def test_a_place_keeps_its_first_doubt() -> None:
    plain = Place(3, 2, ("x",))
    assert plain.end == 5
    doubtful = plain.with_doubt("first")
    assert doubtful == Place(3, 2, ("x",), "first") and doubtful.with_doubt("second") == doubtful


def test_a_further_doubt_always_asks() -> None:
    place = tolerated(0, 1, [], BLANKS).with_doubt("second")
    assert place == Place(0, 1, (), f"{BLANKS}; second")
    assert place.with_doubt("third") == place


# ---- exact


def test_equal_lines_are_exact() -> None:
    assert find(["a"], ["x"], "a\n\na\n", ended=False) == [
        Place(0, 1, ("x",), ended=False),
        Place(2, 1, ("x",), ended=False),
    ]
    assert find(["a", "b"], ["x"], "a \nb\na\nb\n") == [Place(2, 2, ("x",))]
    assert find(["a"], ["x"], "b\n") == []


@pytest.mark.parametrize(
    ("old", "new", "kept", "start", "count", "rest"),
    [
        (["", "a"], ["", "x"], ((0, 0),), 0, 1, ["x"]),
        (["a", ""], ["x", ""], ((1, 1),), 0, 1, ["x"]),
        (["", "", "a", "b", ""], ["", "", "x", ""], ((0, 0), (1, 1), (4, 3)), 0, 2, ["x"]),
        (["a", "", ""], ["x", "y", "", ""], ((1, 2), (2, 3)), 0, 1, ["x", "y"]),
        (["", "b"], ["", "b", "x"], ((0, 0), (1, 1)), 1, 1, ["b", "x"]),
    ],
)
def test_empty_context_at_the_ends_may_be_missing(
    old: list[str], new: list[str], kept: tuple[tuple[int, int], ...], start: int, count: int, rest: list[str]
) -> None:
    assert find(old, new, "a\nb\nc\n", kept=kept) == [Place(start, count, tuple(rest))]


def test_empty_lines_that_change_may_not_be_missing() -> None:
    assert find(["", "a"], ["x"], "a\nb\n") == []
    assert find(["a", ""], ["x"], "a\nb\n") == []
    assert find(["", "a"], ["y", "", "x"], "a\nb\n", kept=((0, 1),)) == []
    assert find(["a", ""], ["x", "", "y"], "a\nb\n", kept=((1, 1),)) == []
    # Empty lines alone are no evidence.
    assert find(["", ""], ["", "", "x"], "a\n\nb\n", kept=((0, 0), (1, 1))) == []
    assert find([""], ["", "x"], "a\nb\n", kept=((0, 0),)) == []


def test_filled_context_may_not_be_missing() -> None:
    assert find(["a", "b", ""], ["x", "b", ""], "a\nq\n", kept=((1, 1), (2, 2))) == []
    assert find(["", "b", "a"], ["", "b", "x"], "q\na\n", kept=((0, 0), (1, 1))) == []


# ---- blanks at line ends


def test_other_blanks_at_line_ends_are_asked_about() -> None:
    assert find(["a", "b "], ["x"], "a \t\nb\nb\n") == [tolerated(0, 2, ["x"], BLANKS)]
    assert find(["a"], ["x"], "a \nb\na\t\n") == [tolerated(0, 1, ["x"], BLANKS), tolerated(2, 1, ["x"], BLANKS)]
    ended = Place(0, 1, ("x",), BLANKS, True, is_tolerated=True)
    assert find(["a"], ["x"], "a \n", ended=True) == [ended]


def test_the_lines_of_the_file_stay_where_the_hunk_does_not_change_them() -> None:
    text = "a \nb \nc \n"
    assert find(["a", "b", "c"], ["a", "x", "c"], text) == [tolerated(0, 3, ["a ", "x", "c "], BLANKS)]
    assert find(["a", "b", "c"], ["y", "b", "z", "c"], text) == [tolerated(0, 3, ["y", "b ", "z", "c "], BLANKS)]
    # What is context says the notation, if it does.
    assert find(["a", "b"], ["a", "b"], text, kept=((1, 1),)) == [tolerated(0, 2, ["a", "b "], BLANKS)]


def test_equal_lines_in_the_middle_are_found_with_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new, text = ["a", "b", "c", "d"], ["a", "x", "b", "y", "d"], "a \nb \nc \nd \n"
    assert find(old, new, text) == [tolerated(0, 4, ["a ", "x", "b ", "y", "d "], BLANKS)]
    monkeypatch.setattr(places_module, "_MAX_COMPARED", 6)  # two lines of the old half and three of the new one
    assert find(old, new, text) == [tolerated(0, 4, ["a ", "x", "b ", "y", "d "], BLANKS)]
    monkeypatch.setattr(places_module, "_MAX_COMPARED", 5)
    assert find(old, new, text) == [tolerated(0, 4, ["a ", "x", "b", "y", "d "], BLANKS)]


# ---- indentation


def test_all_lines_may_be_indented_by_the_same_amount() -> None:
    text = "def f():\n    if x:\n        a\n"
    assert find(["if x:", "    a"], ["if y:", "    b"], text) == [
        tolerated(1, 2, ["    if y:", "        b"], INDENTATION)
    ]
    assert find(["      if x:", "          a"], ["      if y:", "", "          a"], text) == [
        tolerated(1, 2, ["    if y:", "", "        a"], INDENTATION)
    ]
    ended = Place(0, 1, ("  x",), INDENTATION, False, is_tolerated=True)
    assert find(["a"], ["x"], "  a", ended=False) == [ended]


def test_tabs_may_be_added_before_the_indentation() -> None:
    assert find(["  a"], ["  x", "y"], "\t  a\n") == [tolerated(0, 1, ["\t  x", "\ty"], INDENTATION)]
    assert find(["\t  a"], ["\t  x"], "  a\n") == [tolerated(0, 1, ["  x"], INDENTATION)]
    assert find(["\ta"], ["\tx"], "    a\n") == []


def test_other_amounts_fit_nowhere() -> None:
    assert find(["if x:", "    a"], ["y"], "  if x:\n    a\n") == []
    assert find(["  if x:", "      a"], ["y"], "if x:\n  a\n") == []
    assert find(["a", "  b"], ["y"], "  a\nb\n") == []
    # A new line that has too little to remove.
    assert find(["    a"], ["x"], "  a\n") == []
    assert find(["    a"], ["x"], "  a\n    b\n") == []


def test_empty_lines_count_for_no_amount() -> None:
    assert find(["a", "", "b"], ["x", "", "b", "  "], "  a\n\n  b\n") == [
        tolerated(0, 3, ["  x", "", "  b", "  "], INDENTATION)
    ]
    assert find(["a", " ", "b"], ["a", " ", "c"], "  a\n\n  b\n") == [tolerated(0, 3, ["  a", "", "  c"], INDENTATION)]
    assert find([" "], ["x"], "a\n\t\nb\n") == [tolerated(1, 1, ["x"], BLANKS)]


def test_the_lines_of_the_file_stay_also_with_another_indentation() -> None:
    assert find(["a", "b", "c"], ["a", "x", "c"], "  a \n  b\n  c\t\n") == [
        tolerated(0, 3, ["  a ", "  x", "  c\t"], INDENTATION)
    ]
    assert find(["a", "b"], ["a", "b"], "  a \n  b \n", kept=((0, 0),)) == [
        tolerated(0, 2, ["  a ", "  b"], INDENTATION)
    ]


def test_places_with_an_indentation_that_does_not_fit_are_passed_over() -> None:
    text = "  a\nb\n  a\n  b\n"
    assert find(["a", "b"], ["x"], text) == [tolerated(2, 2, ["  x"], INDENTATION)]
    text = "  a\n      a\n"
    assert find(["    a"], ["  x"], text) == [
        tolerated(0, 1, ["x"], INDENTATION),
        tolerated(1, 1, ["    x"], INDENTATION),
    ]
    assert find(["    a"], [" x"], text) == [tolerated(1, 1, ["   x"], INDENTATION)]


# ---- typography


@pytest.mark.parametrize(
    ("line", "folded"),
    [
        ("a – b — c − d", "a - b - c - d"),
        ("‘a’ “b”", "'a' \"b\""),
        ("a\u00a0b\u3000c \t", "a b c"),
        ("cafe\u0301", "caf\u00e9"),
        ("  a", "  a"),
    ],
)
def test_typography_is_folded(line: str, folded: str) -> None:
    assert fold(line) == folded
    assert find([line.strip()], ["x"], f"{folded.strip()}\n")[0].doubt in {TYPOGRAPHY, BLANKS, ""}


def test_other_typography_is_asked_about() -> None:
    text = "a – b\n“c”\n"
    assert find(["a - b", '"c"'], ["a - b", "x"], text) == [tolerated(0, 2, ["a – b", "x"], TYPOGRAPHY)]
    assert find(["a - b", "c"], ["x"], text) == []


def test_the_first_rung_with_a_place_counts() -> None:
    assert find(["a"], ["x"], "  a\na \na\n") == [Place(2, 1, ("x",))]
    assert find(["a"], ["x"], "  a\na \n") == [tolerated(1, 1, ["x"], BLANKS)]
    assert find(["a-b"], ["x"], "  a-b\na–b\n") == [tolerated(0, 1, ["  x"], INDENTATION)]
