"""Lines that belong to notations for edits, each beside one that is like it and belongs to files."""

from __future__ import annotations

import pytest

from symops_lark.core.edits import marks

LEFT, MIDDLE, RIGHT = "<" * 7, "=" * 7, ">" * 7


@pytest.mark.parametrize(
    ("line", "is_sure"),
    [
        *((mark, True) for mark in (LEFT, RIGHT, LEFT + " SEARCH", RIGHT + " main", LEFT + " ")),
        *((mark, False) for mark in (LEFT[1:], RIGHT + ">", LEFT + "main", MIDDLE, " " + LEFT)),
        *((mark, True) for mark in ("@@ -1 +1 @@", "@@ -10,2 +3,4 @@ def f")),
        *((mark, False) for mark in ("@@ -1 @@", "@@ -a +1 @@", "@@ def f(): @@", "@@ -1 +1", "x @@ -1 +1 @@")),
        *((mark, True) for mark in (":start_line: 3", ":end_line:12")),
        *((mark, False) for mark in (":start_line: x", "start_line: 3", ":line: 3")),
    ],
)
def test_a_sure_mark_is_complete_and_has_all_its_signs(line: str, is_sure: bool) -> None:
    assert marks.is_sure_mark(line) == is_sure


def test_blocks_are_written_with_sure_marks() -> None:
    opener, divider, closer = marks.BLOCK_MARKS
    assert marks.is_sure_mark(opener) and marks.is_sure_mark(closer)
    assert marks.text_before_conflict("\n".join(("a", opener, divider, closer))) == "a"


MARKS = """
*** Begin Patch
*** End Patch
** Update File: a.py
***Add File: a.py
*** Delete File: a.py
*** Move to: b.py
*** End of File
@@
@@ class A
@@-1
------- SEARCH
<<<<< SEARCH
<<<<<<< ORIGINAL text
+++++++ REPLACE
>>>>>UPDATED
<<<<<<< HEAD
>>>>>>> main
[SEARCH]
[/REPLACE]
[OLD]
[NEW]
[END]
<old>
</new>
<old_text>x = 1
<newString>
x = 1</new_string>
x</old-lines>
<OLD>
<oldCode>
<SEARCH>
</search>
<REPLACE>
<replace>
<find>
<original>
</updated> x
diff --git a/a.py b/a.py
+++ b/a.py
--- a/a.py
x = [-1-]{+2+}
[-1-]{+2+}
end_of_edit
apply_patch <<EOF
apply_patch<<'EOF'
"""
NO_MARKS = """
* Begin Patch
*** note
@cache
- SEARCH
---- SEARCH
------- SEARCHED
REPLACE
++++ REPLACE
<<<<<<<HEAD
<<<<<<
[search]
[SEARCH] x
x [SEARCH]
<older>
<newest>
x = 1</older>
x <old>
<searching>
<Find>
diff a b
diff --github
+++ a/a.py
--- a.py
x = [-1-] {+2+}
end_of_edits
apply_patch EOF
apply_patcher <<EOF
x = 1
=======
>
"""


@pytest.mark.parametrize("line", MARKS.strip().splitlines())
def test_mark(line: str) -> None:
    assert marks.is_mark(line)


@pytest.mark.parametrize("line", NO_MARKS.strip().splitlines())
def test_a_line_of_files_is_no_mark(line: str) -> None:
    assert not marks.is_mark(line)


COMMANDS = """
3c3
5,7d4
12a13,15
s/x/y/
s/x/y/g
:%s|x|y|
s#x#y#
1,3s/x/y/
sed -i 's/x/y/' a.py
Replace line 3 with:
replace x with y
Please in a.py, change x to y
At the end: insert x after y
delete these lines
line 3: x = 1
Lines 3 to 5
edit 3:5
set_line 12: x
insert_after 3 x
12:ab3f
12#ab..14#cd
12:ab| x
*** a.py
**Before:**
Old code:
# Search text:
find:
"""
NO_COMMANDS = """
3x3
c3
s = 1
s/x
sx/y/z/
Replaced the parser
replace x
with line 3
line three
outline 3
edit a.py
edit 3
12:30:15
12:a
12:ab3fx5y
** a.py
before: 1
Older code:
code:
"""


@pytest.mark.parametrize("line", COMMANDS.strip().splitlines())
def test_command(line: str) -> None:
    assert marks.commands_edit(line)


