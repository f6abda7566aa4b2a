"""Ranges of lines: their heads and ends, and what is refused."""

from __future__ import annotations

from functools import partial

import pytest
from edit_readings import refusal_of

from symops_lark.core.edits.hunks import MAX_HUNKS, Hunk, Reading
from symops_lark.core.edits.notations.ranges import read

unreadable = partial(refusal_of, read)


def test_ranges_with_their_lines() -> None:
    content = "\nedit 3:5 \nx\n\n  y\n end_of_edit\n\n \nedit 9:9\nend_of_edit\n"
    hunks = Hunk(new=("x", "", "  y"), line=3, count=3), Hunk(line=9, count=1)
    assert read(content) == Reading("ranges of lines", hunks)
    assert read("edit 1:2\nend_of_edit") == Reading("ranges of lines", (Hunk(line=1, count=2),))


@pytest.mark.parametrize("content", ["", "edit 3:5\nx\n", "edit a.py\nend_of_edit\n", "x\nedit 3:5\nend_of_edit\n"])
def test_other_contents(content: str) -> None:
    assert read(content) is None


def test_other_lines_are_refused() -> None:
    reason = "line 4 of the content is outside of the ranges: 'words'"
    assert unreadable("edit 3:5\nx\nend_of_edit\nwords\n") == (reason, "write nothing but the ranges")


def test_a_range_without_an_end_is_refused() -> None:
    reason = "the range at line 4 has no `end_of_edit`"
    assert unreadable("edit 3:5\nx\nend_of_edit\nedit 7:7\n") == (reason, "the reply may have been cut off")
    assert unreadable("edit 3:5\nx\nend_of_edit\nedit 7:7\nx\n")[0] == reason


@pytest.mark.parametrize("head", ["edit 5:3", "edit 0:3", "edit 0:0"])
def test_a_range_rises_from_1(head: str) -> None:
    expected = f"`{head}` is not a range of lines", "write the lower number first"
    assert unreadable(f"{head}\nx\nend_of_edit\n") == expected


def test_a_content_has_so_many_ranges_at_most() -> None:
    content = "edit 1:1\nend_of_edit\n"
    reading = read(content * MAX_HUNKS)
    assert reading is not None and len(reading.hunks) == MAX_HUNKS
    reason = f"there are more than {MAX_HUNKS} ranges"
    assert unreadable(content * (MAX_HUNKS + 1)) == (reason, "write the whole text")
