"""Replacements of an action as hunks, and as search/replace blocks for people and readers."""

from __future__ import annotations

import pytest

from symops_lark.core.document import Replacement
from symops_lark.core.edits import Edited, apply_replacements, edit_text
from symops_lark.core.edits.hunks import Hunk
from symops_lark.core.edits.replacements import hunks_of, show_replacements


@pytest.mark.parametrize(
    ("edit", "hunk"),
    [
        (Replacement("a\r\nb", "c\r\n"), Hunk(within=("a\nb", "c\n"))),
        (Replacement("a", "b", every=True), Hunk(within=("a", "b"), every=True)),
        (Replacement("a\r\nb\n", "c", lines=True), Hunk(("a", "b"), ("c",))),
        (Replacement("a", "\n", lines=True, every=True), Hunk(("a",), ("",), every=True)),
        # No text is no line, and not an empty one.
        (Replacement("a", "", lines=True), Hunk(("a",), ())),
        (Replacement("", "a", lines=True), Hunk((), ("a",))),
        (Replacement("\n", "a", lines=True), Hunk(("",), ("a",))),
    ],
)
def test_a_replacement_is_a_hunk(edit: Replacement, hunk: Hunk) -> None:
    assert hunks_of([edit]) == (hunk,)
    assert hunks_of([edit, edit]) == (hunk, hunk)


def test_replacements_are_shown_as_blocks() -> None:
    edits = [Replacement("a", "b\n"), Replacement("c\n", ""), Replacement("", "d\n\n")]
    assert show_replacements(edits) == (
        "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
        "<<<<<<< SEARCH\nc\n=======\n>>>>>>> REPLACE\n"
        "<<<<<<< SEARCH\n=======\nd\n\n>>>>>>> REPLACE"
    )
    assert show_replacements([]) == ""


def test_what_is_shown_is_read_again() -> None:
    old, edits = "a\nb\nc\n", [Replacement("a\n", "x\ny\n"), Replacement("c", "z")]
    result, shown = apply_replacements(old, edits), edit_text(old, show_replacements(edits))
    assert isinstance(result, Edited) and isinstance(shown, Edited)
    assert result.text == shown.text == "x\ny\nb\nz\n"
