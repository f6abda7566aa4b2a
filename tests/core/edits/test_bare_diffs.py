"""Diffs without a head: which lines they may have, and when a person is asked about them."""

from __future__ import annotations

import pytest

from symops_lark.core.edits.hunks import Hunk, Reading
from symops_lark.core.edits.notations.bare_diffs import read_against

OLD = "a\nb\n\n  c\nd\n"
DOUBT = "without heads and lines around the changes, they may be meant for several places"


@pytest.mark.parametrize(
    ("content", "hunk", "is_asked"),
    [
        ("-b\n+x\n  \n", Hunk(("b", " "), ("x", " "), kept=((1, 1),)), False),
        (" a\n-b\n+x\n", Hunk(("a", "b"), ("a", "x"), kept=((0, 0),)), False),
        ("-a\n+x\n b\n", Hunk(("a", "b"), ("x", "b"), kept=((1, 1),)), False),
        (
            " a\n-b\n+x\n\n   c\n",
            Hunk(("a", "b", "", "  c"), ("a", "x", "", "  c"), kept=((0, 0), (2, 2), (3, 3))),
            False,
        ),
        # Without context, or with an insertion above a line that is removed, there may be two places.
        ("-b\n+x\n", Hunk(("b",), ("x",)), True),
        (" a\n+x\n-b\n", Hunk(("a", "b"), ("a", "x"), kept=((0, 0),)), True),
        ("\n \n-b\n+x\n\n", Hunk(("b",), ("x",)), True),
        ("-b\n\n+x\n", Hunk(("b", ""), ("", "x"), kept=((1, 0),)), True),
    ],
)
def test_a_diff_without_a_head(content: str, hunk: Hunk, is_asked: bool) -> None:
    doubts = (DOUBT,) if is_asked else ()
    old = OLD + " \n"
    assert read_against(content, "a.py", old) == Reading("diff without a head", (hunk,), ordered=True, doubts=doubts)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "-a\n-b\n",
        "+a\n+x\n",
        " a\n b\n",
        "-a\n+x\nb\n",
        "-a\n+x\n*\n",
        "-q\n+x\n",
        "-a\n+x\n q\n",
        "-a\n+x\n  c\n",  # a line of the file as it is
        "+a\n",
    ],
)
def test_other_lines(content: str) -> None:
    assert read_against(content, "a.py", OLD) is None


def test_a_list_of_the_file_is_no_diff() -> None:
    assert read_against("- a\n+ b\n", "a.yaml", "- a\n a\n") is None
    assert read_against("- a\n+ b\n", "a.yaml", " a\n") == Reading(
        "diff without a head", (Hunk((" a",), (" b",)),), ordered=True, doubts=(DOUBT,)
    )
