"""Edits at anchors: the forms of their heads, and what the lines below them mean."""

from __future__ import annotations

from functools import partial

import pytest
from edit_readings import refusal_of

from symops_lark.core.edits.hunks import MAX_HUNKS, Hunk, Reading
from symops_lark.core.edits.notations.anchors import read

unreadable = partial(refusal_of, read)


def hunks(content: str) -> tuple[Hunk, ...]:
    reading = read(content)
    assert reading is not None and reading == Reading("anchors", reading.hunks)
    return reading.hunks


def lines(first: int, last: int, *new: str, hashes: tuple[str, str] = ("aaa", "aaa")) -> Hunk:
    return Hunk(new=new, line=first, count=last - first + 1, hashes=hashes)


@pytest.mark.parametrize(
    ("head", "hunk"),
    [
        ("@@ 11:aaa", lines(11, 11, "x")),
        ("@@11#aaa", lines(11, 11, "x")),
        ("@@ 11:aaa @@ ", lines(11, 11, "x")),
        ("@@ 11:aaa..14:bbb", lines(11, 14, "x", hashes=("aaa", "bbb"))),
        ("@@ 11:aaa-14:bbb", lines(11, 14, "x", hashes=("aaa", "bbb"))),
        ("@@ 11:aaa 14:bbb @@", lines(11, 14, "x", hashes=("aaa", "bbb"))),
        ("@@ 7:aaa..7:bbb", lines(7, 7, "x", hashes=("aaa", "bbb"))),
        ("@@ 1:aaa+", Hunk(new=("x",), line=2, count=0, hashes=("aaa", "aaa"))),
        ("@@ 11:aaa +", Hunk(new=("x",), line=12, count=0, hashes=("aaa", "aaa"))),
        ("@@ 0+", Hunk(new=("x",), line=1, count=0, hashes=("", ""))),
        ("@@0 + @@", Hunk(new=("x",), line=1, count=0, hashes=("", ""))),
    ],
)
def test_heads(head: str, hunk: Hunk) -> None:
    assert hunks(f"{head}\nx\n") == hunks(f"\ufeff\n \n{head}\r\nx") == (hunk,)


@pytest.mark.parametrize(
    "content", ["", "\n", "x\n@@ 1:aaa\ny\n", "@@ 1\nx\n", "@@ 1:aaaa\nx\n", " @@ 1:aaa\nx\n", "@@ x @@\n"]
)
def test_other_contents(content: str) -> None:
    assert read(content) is None


def test_empty_lines_belong_to_the_edit_above() -> None:
    assert hunks("@@ 1:aaa\nx\n\n@@ 5:aaa\n\n\n") == (lines(1, 1, "x", ""), lines(5, 5, "", ""))
    assert hunks("@@ 1:aaa+\n@@ 5:aaa-\n") == (
        Hunk(line=2, count=0, hashes=("aaa", "aaa")),
        Hunk(line=5, count=1, hashes=("aaa", "aaa")),
    )


def test_lines_are_removed_on_purpose() -> None:
    assert hunks("@@ 5:aaa-\n") == hunks("@@ 5:aaa -\n\n") == (lines(5, 5),)
    assert hunks("@@ 5:aaa..6:bbb-\n") == (lines(5, 6, hashes=("aaa", "bbb")),)
    reason = "`@@ 5:aaa-` removes lines, but lines follow it"
    assert unreadable("@@ 5:aaa-\nx\n") == (reason, "leave the `-` out to replace them")
    assert unreadable("@@ 5:aaa\n") == ("no lines follow `@@ 5:aaa`", "add `-` to remove the lines")
    assert hunks("@@ 5:aaa\n\n") == (lines(5, 5, ""),)


def test_ranges_rise_and_nothing_is_inserted_after_one() -> None:
    for head in ("@@ 5:aaa..4:bbb", "@@ 0:aaa", "@@ 0:aaa..4:bbb"):
        assert unreadable(f"{head}\nx\n") == (f"`{head}` is not a range of lines", "write the lower number first")
    reason = "`@@ 5:aaa..6:bbb+` inserts after a range of lines"
    assert unreadable("@@ 5:aaa..6:bbb+\nx\n") == (reason, "write `@@ 6:bbb+` to insert after its last line")


def test_copied_anchors_are_removed_if_each_line_has_one() -> None:
    assert hunks("@@ 1:aaa\n1:aaa|x\n2#abc|  y|z\n") == (lines(1, 1, "x", "  y|z"),)
    assert hunks("@@ 1:aaa\n1:aaa|x\ny\n") == (lines(1, 1, "1:aaa|x", "y"),)
    assert hunks("@@ 1:aaa\n1:aaa|\n") == (lines(1, 1, ""),)


def test_a_content_has_so_many_anchors_at_most() -> None:
    assert len(hunks("@@ 1:aaa\nx\n" * MAX_HUNKS)) == MAX_HUNKS
    reason = f"there are more than {MAX_HUNKS} anchors"
    assert unreadable("@@ 1:aaa\nx\n" * (MAX_HUNKS + 1)) == (reason, "write the whole text")
