"""Edits are applied exactly: what `difflib` says of two texts leads from one to the other, or a message says why."""

from __future__ import annotations

from difflib import unified_diff

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from symops_lark import parse
from symops_lark.acting.edits.diffs import read_diff
from symops_lark.acting.edits.edits import Shape, edit, other_name, shape_of, write_whole
from symops_lark.acting.files.endings import EditError

FILE = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
BLOCK = "<<<<<<< SEARCH\n    return 1\n=======\n    return 3\n>>>>>>> REPLACE"
DIFF = "--- a/f.py\n+++ b/f.py\n@@ -1,3 +1,3 @@\n def f():\n-    return 1\n+    return 3\n \n"
DONE = FILE.replace(b"1", b"3")

_ODD = ("a", "b", "c", "", " ", "-- x", "++ y", "@@ -1 +1 @@", "\\ z", "\x0c", "\u2028", "é")
_LINES = st.lists(
    st.sampled_from(_ODD) | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0"), max_size=6),
    max_size=12,
)


def split(text: str) -> list[str]:
    ended = [line + "\n" for line in text.split("\n")]
    return [*ended[:-1], *([ended[-1][:-1]] if ended[-1] != "\n" else [])]


_PIECES = (
    "--- a",
    "+++ b",
    "@@ -1,2 +1,2 @@",
    "@@ -1 +1 @@",
    " a",
    "-a",
    "+a",
    "\\ x",
    "",
    "diff --git a b",
    "<<<<<<< SEARCH",
    "=======",
    ">>>>>>> REPLACE",
    "a",
)


def make_diff(before: str, after: str, context: int) -> str:
    """Let `difflib` make a unified diff; it does not say itself that a file ends without a newline."""
    made = unified_diff(split(before), split(after), "a/f", "b/f", n=context)
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in made)


@given(_LINES, _LINES, st.integers(0, 3), st.booleans(), st.booleans(), st.booleans())
def test_diffs_lead_from_one_text_to_the_other(
    old: list[str], new: list[str], context: int, ends_old: bool, ends_new: bool, windows: bool
) -> None:
    before = "\n".join(old) + "\n" * ends_old
    after = "\n".join(new) + "\n" * ends_new
    diff = make_diff(before, after, context)
    assume(diff)
    assert shape_of(diff) is Shape.DIFF
    if windows and "\n" in before:
        assert edit(diff, before.replace("\n", "\r\n").encode()) == after.replace("\n", "\r\n").encode()
    else:
        assert edit(diff, before.encode()) == after.encode()
        assert edit(diff.replace("\n", "\r\n"), before.encode()) == after.encode()


def mutate(lines: list[str], data: st.DataObject) -> list[str]:
    """Take away, repeat, exchange or spoil some lines."""
    lines = lines.copy()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        piece = data.draw(st.sampled_from((*_PIECES, "\rx", "\u2028", "+\rx", "@@ -1,1 +1,2 @@ f()", "@@ -0,0 +1 @@")))
        line = lines[at]
        others: tuple[list[str], ...] = ([], [line, line], [piece], [line, piece], [line[1:]], [line + "\r"])
        lines[at : at + 1] = data.draw(st.sampled_from(others))
        lines = lines or [""]
    return lines


@given(_LINES, _LINES, st.integers(0, 3), st.data())
def test_no_line_of_a_diff_is_passed_over(old: list[str], new: list[str], context: int, data: st.DataObject) -> None:
    before = "\n".join(old)
    lines = mutate(make_diff(before, "\n".join(new), context).split("\n"), data)
    content = "\n".join(lines)
    try:
        hunks = read_diff(content)
    except EditError:
        reject()
    first = next(at for at, line in enumerate(lines) if line.startswith("@@"))
    behind = [line.removesuffix("\r") for line in lines[first:] if line.strip()]
    heads = [line for line in behind if line.startswith("@@")]
    marks = [line for line in behind if line.startswith("\\")]
    quoted = [sign + line for hunk in hunks for sign, line in hunk.lines if (sign + line).strip()]
    assert len(heads) == len(hunks) and len(marks) >= sum(len(hunk.bare) for hunk in hunks)
    assert quoted == [line for line in behind if line not in heads and line not in marks]
    try:
        edit(content, before.encode())
    except EditError as error:
        assert str(error)


