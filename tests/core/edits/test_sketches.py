"""Sketches: where their parts begin and end in the file, and which of them are refused."""

from __future__ import annotations

from edit_changes import text
from edit_readings import refusal_of

from symops_lark.core.edits.hunks import MAX_HUNKS, Hunk, Reading
from symops_lark.core.edits.notations.sketches import read_against

MARK = "# ... existing code ..."
FILE = ["import os", "", "def f():", "    x = 1", "    return x", "", "def g():", "    x = 1", "    return 2"]
DOUBT = "marks stand for parts of the file: look at the lines that are lost"


def hunks(*lines: str, old: list[str] = FILE) -> tuple[Hunk, ...]:
    reading = read_against(text(*lines), "a.py", text(*old))
    assert reading is not None
    assert reading == Reading("sketch", reading.hunks, ordered=True, doubts=(DOUBT,))
    return reading.hunks


def replaced(first: int, last: int, *new: str, old: list[str] = FILE) -> Hunk:
    """Return the hunk for the lines of a file from one index to another."""
    return Hunk(tuple(old[first : last + 1]), new, first + 1)


def unreadable(*lines: str, old: list[str] = FILE) -> tuple[str, str]:
    return refusal_of(read_against, text(*lines), "a.py", text(*old))


def test_a_part_between_two_marks() -> None:
    assert hunks(MARK, "def f():", "    return 3", "", "def g():", MARK) == (
        replaced(2, 6, "def f():", "    return 3", "", "def g():"),
    )
    assert hunks(MARK, "", "    return x", "more", "def g():", " ", MARK) == (
        replaced(4, 6, "    return x", "more", "def g():"),
    )


def test_parts_at_the_ends_of_the_file() -> None:
    assert hunks("import re", "import os", MARK) == (replaced(0, 0, "import re", "import os"),)
    assert hunks(MARK, "def g():", "    return 3") == (replaced(6, 8, "def g():", "    return 3"),)
    assert hunks("import re", "import os", MARK, "def g():", "    pass") == (
        replaced(0, 0, "import re", "import os"),
        replaced(6, 8, "def g():", "    pass"),
    )


def test_a_line_of_the_file_alone_changes_nothing() -> None:
    assert hunks(MARK, "def f():", MARK, "def g():", "    return 3") == (replaced(6, 8, "def g():", "    return 3"),)
    nothing = "the lines between the marks change nothing", ""
    assert unreadable(MARK, "def f():", MARK) == unreadable(MARK) == unreadable(MARK, MARK, "") == nothing
    assert unreadable(MARK, "def g():", "    x = 1", "    return 2") == nothing


def test_parts_follow_each_other_in_the_file() -> None:
    # `    x = 1` is there twice, but once after the part above.
    assert hunks(MARK, "def f():", "    y", "    return x", MARK, "    x = 1", "    return 3") == (
        replaced(2, 4, "def f():", "    y", "    return x"),
        replaced(7, 8, "    x = 1", "    return 3"),
    )
    reason = (
        "line 4 of the content is next to a mark for existing code, and is not a line of the file there: 'import os'"
    )
    hint = "begin each part after a mark with a line that the file has once"
    assert unreadable(MARK, "def f():", MARK, "import os", "x") == (reason, hint)
    # The lines of a part are not those of the next one.
    assert "is not a line of the file there: 'def f():'" in unreadable(MARK, "def f():", MARK, "def f():", "x", MARK)[0]
    assert "is not a line of the file there: 'import os'" in unreadable(MARK, "def f():", "import os", MARK)[0]


def test_a_part_begins_and_ends_with_a_line_that_the_file_has_once() -> None:
    reason, hint = unreadable(MARK, "    x = 1", "    y", "def g():", MARK)
    assert reason == (
        "line 2 of the content is next to a mark for existing code, and is at 2 places of the file: '    x = 1'"
    )
    assert hint == "begin each part after a mark with a line that the file has once"
    reason, hint = unreadable(MARK, "def f():", "    new", MARK)
    assert reason == (
        "line 3 of the content is next to a mark for existing code, and is not a line of the file there: '    new'"
    )
    assert hint == "end each part before a mark with a line that the file has once"
    assert unreadable("import re", MARK)[0].startswith("line 1 of the content is next to a mark")
    assert "and is at 2 places" in unreadable("import re", "    x = 1", MARK)[0]


def test_other_texts_have_no_marks() -> None:
    assert read_against(text("import re"), "a.py", text(*FILE)) is None
    assert read_against(text(MARK, "x"), "a.py", "") is None
    assert read_against(text(MARK, "x"), "a.py", " \n") is None
    # A line of the file is no mark.
    assert read_against(text(MARK, "x"), "a.py", text(MARK, "y")) is None


def test_a_whole_text_with_a_comment_is_no_sketch() -> None:
    old = ["a1", "b1", "", "", "c1", "d1", "e1", ""]
    # Four of five filled lines, of which blanks at the ends do not matter.
    assert read_against(text("a1", "x", MARK, "y", " b1", "", "c1", "d1"), "", text(*old)) is None
    unreadable("a1", "x", MARK, "y", "b1", "", "", "c1", "q", old=old)
    unreadable("a1", "x", MARK, "y", "b1", "", "", "c1", "c1", "c1", old=old)
    # If its parts fit, it is one all the same.
    assert hunks("a1", MARK, "c1", "x", "d1", "e1", "b1", old=old)[0].line == 5


def test_a_sketch_has_so_many_parts_at_most() -> None:
    old = [f"line {number}" for number in range(2 * MAX_HUNKS + 2)]
    parts = [[MARK, old[at], "new", old[at + 1]] for at in range(0, len(old), 2)]
    lines = [line for part in parts[:MAX_HUNKS] for line in part]
    assert len(hunks(*lines, MARK, old=old)) == MAX_HUNKS
    lines = [line for part in parts for line in part]
    reason = f"there are more than {MAX_HUNKS} parts"
    extra = [f"other {number}" for number in range(len(old))]  # so that it is not nearly the whole text
    assert unreadable(*lines, MARK, old=[*old, *extra]) == (reason, "write the whole text")
