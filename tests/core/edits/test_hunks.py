"""Which text each of several edits is searched for in, and edits that search for nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from symops_lark.core.edits import Edited, Refusal, edit_text
from symops_lark.core.edits.hunks import MAX_HUNKS


def block(old: str, new: str, line: int | None = None) -> str:
    hint = "" if line is None else f":start_line:{line}\n-------\n"
    return f"<<<<<<< SEARCH\n{hint}{old}=======\n{new}>>>>>>> REPLACE\n"


def pair(old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"old_string": old, "new_string": new, **more}


def insertion(line: int, new: str) -> dict[str, Any]:
    return {"insert_line": line, "new_str": new}


@pytest.mark.parametrize(
    ("old", "content", "new"),
    [
        # Each is searched for in the text that those before it left, and its number is ignored.
        ("a\nb\n", block("a\n", "b\n") + block("b\nb\n", "c\n"), "c\n"),
        ("a\nx\na\n", block("x\n", "y\n", 2) + block("a\ny\n", "b\n"), "b\na\n"),
        ("a\nb\n", [pair("a", "c"), pair("c", "d")], "d\nb\n"),
        # One alone has its number.
        ("a\nx\na\n", block("a\n", "b\n", 3), "a\nx\nb\n"),
        # If each names its line, all are searched for in the file as it was.
        ("a\nx\na\n", block("x\n", "y\n", 2) + block("a\n", "b\n", 3), "a\ny\nb\n"),
        ("a\nx\na\n", block("a\n", "x\n", 1) + block("x\n", "z\n", 2), "x\nz\na\n"),
        # The number of an insertion counts in the file as it was.
        ("a\nb\n", [insertion(0, "x\n"), insertion(1, "y\n")], "x\na\ny\nb\n"),
        ("a\nb\n", [pair("a\n", "c\nd\n"), insertion(1, "y\n")], "c\nd\ny\nb\n"),
        # What searches for nothing is the text of a new file.
        (None, block("", "a\n"), "a\n"),
        (None, block("", ""), ""),
        (None, [pair("", "a")], "a\n"),
        (None, [pair("", "a\n\n")], "a\n\n"),
        (None, [pair("", "")], ""),
        ("\n", [pair("", "a\nb")], "a\nb\n"),
    ],
)
def test_several_edits(old: str | None, content: Any, new: str) -> None:
    result = edit_text(old, content if isinstance(content, str) else json.dumps(content), "a.py")
    assert isinstance(result, Edited) and result.text == new


@pytest.mark.parametrize(
    ("old", "content", "reason"),
    [
        ("a\nx\na\n", block("x\n", "y\n") + block("a\n", "b\n", 3), "edit 2 fits at several places: lines 1 and 3"),
        ("a\n", block("", "x\n") + block("a\n", "b\n"), "nothing is searched for by edit 1"),
        ("a\n", block("a\n", "b\n") + block("", "x\n"), "nothing is searched for by edit 2"),
        ("a\n", [pair("a", "b"), pair("", "x")], "nothing is searched for by edit 2"),
        ("a\n", [pair("a", "b"), pair("", "x", start_line=1)], "nothing is searched for by edit 2"),
        ("a\n", block("", "x\n"), "it searches for nothing, or adds a file, and the file exists"),
    ],
)
def test_refused(old: str, content: Any, reason: str) -> None:
    result = edit_text(old, content if isinstance(content, str) else json.dumps(content), "a.py")
    assert isinstance(result, Refusal) and result.reason == reason


def test_more_than_the_most_edits_are_refused() -> None:
    numbers = range(MAX_HUNKS + 1)
    old = "".join(f"{number}.\n" for number in numbers)
    edits = [block(f"{number}.\n", f"{number};\n") for number in numbers]
    result = edit_text(old, "".join(edits), "a.py")
    assert isinstance(result, Refusal) and result.reason == "there are more than 500 edits"
    result = edit_text(old, "".join(edits[:MAX_HUNKS]), "a.py")
    assert isinstance(result, Edited) and result.text == old.replace(".", ";", MAX_HUNKS)