@given(_LINES, st.data())
def test_diffs_apply_to_no_other_text(old: list[str], data: st.DataObject) -> None:
    """A text in which one line that the diff quotes is another one is not changed."""
    lines = [f"{number} {line}" for number, line in enumerate(["x", *old])]
    at = data.draw(st.integers(0, len(lines) - 1))
    before = "\n".join(lines) + "\n"
    diff = make_diff(before, before.replace(lines[at] + "\n", "new\n", 1), 2)
    wounded = lines.copy()
    wounded[data.draw(st.integers(max(0, at - 2), min(len(lines) - 1, at + 2)))] += "!"
    with pytest.raises(EditError, match="does not fit"):
        edit(diff, ("\n".join(wounded) + "\n").encode())


@given(_LINES, _LINES, st.data())
def test_blocks_replace_lines(old: list[str], new: list[str], data: st.DataObject) -> None:
    lines = [f"{number} {line}" for number, line in enumerate(["x", *old])]
    begin = data.draw(st.integers(0, len(lines) - 1))
    end = data.draw(st.integers(begin + 1, len(lines)))
    windows = data.draw(st.booleans())
    parts = ["<<<<<<< SEARCH", *lines[begin:end], "=======", *new, ">>>>>>> REPLACE"]
    ending = "\r\n" if windows else "\n"
    before = "".join(line + ending for line in lines).encode()
    expected = "".join(line + ending for line in [*lines[:begin], *new, *lines[end:]]).encode()
    assert shape_of("\n".join(parts)) is Shape.BLOCKS
    assert edit("\n".join(parts), before) == expected


@given(_LINES, st.booleans())
def test_whole_texts_end_with_a_newline_and_follow_the_file(lines: list[str], windows: bool) -> None:
    content = "\n".join(lines)
    ending = "\r\n" if windows else "\n"
    made = write_whole(content, f"old{ending}".encode())
    assert (
        made == b""
        if not content
        else made.decode().replace(ending, "\n") == content + "\n" * (not content.endswith("\n"))
    )
    assert write_whole(made.decode(), made or b"old\n") == made or windows


@pytest.mark.parametrize(
    ("content", "shape"),
    [
        ("x = 1", Shape.WHOLE),
        ("", Shape.WHOLE),
        ("---\ntitle: x\n---\n", Shape.WHOLE),
        ("--- x\ny", Shape.WHOLE),
        (BLOCK, Shape.BLOCKS),
        ("\n" + BLOCK, Shape.BLOCKS),
        ("f.py\n" + BLOCK, Shape.BLOCKS),
        (DIFF, Shape.DIFF),
        ("<<<<<<< SEARCH\nhalf", Shape.BLOCKS),
        ("diff --git a/x b/x\nindex 1..2\n" + DIFF, Shape.DIFF),
        ("@@ -1 +1 @@\n-a\n+b", Shape.DIFF),
        ("@@ ... @@\n-a\n+b", Shape.DIFF),
        ("<<<<<<< HEAD\na\n=======", Shape.WHOLE),
        ("Title\n=======\ntext", Shape.WHOLE),
        ("Index: x\n" + DIFF, Shape.DIFF),
        ("- a\n+ b\n", Shape.WHOLE),
    ],
)
def test_shapes(content: str, shape: Shape) -> None:
    assert shape_of(content) is shape
    if shape is Shape.DIFF:
        assert shape_of(content, "fix.patch") is Shape.WHOLE


