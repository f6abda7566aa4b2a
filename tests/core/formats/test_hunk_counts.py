"""How many lines a hunk lacks."""

from __future__ import annotations

import pytest

from symops_lark.core.text.hunk_counts import count_missing_lines


@pytest.mark.parametrize(
    ("hunk", "missing"),
    [
        ("@@ -1,2 +1,3 @@ def f():\n a\n-b\n+c\n+d\n", 0),
        ("@@ -1,2 +1,3 @@\n a\n-b\n+c\n", 1),
        ("@@ -1,4 +1,3 @@\n a\n-b\n+c\n", 2),
        ("@@ -1,2 +1,3 @@\n", 3),
        ("@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n+e\n", -1),
        ("@@ -1 +1 @@\n-b\n+c\n", 0),
        ("@@ -0,0 +1,2 @@\n+a\n+\n", 0),
        # Empty lines at the end are context only as far as they are counted.
        ("@@ -1,3 +1,3 @@\n-b\n+c\n\n\n", 0),
        ("@@ -1,3 +1,3 @@\n-b\n+c\n\n", 1),
        ("@@ -1,3 +1,4 @@\n-b\n+c\n\n\n", 1),
        ("@@ -1 +1 @@\n-b\n+c\n\n\n", 0),
        # Empty lines inside are context, and a marker is no line of the file.
        ("@@ -1,2 +1,2 @@\n\n-b\n+c\n", 0),
        ("@@ -1 +1 @@\n-b\n+c\n\\ No newline at end of file\n", 0),
        # The last hunk counts.
        ("@@ -1,9 +1,9 @@\n-b\n+c\n@@ -20 +20 @@\n-d\n+e\n", 0),
        ("@@ def f():\n-b\n+c\n", 1),
        ("@@ -0,0 +1,2\n", 1),
    ],
)
def test_the_lines_of_the_last_hunk_are_counted(hunk: str, missing: int | None) -> None:
    before = "@@ -7,7 +7,7 @@\n"
    assert count_missing_lines(f"{before}-b\n+c\n", 0, len(before)) is None
    text = f"{before}+++ b/a.py\n{hunk}after\n"
    assert count_missing_lines(text, len(before), len(text) - len("after\n")) == missing
