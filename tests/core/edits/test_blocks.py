"""Search/replace blocks: their marks, the hints of lines in them, and contents that are about blocks."""

from __future__ import annotations

import pytest
from edit_changes import text
from edit_readings import reading_of, refusal_of

from symops_lark.core.edits.hunks import Hunk, Reading
from symops_lark.core.edits.notations.blocks import read

OPENER, DIVIDER, CLOSER = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"
THREE_MARKS = "write the three marks of each block once and in turn"
ONLY_BLOCKS = "write nothing but the blocks"


def block(old: list[str], new: list[str]) -> list[str]:
    return [OPENER, *old, DIVIDER, *new, CLOSER]


def reading(*lines: str, path: str = "a.py") -> Reading:
    return reading_of(read, "search/replace blocks", text(*lines), path)


def unreadable(*lines: str) -> tuple[str, str]:
    return refusal_of(read, text(*lines), "a.py")


@pytest.mark.parametrize(
    ("opener", "closer"),
    [
        ("<<<<< SEARCH", ">>>>> REPLACE"),
        ("<<<<<<<SEARCH", ">>>>>>>REPLACE"),
        ("<<<<<<< SEARCH>", ">>>>>>> UPDATED  "),
        ("<<<<<<< ORIGINAL \t", ">>>>>>> UPDATED"),
        ("------- SEARCH", "+++++++ REPLACE"),
        ("<<<<<<< SEARCH", ">>>>>>>>>> REPLACE"),
    ],
)
def test_marks_of_a_block(opener: str, closer: str) -> None:
    assert reading(opener, "a", "=======", "b", closer).hunks == (Hunk(("a",), ("b",)),)


@pytest.mark.parametrize(
    "opener", ["<<<< SEARCH", " <<<<<<< SEARCH", "<<<<<<< HEAD", "+++++++ SEARCH", "<<<<<<< SEARCH x"]
)
def test_other_lines_open_no_block(opener: str) -> None:
    assert read(text(opener, "a", "=======", "b", ">>>>>>> REPLACE")) is None


def test_blocks_may_have_empty_halves() -> None:
    assert reading(*block(["a"], [])).hunks == (Hunk(("a",), ()),)
    assert reading(*block(["", "a", ""], [""])).hunks == (Hunk(("", "a", ""), ("",)),)
    assert reading(*block([], ["a", ""])) == Reading("search/replace blocks", text="a\n\n")


def test_several_blocks_with_names_and_fences() -> None:
    result = reading("a.py", "```python", *block(["a"], ["b"]), "```", "", "### `b.py`", *block(["c"], ["d"]), "")
    assert result.hunks == (Hunk(("a",), ("b",)), Hunk(("c",), ("d",)))
    assert result.names == ("a.py", "b.py") and result.in_turn


# ---- dividers and closers


def test_a_mark_of_the_same_length_is_the_mark() -> None:
    assert reading("<<<<< SEARCH", "a", "=======", "b", "=====", "c", ">>>>> REPLACE").hunks == (
        Hunk(("a", "=======", "b"), ("c",)),
    )
    assert reading(OPENER, "a", DIVIDER, "b", ">>>>> REPLACE", "c", CLOSER).hunks == (
        Hunk(("a",), ("b", ">>>>> REPLACE", "c")),
    )
    # If none has the same length, the first one closes, and each line may divide.
    result = reading("<<<<< SEARCH", "a", "=======", "b", "======", "c", ">>>>>> REPLACE", *block(["d"], []))
    hunk, following = result.hunks
    assert following == Hunk(("d",), ())
    assert hunk.choices == (Hunk(("a",), ("b", "======", "c")), Hunk(("a", "=======", "b"), ("c",)))
    assert hunk.ambiguity is not None and hunk.ambiguity.reason == "has several dividers"


