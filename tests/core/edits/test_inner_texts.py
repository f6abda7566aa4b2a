"""Replacements of a text inside of lines: the places, the lines that remain, and who is asked."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from symops_lark import Replacement
from symops_lark.core.edits import Edited, Refusal, apply_replacements, edit_text

FEW = st.text("ab \n", max_size=8)
INSIDE, JOINS = "the edit begins or ends inside of a word", "the edit joins two lines"
BLANKS = "the file has other blanks at line ends"


def replaced(file: str, old: str, new: str, *, every: bool = False) -> Edited | Refusal:
    content = json.dumps({"old_string": old, "new_string": new, "replace_all": every})
    return edit_text(file, content, "a.py")


@given(FEW, st.text("ab \n", min_size=1, max_size=4), FEW)
@example("a", "a", "b\n")
@example("a\nb", "b", "b\nc\n")
@example("a\n", "\n", "b\n")
@example("ab\n", "ab", "b\n")
@example("ab\n", "b\n", "b\n\n")
@example("ab\nb a\n", "b\nb", "a")
def test_a_text_that_occurs_once_is_replaced_there(file: str, old: str, new: str) -> None:
    places = [at for at in range(len(file)) if file.startswith(old, at)]
    assume(len(places) == 1 and new)
    result = replaced(file, old, new)
    if isinstance(result, Edited):
        assert result.text == file.replace(old, new) and result.lines == (file.count("\n", 0, places[0]) + 1,)


@pytest.mark.parametrize(
    ("file", "old", "new", "text", "doubt"),
    [
        ("foo = 1\n", "foo", "bar", "bar = 1\n", ""),
        ("foo = 1\n", "fo", "ba", "bao = 1\n", INSIDE),
        ("foo = 1\n", "oo", "ba", "fba = 1\n", INSIDE),
        ("a_b\n", "a_", "x", "xb\n", INSIDE),
        ("a.b\n", "a.", "x", "xb\n", ""),
        ("foo\nx\n", "oo\n", "aa\n", "faa\nx\n", INSIDE),
        ("foo = 1\nx\n", "1\n", "2\n", "foo = 2\nx\n", ""),
        ("a b\nc d\n", "b\nc", "x", "a x d\n", ""),
        # Complete lines that nothing replaces are removed.
        ("foo\nx\n", "foo\n", "", "x\n", ""),
        ("foo\nx\n", "foo", "", "x\n", ""),
        ("foo\nx\n", "x\n", "", "foo\n", ""),
        ("foo\nx\n", "\nx", "", "foo\n", ""),
        ("foo\n\nx\n", "foo\n", "", "\nx\n", ""),
        ("foo 1\nx\n", " 1", "", "foo\nx\n", ""),
        # A person is asked where two lines become one.
        ("foo = 1\nx\n", " = 1\n", "", "foox\n", JOINS),
        ("foo = 1\nx\n", " = 1\n", "2", "foo2x\n", JOINS),
        ("foo\nx = 1\n", "\nx", "", "foo = 1\n", JOINS),
        ("foo\nx\n", "\nx", "y", "fooy\n", JOINS),
        ("foo\nx\n", "\nx", "\ny", "foo\ny\n", ""),
        ("foo\nx\n", "foo\n", "y", "yx\n", JOINS),
        ("a\n", "\n", "x", "ax\n", JOINS),
        # The last line ends as before, unless the new text says otherwise.
        ("a\n", "a\n", "b", "b\n", ""),
        ("a\nb", "b\n", "c\n", "a\nc", ""),
        ("a", "a", "b\n", "b\n", ""),
        ("a\n", "a", "b\n", "b\n\n", ""),
        ("a\r\nb\r\n", "a\nb", "c\nd", "c\r\nd\r\n", ""),
        # Complete lines may differ in blanks, if both texts end alike.
        ("a  \nb\n", "a\nb", "c", "c\n", BLANKS),
        ("a  \nb\n", "a\nb\n", "c\n", "c\n", BLANKS),
        ("a  \nb\n", "\na\nb\n", "\nc\n", "c\n", BLANKS),
        ("a  \nb\nc\n", "a\nb\n", "", "c\n", BLANKS),
        ("a  \nb\nc\n", "a\nb", "", "c\n", BLANKS),
    ],
)
def test_one_place(file: str, old: str, new: str, text: str, doubt: str) -> None:
    result = replaced(file, old, new)
    assert isinstance(result, Edited) and result.text == text
    assert [item.partition(": ")[2] for item in result.doubts] == ([doubt] if doubt else [])


@pytest.mark.parametrize(
    ("file", "old", "new", "text", "lines"),
    [
        ("a b a\na\n", "a", "c", "c b c\nc\n", (1, 2)),
        ("a b\nx\nb a\n", "a", "c", "c b\nx\nb c\n", (1, 3)),
        ("aaa\n", "aa", "b", "ba\n", (1,)),
        ("ab\nab\nab\n", "b\na", "x", "axxb\n", (1,)),
        ("a x\ny b a x\ny b\n", "x\ny", "z", "a z b a z b\n", (1,)),
        ("a x\ny b\na x\ny b\n", "x\ny", "z", "a z b\na z b\n", (1, 3)),
        ("a\nx\na\nx\n", "a\nx\n", "b\n", "b\nb\n", (1, 3)),
        ("a  \nb\na \nb\n", "a\nb", "c", "c\nc\n", (1, 3)),
        ("a\nx\na\n", "a\n", "", "x\n", (1, 3)),
        ("a\nx a", "a", "b\n", "b\n\nx b\n", (1, 2)),
        ("a\n\nb\n", "\n", "\n", "a\n\nb\n", (1,)),
    ],
)
def test_all_places(file: str, old: str, new: str, text: str, lines: tuple[int, ...]) -> None:
    result = replaced(file, old, new, every=True)
    assert isinstance(result, Edited) and (result.text, result.lines) == (text, lines)


@pytest.mark.parametrize(
    ("file", "old", "new", "reason", "places"),
    [
        ("a b a\na\n", "a", "c", "edit 1: its text is at several places: lines 1 and 2", (1, 2)),
        ("a b a\n", "a", "c", "edit 1: its text is at several places: line 1", (1,)),
        ("aaa\n", "aa", "b", "edit 1: its text is at several places: line 1", (1,)),
        ("a  \nb\na \nb\n", "a\nb", "c", "edit 1 fits at several places: lines 1 and 3", (1, 3)),
        ("a\n", "zz", "x", "edit 1 does not fit: none of its lines is in the file: 'zz'", ()),
        *(
            (
                "a  \nb\n",
                *pair,
                "edit 1 does not fit: nearest is line 1, which is 'a  ' and not 'a' (only blanks differ)",
                (),
            )
            for pair in (("a\nb\n", "c"), ("a\nb", "c\n"), ("\na\nb", "c"))
        ),
    ],
)
def test_refused(file: str, old: str, new: str, reason: str, places: tuple[int, ...]) -> None:
    result = replaced(file, old, new)
    assert isinstance(result, Refusal) and (result.reason, result.places) == (reason, places)


@pytest.mark.parametrize(("line", "text"), [(1, ""), (3, "a b a\nx\nc\n"), (2, ""), (0, ""), (4, "")])
def test_the_line_of_a_notation_decides_between_places(line: int, text: str) -> None:
    content = f'<old line="{line}">a</old>\n<new>c</new>\n'
    result = edit_text("a b a\nx\na\n", content, "a.py")
    if text:
        assert isinstance(result, Edited) and result.text == text
    else:
        assert isinstance(result, Refusal) and result.places == ((1,) if line == 1 else (1, 3))


def test_a_doubt_about_one_of_the_places_of_a_line_is_told() -> None:
    for file in ("a ab\n", "ab a\n", "a\nab\na\n"):
        result = replaced(file, "a", "c", every=True)
        line = file.count("\n", 0, file.index("ab")) + 1
        assert isinstance(result, Edited) and result.doubts == (f"line {line}: {INSIDE}",)


@pytest.mark.parametrize(
    ("file", "old", "new", "text"),
    [
        ("x\ny\n", "\nx\n", "\nz\n", "z\ny\n"),
        ("x\ny\n", "\nx\n", "\n\n", "\ny\n"),
        ("x\ny\n", "\nx\n", "\n", "y\n"),
        ("a x b\n", "\nx\n", "\nz\n", "a z b\n"),
        ("xa x b\n", " x ", "-", "xa-b\n"),
    ],
)
def test_lines_between_tags_are_complete_lines_where_there_are_such(file: str, old: str, new: str, text: str) -> None:
    result = edit_text(file, f"<old>{old}</old>\n<new>{new}</new>\n", "a.py")
    assert isinstance(result, Edited) and result.text == text


def test_where_all_places_change_lines_between_tags_may_be_a_part_of_a_line() -> None:
    flag = "<replace_all>true</replace_all>"
    for file, text in (("x\na x b\n", "z\na z b\n"), ("x\na\nx\n", "z\na\nz\n")):
        result = edit_text(file, f"<old>\nx\n</old>\n<new>\nz\n</new>\n{flag}\n", "a.py")
        assert isinstance(result, Edited) and result.text == text


@pytest.mark.parametrize("new", ["x\n", "\nx", "\n\n", "x\ny"])
def test_a_line_end_that_stays_one_joins_no_lines(new: str) -> None:
    result = apply_replacements("a\nb\nc\n", [Replacement("\n", new, every=True)])
    assert isinstance(result, Edited) and JOINS not in result.doubts
    assert result.text.startswith(f"a{new}b{new}c")


def test_a_line_end_that_goes_joins_lines() -> None:
    result = apply_replacements("a\nb\n", [Replacement("\n", " ", every=True)])
    assert isinstance(result, Edited) and any(JOINS in doubt for doubt in result.doubts)
