"""Files are edited exactly: what `difflib` says of two texts leads from one to the other, or a message says why."""

from __future__ import annotations

from difflib import unified_diff

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symops_lark import parse
from symops_lark.acting.files.texts import EditError, edit_file, write_whole

FILE = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
BLOCK = "<<<<<<< SEARCH\n    return 1\n=======\n    return 3\n>>>>>>> REPLACE"
DIFF = "--- a/f.py\n+++ b/f.py\n@@ -1,3 +1,3 @@\n def f():\n-    return 1\n+    return 3\n \n"
DONE = FILE.replace(b"1", b"3")

_ODD = ("a", "b", "c", "", " ", "-- x", "++ y", "@@ -1 +1 @@", "\\ z", "\x0c", "\u2028", "é")
_LINES = st.lists(
    st.sampled_from(_ODD) | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0"), max_size=6),
    max_size=12,
)
_PIECES = (
    *("--- a", "+++ b", "@@ -1,2 +1,2 @@", "@@ -1 +1 @@", " a", "-a", "+a", "\\ x", "", "diff --git a b"),
    *("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "a", "*** Begin Patch", "*** Update File: a"),
)


def edit(content: str, before: bytes, path: str = "") -> bytes:
    return edit_file(content, before, path).data


def split(text: str) -> list[str]:
    ended = [line + "\n" for line in text.split("\n")]
    return [*ended[:-1], *([ended[-1][:-1]] if ended[-1] != "\n" else [])]


def make_diff(before: str, after: str, context: int) -> str:
    """Let `difflib` make a unified diff; it does not say itself that a file ends without a newline."""
    created = unified_diff(split(before), split(after), "a/f", "b/f", n=context)
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in created)


@given(_LINES, _LINES, st.integers(0, 3), st.booleans(), st.booleans(), st.booleans())
def test_diffs_lead_from_one_text_to_the_other(
    old: list[str], new: list[str], context: int, ends_old: bool, ends_new: bool, windows: bool
) -> None:
    before = "\n".join(old) + "\n" * ends_old
    after = "\n".join(new) + "\n" * ends_new
    diff = make_diff(before, after, context)
    assume(diff)
    ending = "\r\n" if windows and "\n" in before else "\n"
    expected = after.replace("\n", ending).encode()
    try:
        created = edit_file(diff, before.replace("\n", ending).encode(), "f")
    except EditError:
        assert context < 3  # equal lines, and nothing that tells them apart
    else:
        assert created.data == expected or created.edited.doubts


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
    parts = ["<<<<<<< SEARCH", *lines[begin:end], "=======", *new, ">>>>>>> REPLACE"]
    ending = "\r\n" if data.draw(st.booleans()) else "\n"
    before = "".join(line + ending for line in lines).encode()
    expected = "".join(line + ending for line in [*lines[:begin], *new, *lines[end:]]).encode()
    assert edit("\n".join(parts), before) == expected


@given(_LINES, st.booleans())
def test_whole_texts_end_with_a_newline_and_follow_the_file(lines: list[str], windows: bool) -> None:
    content = "\n".join(lines)
    ending = "\r\n" if windows else "\n"
    created = write_whole(content, f"old{ending}".encode())
    if content:
        assert created.decode().replace(ending, "\n") == content + "\n" * (not content.endswith("\n"))
    else:
        assert created == b""
    assert write_whole(created.decode(), created or b"old\n") == created or windows


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
    assert edit(content, before) == after == write_whole(content, before)


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
def test_new_files_are_written_as_the_content_is(content: str, after: bytes) -> None:
    assert write_whole(content) == after


def test_lines_that_stay_keep_their_endings() -> None:
    mixed = b"a\nb\r\nc\nd\r\ne"
    block = "<<<<<<< SEARCH\nb\nc\nd\n=======\nb\nX\nd\n>>>>>>> REPLACE"
    assert edit(block, mixed) == b"a\nb\r\nX\nd\r\ne"
    assert edit("@@ -2,3 +2,3 @@\n b\n-c\n+X\n d", mixed) == b"a\nb\r\nX\nd\r\ne"
    assert edit("<<<<<<< SEARCH\na\n=======\nA\n>>>>>>> REPLACE", b"\xef\xbb\xbfa\r\n") == b"\xef\xbb\xbfA\r\n"
    # the state of the last line stays: the edit says nothing of it
    assert edit("<<<<<<< SEARCH\ne\n=======\ne\nf\n>>>>>>> REPLACE", b"d\ne") == b"d\ne\nf"


def test_the_reading_says_where_and_how() -> None:
    edited = edit_file(DIFF, FILE, "f.py").edited
    assert (edited.kind, edited.lines, edited.doubts) == ("unified diff", (1,), ())


def test_a_missing_file_is_made_by_a_patch_alone() -> None:
    assert edit_file("<<<<<<< SEARCH\n=======\na\n>>>>>>> REPLACE", None).data == b"a\n"
    with pytest.raises(EditError, match="no such file"):
        edit_file(BLOCK, None)


@pytest.mark.parametrize(
    ("content", "message"), [("x\ud800", "cannot carry"), (BLOCK.replace("1", "7"), "does not fit")]
)
def test_what_does_not_fit_says_why(content: str, message: str) -> None:
    with pytest.raises(EditError, match=message):
        edit(content, FILE, "f.py")


@pytest.mark.parametrize("before", [b"\xff\xfea\0", b"caf\xe9\n", b"a\0b", b"\x89PNG\r\n\x1a\n\0"])
@pytest.mark.parametrize("content", ["x", BLOCK, DIFF])
def test_what_is_no_text_is_not_edited(before: bytes, content: str) -> None:
    with pytest.raises(EditError, match=r"UTF-8|binary"):
        edit(content, before)


@given(st.lists(st.sampled_from(_PIECES), max_size=12), _LINES)
def test_any_content_is_applied_or_refused(content: list[str], old: list[str]) -> None:
    try:
        edit("\n".join(content), "\n".join(old).encode())
    except EditError as error:
        assert str(error)
