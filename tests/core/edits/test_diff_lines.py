"""The lines of diffs: heads, signs, empty lines between hunks, and the end of the file."""

from __future__ import annotations

import pytest

from symops_lark.core.edits import Edited, Refusal, edit_text, kind_of
from symops_lark.core.edits.diff_lines import Head, has_signed_line, is_head, read_heads, read_hunk


@pytest.mark.parametrize(
    ("head", "read"),
    [
        ("@@ -3,2 +4,5 @@ def f", Head(3, (2, 5))),
        ("@@ -3 +4 @@", Head(3, (1, 1))),
        ("@@ -3,0 +4,0", Head(3, (0, 0))),
        ("@@-3 +4@@", Head(3, (1, 1))),
        ("@@@ -1 +1 @@@", Head(1, (1, 1))),
        ("@@ class A @@ def f", Head(scope=("class A", "def f"))),
        ("@@ class A", Head(scope=("class A",))),
        ("@@ @@ x", Head(scope=("x",))),
        ("@@ ... @@", Head()),
        ("@@-3+4@@", Head()),
        ("@@", Head()),
    ],
)
def test_a_head_names_a_line_or_a_scope(head: str, read: Head) -> None:
    assert is_head(head) and read_heads([head, "-x"], 0) == (read, 1)
    outer = read_heads(["", "@@ outer", head], 1)
    assert outer == (Head(read.line, read.counts, ("outer", *read.scope)), 3)


def test_a_decorator_is_no_head_and_a_sign_is_the_first_character() -> None:
    assert not is_head("@@name") and not is_head("@ -1 +1 @@") and not is_head(" @@")
    assert has_signed_line(["a", "-b"]) and has_signed_line(["+"]) and not has_signed_line(["a", " -b", ""])


@pytest.mark.parametrize(
    ("counts", "is_counted"), [(None, True), ((2, 2), True), ((3, 2), False), ((2, 3), False), ((1, 1), True)]
)
def test_a_hunk_may_end_where_it_has_what_its_head_counts(counts: tuple[int, int] | None, is_counted: bool) -> None:
    told = []

    def ends(index: int, counted: bool) -> bool:
        told.append((index, counted))
        return index == 4

    lines = ["@@", "-a", "+b", " c", "rest"]
    hunk, index = read_hunk(lines, 1, Head(counts=counts), ends)
    assert hunk is not None and (hunk.old, hunk.new, hunk.kept, index) == (("a", "c"), ("b", "c"), ((1, 1),), 4)
    assert told[-1] == (4, is_counted) and told[0] == (1, counts is None)