def test_the_first_closer_closes() -> None:
    reason, hint = unreadable(*block(["a"], ["b"]), CLOSER)
    assert (reason, hint) == (f"line 6 of the content is outside of the blocks: '{CLOSER}'", ONLY_BLOCKS)
    # A closer is one of the signs that the opener has.
    assert unreadable(OPENER, "a", DIVIDER, "b", "+++++++ REPLACE")[0] == "the last block has no end"
    assert reading(OPENER, "a", DIVIDER, "+++++++ REPLACE", CLOSER).hunks[0].new == ("+++++++ REPLACE",)


def test_twenty_dividers_are_tried() -> None:
    assert len(reading(OPENER, "a", *[DIVIDER] * 20, CLOSER).hunks[0].choices) == 20
    reason = "the block at line 1 of the content has 21 dividers"
    assert unreadable(OPENER, "a", *[DIVIDER] * 21, CLOSER) == (reason, "use a unified diff")


def test_incomplete_blocks_are_refused() -> None:
    first = block(["a"], ["b"])
    no_divider = "the block at line 6 of the content has no divider"
    assert unreadable(*first, OPENER, "a", CLOSER) == (no_divider, THREE_MARKS)
    assert unreadable(OPENER, CLOSER)[0] == "the block at line 1 of the content has no divider"
    cut_off = "the last block has no end", "the reply may have been cut off"
    assert unreadable(*first, OPENER, "a", DIVIDER) == cut_off and unreadable(OPENER) == cut_off
    inside = "line 4 of the content opens a block inside of another one"
    assert unreadable(OPENER, "a", DIVIDER, *first) == (inside, THREE_MARKS)
    # A divider after the closer does not count.
    assert unreadable(OPENER, "a", CLOSER, DIVIDER)[0] == "the block at line 1 of the content has no divider"


# ---- other lines


def test_other_lines_are_refused() -> None:
    first = block(["a"], ["b"])
    assert unreadable("Some words:", *first) == (
        "line 1 of the content is outside of the blocks: 'Some words:'",
        ONLY_BLOCKS,
    )
    assert unreadable(*first, "a.py", "more words") == (
        "line 7 of the content is outside of the blocks: 'more words'",
        ONLY_BLOCKS,
    )


def test_a_text_about_blocks_is_no_edit() -> None:
    words = ["a", "b", "c"]
    assert "outside of the blocks: 'a'" in unreadable(*words, OPENER)[0]
    assert read(text(*words, "d", OPENER)) is None
    assert read(text(*words, "d", OPENER, DIVIDER)) is None
    # All marks of a block are more than an example of one of them.
    assert "outside of the blocks: 'a'" in unreadable(*words, "d", *block(["a"], ["b"]))[0]


# ---- hints


@pytest.mark.parametrize(
    ("old", "new", "hunk"),
    [
        ([":start_line:3", "-------", "a"], ["b"], Hunk(("a",), ("b",), 3)),
        ([":start_line: 3 ", ":end_line:4", "-----", "a"], ["b"], Hunk(("a",), ("b",), 3)),
        ([":start_line:3", "a"], ["b"], Hunk(("a",), ("b",), 3)),
        (["a"], [":start_line:3", "-------", "b"], Hunk(("a",), ("b",), 3)),
        ([":start_line:3", "a"], [":start_line:5", "b"], Hunk(("a",), ("b",), 3)),
        ([":end_line:4", "-------", "a"], ["b"], Hunk(("a",), ("b",))),
        # Without a hint above it, a line of dashes is one of the file.
        (["-------", "a"], ["-------"], Hunk(("-------", "a"), ("-------",))),
        (["-------"], ["-------", "b"], Hunk(("-------",), ("-------", "b"))),
        (["a", ":start_line:3"], ["b"], Hunk(("a", ":start_line:3"), ("b",))),
        ([":start_line:3", "-------", "-------"], ["b"], Hunk(("-------",), ("b",), 3)),
        ([":start_line:3", "----", "a"], ["b"], Hunk(("----", "a"), ("b",), 3)),
        ([":start_line:3"], ["b"], Hunk((), ("b",), 3)),
    ],
)
def test_the_line_of_a_block(old: list[str], new: list[str], hunk: Hunk) -> None:
    assert reading(*block(old, new)).hunks == (hunk,)