@pytest.mark.parametrize("line", NO_COMMANDS.strip().splitlines())
def test_a_first_line_of_files_is_no_command(line: str) -> None:
    assert not marks.commands_edit(line)


@pytest.mark.parametrize(
    ("lines", "before"),
    [
        (("a", LEFT, "b", MIDDLE, "c", RIGHT, "d"), "a"),
        ((LEFT + " SEARCH", MIDDLE, RIGHT + " REPLACE"), ""),
        (("a", "b", LEFT, MIDDLE, MIDDLE, RIGHT), "a\nb"),
        # The last beginning counts.
        (("a", LEFT, "b", LEFT, MIDDLE, RIGHT), f"a\n{LEFT}\nb"),
        (("a", LEFT, MIDDLE, LEFT, MIDDLE, RIGHT), f"a\n{LEFT}\n{MIDDLE}"),
        ((RIGHT, "a", LEFT, RIGHT, MIDDLE, RIGHT), f"{RIGHT}\na"),
        (("a", LEFT, MIDDLE, ":start_line: 3", RIGHT), "a"),
        *(
            (lines, None)
            for lines in (
                ("a", LEFT, MIDDLE),
                (LEFT, RIGHT),
                (MIDDLE, RIGHT),
                (RIGHT, MIDDLE, LEFT),
                (MIDDLE, LEFT, RIGHT),
                (LEFT, MIDDLE, LEFT, RIGHT),
                (LEFT, MIDDLE[1:], RIGHT),
                (LEFT, MIDDLE + "=", RIGHT),
                (LEFT + "x", MIDDLE, RIGHT),
                (LEFT, MIDDLE, RIGHT + "x"),
                (" " + LEFT, MIDDLE, RIGHT),
                (":start_line: 3", MIDDLE, RIGHT),
                (LEFT, MIDDLE, "@@ -1 +1 @@"),
                ("a", "b"),
            )
        ),
    ],
)
def test_the_text_before_a_conflict(lines: tuple[str, ...], before: str | None) -> None:
    assert marks.text_before_conflict("\n".join(lines)) == before
    if before is None or "\n" not in before:
        assert marks.text_before_conflict("\r\n".join(lines)) == (before + "\r" * bool(before) if before else before)


@pytest.mark.parametrize(
    ("text", "at_beginning", "anywhere"),
    [
        ('{"old_str": 1}', True, True),
        ('\ufeff \n[{"newText" : 1}]', True, True),
        ('```json\n"OLD_STRING":', True, True),
        ('x = {"old_string": 1}', False, True),
        ('{"insert_line": 3}', True, True),
        ('{"op": "replace"}', True, True),
        ('{"op": "test"}', True, True),
        ('{"op": "copy"}', False, False),
        ('{"old": 1}', False, False),
        ('{"old_str", 1}', False, False),
    ],
)
def test_keys_of_tool_calls(text: str, at_beginning: bool, anywhere: bool) -> None:
    assert marks.has_edit_keys(text) == at_beginning
    assert marks.has_edit_keys(text, anywhere=True) == anywhere


@pytest.mark.parametrize(
    ("line", "rest", "number"),
    [
        ("-x", ("x", False), None),
        ("+ x", (" x", False), None),
        ("> x", (" x", False), None),
        ("|x", ("x", False), None),
        (" x", ("x", True), None),
        ("x", (None, False), None),
        ("", (None, False), None),
        ("12 | x", ("x", False), (12, True)),
        ("12: x", ("x", False), (12, True)),
        ("12  x", ("x", False), None),
        ("12 x", (None, False), None),
        ("12. x", ("x", False), None),
        ("12\tx", ("x", False), (12, True)),
        ("12→x", ("x", False), (12, True)),
        ("  7: x", ("x", False), (7, True)),
        ("L12: x", ("x", False), (12, True)),
        ("Line 12: x", ("x", False), (12, True)),
        ("12:ab3f|x", ("x", False), (12, True)),
        ("12#ab|x", ("x", False), (12, True)),
        ("12", (None, False), (12, False)),
        ("12345678: x", (None, False), None),
    ],
)
def test_text_after_a_mark_and_number_of_a_line(
    line: str, rest: tuple[str | None, bool], number: tuple[int, bool] | None
) -> None:
    assert marks.rest_after_mark(line) == rest and marks.number_of(line) == number


def test_fences() -> None:
    assert all(map(marks.is_fence, ("```", "````python", "~~~", "~~~ a.py")))
    assert not any(map(marks.is_fence, ("``", "x ```", "```a`", "~~")))
