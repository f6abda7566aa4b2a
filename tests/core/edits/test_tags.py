"""Old and new texts in tags: their names and forms, the labels around them, and what is refused."""

from __future__ import annotations

from functools import partial

import pytest
from edit_readings import hunks_of, reading_of, refusal_of

from symops_lark.core.edits.hunks import Hunk, Reading
from symops_lark.core.edits.notations.tags import read

KIND = "old and new text in tags"
PAIR = "<old_text>a</old_text><new_text>b</new_text>"
HUNK = Hunk(within=("a", "b"))
reading, hunks = partial(reading_of, read, KIND), partial(hunks_of, read, KIND)
unreadable = partial(refusal_of, read)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(("old", "new"), ("old_text", "new_text"), ("oldString", "newString"), ("SEARCH", "REPLACE")),
        *(("search", "replace"), ("find", "replacement"), ("original", "updated"), ("before", "after")),
    ],
)
def test_names_of_tags(old: str, new: str) -> None:
    assert hunks(f"\ufeff \n<{old}>a</{old}>\n\t<{new}>b</{new}>\n") == (HUNK,)


@pytest.mark.parametrize(
    ("old", "new", "hunk"),
    [
        ("a", "", Hunk(within=("a", ""))),
        (" a\nb ", "c", Hunk(within=(" a\nb ", "c"))),
        ("\na\n", "\nb\n", Hunk(("a",), ("b",), within=("a", "b"))),
        ("\n\na\n\n", "\n\n", Hunk(("", "a", ""), ("",), within=("\na\n", ""))),
        ("\na\n  ", "\nb\n  ", Hunk(("a",), ("b",), within=("a", "b"))),
        ("\na\n", "\n", Hunk(("a",), (), within=("a", ""))),
        ("\na\n", "", Hunk(("a",), (), within=("a", ""))),
        ("\na\n", "b\nc", Hunk(("a",), ("b", "c"), within=("a", "b\nc"))),
        ("\n\n", "\nb\n", Hunk(("",), ("b",))),
        ("\na", "\nb\n", Hunk(within=("\na", "\nb\n"))),
        ("\na\nb", "c", Hunk(within=("\na\nb", "c"))),
        ("a\n", "b\n", Hunk(within=("a\n", "b\n"))),
    ],
)
def test_texts_and_complete_lines(old: str, new: str, hunk: Hunk) -> None:
    content = f"<old_text>{old}</old_text>\n<new_text>{new}</new_text>"
    assert hunks(content) == hunks(content.replace("\n", "\r\n")) == (hunk,)


def test_nothing_to_search_for_is_a_new_file() -> None:
    for old in ("", "\n", "\n  "):
        for new in ("b", "\nb\n", "\nb\n  "):
            assert reading(f"<old_text>{old}</old_text><new_text>{new}</new_text>").text == "b\n"
        assert reading(f"<old_text>{old}</old_text><new_text>\n\nb\n</new_text>").text == "\nb\n"
        assert reading(f"<old_text>{old}</old_text><new_text></new_text>").text == ""


def test_the_line_of_a_text() -> None:
    for line in ('line="3"', "line=3"):
        assert hunks(f"<old_text {line}>a</old_text><new_text>b</new_text>") == (Hunk(within=("a", "b"), line=3),)
        lines = Hunk(("a",), ("b",), 3, within=("a", "b"))
        assert hunks(f"<old_text {line}>\na\n</old_text><new_text>\nb\n</new_text>") == (lines,)


# ---- labels


def test_names_of_files_and_tags_around() -> None:
    content = f"<edits>\n<edit id=1><path> a.py </path>{PAIR}</edit>\n<file_path>b.py</file_path>{PAIR}</edits>\n"
    assert reading(content) == Reading(KIND, (HUNK, HUNK), in_turn=True, names=("a.py", "b.py"))
    assert read(f"<path>a.py</filename>{PAIR}") is None


def test_flags() -> None:
    every = Hunk(within=("a", "b"), every=True)
    yes, no = "<replace_all>true</replace_all>", "<replaceAll>false</replaceAll>"
    assert hunks(PAIR + yes) == hunks(yes + PAIR) == (every,)
    assert hunks(PAIR + no) == hunks(PAIR + no + PAIR + no + no)[:1] == (HUNK,)
    assert hunks(PAIR + yes + PAIR + no) == (every, HUNK)
    assert hunks(PAIR + no + yes + PAIR) == (HUNK, every)
    reason = "`replace_all` is not written for each edit, so it is unclear which one it is for"
    assert unreadable(PAIR + yes + PAIR) == unreadable(yes + yes + PAIR) == (reason, "write the flag for each edit")
    assert read(yes) is None


# ---- what is not an edit, or breaks off


@pytest.mark.parametrize(
    "content",
    [
        *("", "a", "<p>a</p>", f"a{PAIR}", f"<p>a</p>{PAIR}", "<edits></edits>", "<path>a.py</path>", "<old_texts>a"),
        *("<search>a</search>", "<before>a", "<find>a</find>b<replace>c</replace>"),
    ],
)
def test_other_contents(content: str) -> None:
    assert read(content) is None


def test_other_text_between_edits_is_refused() -> None:
    reason = "there is other text after edit 1: 'words'"
    assert unreadable(f"{PAIR}\n  words\nmore{PAIR}") == (reason, "write nothing but the edits")
    assert unreadable(f"{PAIR}{PAIR}<p>")[0] == "there is other text after edit 2: '<p>'"


@pytest.mark.parametrize(
    ("content", "tag", "number"),
    [
        ("<old_text>a", "old_text", 1),
        ("<old>a</old>", "old", 1),
        ("<old_text>a</old_text> b <new_text>c</new_text>", "old_text", 1),
        ("<SEARCH>a</SEARCH>", "SEARCH", 1),
        ("<old_text>a</old_text><new_text>b", "new_text", 1),
        ("<search>a</search><replace>b", "replace", 1),
        ("<search>a<replace>b", "replace", 1),
        ("<old_text>a</old_text><new_text>b</new>", "new_text", 1),
        (f"{PAIR}<search>a</search>", "search", 2),
    ],
)
def test_an_edit_that_breaks_off_is_refused(content: str, tag: str, number: int) -> None:
    reason = f"edit {number}: the tag `{tag}` has no end, or no new text follows it"
    assert unreadable(content) == (reason, "the reply may have been cut off")


def test_an_old_text_may_end_where_the_new_one_begins() -> None:
    assert hunks("<search>a<replace>b</replace>") == (HUNK,)
    lines = Hunk(("a",), ("b",), within=("a", "b"))
    assert hunks(f"{PAIR}<old_text>\na\n<new_text>\nb\n</new_text>") == (HUNK, lines)


def test_tags_in_a_file_of_tags_are_asked_about() -> None:
    doubt = "the tags may be the text of the file, and not an edit"
    for ending in ("xml", "HTML", "htm", "xhtml", "svg", "vue", "svelte", "xsd", "xsl"):
        path = f"a.{ending}"
        assert reading(PAIR, path) == Reading(KIND, (HUNK,), doubts=(doubt,))
    assert reading(PAIR, "a.md").doubts == reading(PAIR, "").doubts == ()