def test_contents_of_a_reply_keep_their_marks() -> None:
    """In v2 a block may hold search/replace marks and diffs, as they are longer than its delimiters."""
    document = parse(f"::edit @f.py\n<<<\n{BLOCK}\n>>>\n\n::edit @g.py\n<<<\n{DIFF}>>>\n", "v2")
    first, second = document.actions
    assert first.content == BLOCK and edit(first.content, FILE) == DONE
    assert edit(second.content or "", FILE) == DONE


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"a\r\nb\r\n", "a\nc", b"a\r\nc\r\n"),
        (b"a\nb\n", "a\r\nc\r\n", b"a\nc\n"),
        (b"\xef\xbb\xbfa\n", "b", b"\xef\xbb\xbfb\n"),
        (b"a\n", "\ufeffb", b"b\n"),
        (b"a", "b", b"b\n"),
        (b"a\n", "", b""),
        (b"", "a", b"a\n"),
        (b"a\n", "b\n", b"b\n"),
        (b"a\n", "b\n\n", b"b\n\n"),
        (b"a\rb\n", "c\rd", b"c\rd\n"),
        (b"a\r\nb\r\nc\n", "x\ny", b"x\r\ny\r\n"),
    ],
)
def test_whole_text_follows_the_form_of_the_file(before: bytes, content: str, after: bytes) -> None:
    assert edit(content, before) == after


@pytest.mark.parametrize(
    ("content", "after"),
    [
        ("a", b"a\n"),
        ("a\n", b"a\n"),
        ("", b""),
        ("a\r\nb", b"a\r\nb\r\n"),
        ("\ufeffa", b"\xef\xbb\xbfa\n"),
        ("\n", b"\n"),
    ],
)
def test_new_files_are_as_they_were_said(content: str, after: bytes) -> None:
    assert write_whole(content) == after


def test_lines_that_stay_keep_their_endings() -> None:
    mixed = b"a\nb\r\nc\nd\r\ne"
    block = "<<<<<<< SEARCH\nb\nc\nd\n=======\nb\nX\nd\n>>>>>>> REPLACE"
    assert edit(block, mixed) == b"a\nb\r\nX\nd\r\ne"
    assert edit("@@ -2,3 +2,3 @@\n b\n-c\n+X\n d", mixed) == b"a\nb\r\nX\nd\r\ne"
    assert edit("<<<<<<< SEARCH\na\n=======\nA\n>>>>>>> REPLACE", b"\xef\xbb\xbfa\r\n") == b"\xef\xbb\xbfA\r\n"
    assert edit("<<<<<<< SEARCH\ne\n=======\ne\nf\n>>>>>>> REPLACE", b"d\ne") == b"d\ne\nf\n"


def test_blocks_are_applied_one_after_the_other() -> None:
    two = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n"
    assert edit(two, b"x\na\ny\n") == b"x\nc\ny\n"
    assert edit("<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE", b"x\na\ny\n") == b"x\ny\n"
    assert edit("<<<<<<< SEARCH\n=======\na\n>>>>>>> REPLACE", b"") == b"a\n"