@pytest.mark.parametrize(
    ("old", "content", "new", "asks"),
    [
        # Empty lines that a head does not count separate hunks; those that it counts are of the file.
        ("a\nx\nc\n", "@@\n-a\n+b\n\n\n@@\n-c\n+d\n", "b\nx\nd\n", False),
        ("a  \nx\nc\n", "@@\n-a\n+b\n\n\n@@\n-c\n+d\n", "b\nx\nd\n", True),
        ("a\n\nc\n", "@@ -1,2 +1,2 @@\n-a\n+b\n\n\n@@ -3 +3 @@\n-c\n+d\n", "b\n\nd\n", False),
        ("a\nx\na\n\nc\n", "@@ -3,2 +3,2 @@\n-a\n+b\n\n\n@@ -5 +5 @@\n-c\n+d\n", "a\nx\nb\n\nd\n", False),
        ("a \nx\nc\n", "@@ -1 +1 @@\n-a\n+b\n\n\n@@ -3 +3 @@\n-c\n+d\n", "b\nx\nd\n", True),
        ("a \n\nc\n", "@@ -1,2 +1,3 @@\n-a\n+b\n+e\n\n\n@@ -3 +4 @@\n-c\n+d\n", "b\ne\n\nd\n", True),
        ("a\nb\n", "@@\n\n@@\n-b\n+c\n", "a\nc\n", False),
        # A hunk without a change is no edit, even if its lines are not in the file.
        ("a\nb\n", "@@\n z\n@@\n-b\n+c\n", "a\nc\n", False),
        # The file ends as before, unless the diff says otherwise.
        ("x\na", "@@\n-x\n+y\n", "y\na", False),
        ("x\na", "@@\n-a\n+b\n", "x\nb", False),
        ("x\na", "@@\n-a\n\\ No newline\n+b\n", "x\nb\n", False),
        ("x\na", "@@\n-a\n\\ No newline\n+b\n\\ No newline\n", "x\nb", False),
        ("x\na\n", "@@\n-a\n+b\n\\ No newline\n", "x\nb", False),
        ("x\na", "@@\n+b\n\\ No newline\n-a\n", "x\nb", False),
        ("x\na", "@@\n-a\n\\ No newline\n", "x\n", False),
        ("x\na\n", "@@\n-x\n+y\n a\n\\ No newline\n", "y\na\n", False),
        ("a\nx\na\n", "@@\n-a\n+b\n\\ No newline\n", "a\nx\nb", False),
        # Lines of context keep the blanks of the file.
        ("a  \nc\n", "@@\n a\n-c\n+d\n", "a  \nd\n", True),
        # Without counts, a line without a sign is read as context, with the first blank of others or without.
        ("a\nc\n", "@@\n-a\n+b\nc\n", "b\nc\n", True),
        ("a\nc\nd\n", "@@\n-a\n+b\nc\n d\n", "b\nc\nd\n", True),
        ("a\nc\n d\n", "@@\n-a\n+b\nc\n d\n", "b\nc\n d\n", True),
        # A line number that nothing proves.
        ("a\nc\n", "@@ -1,0 +2 @@\n+x\n", "a\nx\nc\n", True),
        ("a\nc\n", "@@ -1 +1 @@\n@@ -2 +2 @@\n-a\n+b\n", "b\nc\n", False),
    ],
)
def test_diff(old: str, content: str, new: str, asks: bool) -> None:
    result = edit_text(old, content, "a.py")
    assert isinstance(result, Edited) and (result.text, bool(result.doubts)) == (new, asks)


def test_without_a_head_each_line_needs_its_sign() -> None:
    for content, kind in (("-a\n+b\n x\n", "diff without a head"), ("-a\n+b\nx\n", "whole text")):
        assert kind_of(content, "a.py", "a\nx\n") == kind


@pytest.mark.parametrize(
    ("old", "content", "reason"),
    [
        ("a\nx\n", "@@\n-a\n+b\n\\ No newline\n", "edit 1 fits at line 1, not at the file's end"),
        ("x\na", "@@\n x\n\\ No newline\n+a\n", "line 4 of the diff follows the last line of the file"),
        ("x\na", "@@\n-x\n\\ No newline\n-a\n", "line 4 of the diff follows the last line of the file"),
        ("x\na", "@@\n-x\n+x\n\\ No newline\n a\n", "line 5 of the diff follows the last line of the file"),
        ("x\na", "@@\n\\ No newline\n-x\n", r"line 2 of the diff follows no line: '\\ No newline'"),
        ("a\n", "@@ -1 +1 @@\n-a\n+b\nc\n", "line 4 of the diff has none of the marks ' ', '-' and '+': 'c'"),
        ("a\n", "@@ -1 +1 @@\n-a\n+b\n@@ -2 +2 @@\n", "line 4 of the diff is the head of a hunk without lines"),
        ("a\n", "@@\n-a\n+b\n@@\n@@\n", "line 5 of the diff is the head of a hunk without lines"),
        ("a\nc\n", "@@ -2,2 +2,3 @@\n+x\n", "edit 1 quotes no line of the file"),
        ("a\nc\n d\na\nc\nd\n", "@@\n-a\n+b\nc\n d\n", "edit 1 has lines without a sign, and fits in several ways"),
        ("a\n", "@@\n-a\n+b\nc\n d\n", "edit 1 has lines without a sign, and does not fit with any of them"),
    ],
)
def test_refused_diff(old: str, content: str, reason: str) -> None:
    result = edit_text(old, content, "a.py")
    assert isinstance(result, Refusal) and result.reason == reason
