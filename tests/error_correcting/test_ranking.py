"""The place of a missing bracket: the end of a line after which less is indented."""

from __future__ import annotations

import pytest

from symops_lark.error_correcting.edits import Edit
from symops_lark.error_correcting.ranking import rank_edits


@pytest.mark.parametrize("gap", ["", "\n", "   \n", "\n \t\n"])
@pytest.mark.parametrize(("following", "rank"), [("end()\n", 0), ("  more()\n", 1), ("     more()\n", 1), ("", 0)])
def test_lines_of_blanks_have_no_indentation(gap: str, following: str, rank: int) -> None:
    text = f"if f(1:\n  a(b\n{gap}{following}"
    place = text.index("b\n") + 1
    assert rank_edits(text, [Edit("insert", place, place, "", ")", 1)]) == rank


def test_an_opener_is_rather_too_much_than_missing() -> None:
    assert rank_edits("a)", [Edit("insert", 0, 0, "", "(", 1)]) == 3
    assert rank_edits("a b", [Edit("insert", 1, 1, "", ")", 1)]) == 2
    assert rank_edits("a)", [Edit("delete", 1, 2, ")", "", 1)]) == 0


def insert(place: int, new: str) -> Edit:
    return Edit("insert", place, place, "", new, 1)


def test_a_text_may_begin_with_an_empty_line() -> None:
    assert rank_edits("\n  a(b\n  more()\n", [insert(6, ")")]) == 1
    assert rank_edits("\n  a(b\n more()\n", [insert(6, ")")]) == 0
    assert rank_edits("\na", [insert(0, ";")]) == 0


def test_the_end_of_a_block_is_no_bracket() -> None:
    """It has no text."""
    assert rank_edits("a\n  b", [insert(1, "")]) == 0
    assert rank_edits("a b", [insert(1, "")]) == 2


def test_the_ranks_of_all_edits_are_added() -> None:
    assert rank_edits("a)\n  b", []) == 0
    assert rank_edits("a)\n  b", [insert(0, "("), insert(0, "x"), insert(2, ";"), insert(2, ")")]) == 3 + 2 + 0 + 1