WRONG = {
    "not there": (BLOCK.replace("return 1", "return 7"), "none of its lines is in the file"),
    "blanks": (BLOCK.replace("    return 1", "  return 1"), r"nearest is line 2, .*only blanks differ"),
    "half a line": (BLOCK.replace("    return 1", "return 1"), "only blanks differ"),
    "second line": (
        BLOCK.replace("    return 1", "def g():\n    return 9"),
        "nearest is line 6, which is '    return 2'",
    ),
    "past the end": (BLOCK.replace("    return 1", "    return 2\nmore"), "the file has 6 lines"),
    "twice": (BLOCK.replace("    return 1\n=", "\n="), "fits at several places: lines 3, 4"),
    "nothing": ("<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE", "searches for nothing"),
    "prose": ("Here:\n" + BLOCK, "line 1 of the content is outside"),
    "no end": (BLOCK.removesuffix(">>>>>>> REPLACE"), "has no end"),
    "no divider": ("<<<<<<< SEARCH\na\n>>>>>>> REPLACE", "wrong mark"),
    "two dividers": (BLOCK.replace("=======", "=======\n======="), "wrong mark"),
    "too many": ("<<<<<<< SEARCH\n    return 1\n=======\n    return 1\n>>>>>>> REPLACE\n" * 501, "more than 500"),
    "diff elsewhere": (DIFF.replace("-1,3 +1,3", "-2,3 +2,3"), "does not fit at line 2: its lines are at line 1"),
    "diff of another text": (DIFF.replace("return 1", "return 5"), "nearest is line 2, which is"),
    "diff past the end": ("@@ -90 +90 @@\n-a\n+b", "does not fit at line 90"),
    "insert past the end": ("@@ -90,0 +90 @@\n+b", "does not fit at line 90"),
    "diff backwards": ("@@ -5 +5 @@\n-def g():\n+x\n@@ -1 +1 @@\n-def f():\n+y", "hunk 2 of the diff does not fit"),
    "too few": (DIFF.replace("-1,3 +1,3", "-1,4 +1,4").rstrip("\n") + "\nx", "does not have the lines"),
    "the end": ("@@ -1,2 +1,2 @@\n def f():", "the content ends"),
    "too many lines": (DIFF + "+more\n", "after hunk 1 there are lines that its numbers do not count"),
    "another file": (DIFF + "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n", "after hunk 1 there is another file"),
    "no numbers": ("@@ ... @@\n-a\n+b", "line 1 of the diff is not understood"),
    "numbers too long": (f"@@ -{'1' * 5000} +1 @@\n-a\n+b", "line 1 of the diff is not understood"),
    "other digits": ("@@ -１ +1 @@\n-a\n+b", "line 1 of the diff is not understood"),
    "no lines": ("@@ -0,0 +0,0 @@", "hunk 1 of the diff has no lines"),
    "a line without a sign": ("@@ -1 +1 @@\n-def f():\n+x\n@@ -2 +2 @@\n\rabc", "line 5 of the diff: '.rabc'"),
    "a marker first": ("@@ -1 +1 @@\n\\ No newline\n-def f():\n+x", "line 2 of the diff"),
    "too many, then more": (DIFF + "+more\n@@ -5 +5 @@\n-def g():\n+y\n", "line 8 of the diff: after hunk 1"),
    "one too few, then more": ("@@ -1,2 +1 @@\n-def f():\n+x\n@@ -5 +5 @@\n-a\n+b", "count: line 4 of the diff: '@@"),
    "no hunk": ("--- a/f\n+++ b/f\n", "no hunk"),
    "new file": ("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n", "creates or deletes"),
    "rename": ("diff --git a/f b/g\nrename from f\nrename to g\n", "is not understood"),
    "end without newline": ("@@ -6 +6 @@\n-    return 2\n\\ No newline at end of file\n+x\n", "does not fit"),
    "newline lost inside": ("@@ -1 +1 @@\n-def f():\n+x\n\\ No newline at end of file\n", "does not fit"),
    "surrogate": ("x\ud800", "cannot carry"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_says_where_and_why(name: str) -> None:
    content, message = WRONG[name]
    with pytest.raises(EditError, match=message):
        edit(content, FILE, "f.py")


@pytest.mark.parametrize("before", [b"\xff\xfea\0", b"caf\xe9\n", b"a\0b", b"\x89PNG\r\n\x1a\n\0"])
@pytest.mark.parametrize("content", ["x", BLOCK, DIFF])
def test_what_is_no_text_is_not_edited(before: bytes, content: str) -> None:
    with pytest.raises(EditError, match=r"UTF-8|binary"):
        edit(content, before)


def test_names_in_diffs() -> None:
    assert other_name(DIFF, "f.py") == "" == other_name("@@ -1 +1 @@\n-a\n+b", "f.py")
    assert other_name(DIFF, "src/f.py") == "b/f.py" == other_name(DIFF, "g.py")
    assert other_name(DIFF.replace("f.py", "src/f.py"), "src/f.py") == ""
    assert other_name(BLOCK, "g.py") == ""


@given(st.lists(st.sampled_from(_PIECES), max_size=12), _LINES)
def test_any_content_is_applied_or_refused(content: list[str], old: list[str]) -> None:
    try:
        edit("\n".join(content), "\n".join(old).encode())
        if shape_of("\n".join(content)) is Shape.DIFF:
            assert read_diff("\n".join(content))
    except EditError as error:
        assert str(error)
