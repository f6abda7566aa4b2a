"""Unified diffs: the lines of tools, the names of files, and what is refused."""

from __future__ import annotations

import pytest
from edit_changes import text
from edit_readings import USE_HEADS, reading_of, refusal_of

from symops_lark.core.edits import Edited, edit_text
from symops_lark.core.edits.hunks import MAX_HUNKS, Hunk, Reading
from symops_lark.core.edits.notations.diffs import file_ends, names_file, read, rename_line

HUNK = Hunk(("a",), ("b",))
NAMES = ["--- a/a.py", "+++ b/a.py"]
BODY = ["@@", "-a", "+b"]


def reading(*lines: str) -> Reading:
    result = reading_of(read, "unified diff", text(*lines), "")
    assert result.ordered
    return result


def unreadable(*lines: str) -> tuple[str, str]:
    return refusal_of(read, text(*lines))


def test_names_of_files() -> None:
    assert reading(*NAMES, *BODY) == Reading("unified diff", (HUNK,), ordered=True, names=("a.py",))
    assert reading("--- a.py\t2026-01-01 10:00", "+++  b c.py \t2026-01-02", *BODY).names == ("b c.py",)
    assert reading("", *NAMES, "", *BODY, *NAMES, *BODY).names == ("a.py",)
    assert reading("diff --git a/x b/y.py", *NAMES, *BODY).names == ("y.py", "a.py")
    assert reading(*BODY).names == ()


@pytest.mark.parametrize(
    "line",
    [
        *(
            "diff --git a/a.py b/a.py",
            "index 1a2..3b4 100644",
            "Index: a.py",
            "=" * 60,
            "old mode 100644",
            "new mode 100644",
        ),
        *("similarity index 90%", "dissimilarity index 9%"),
    ],
)
def test_lines_of_tools(line: str) -> None:
    assert reading(line, *NAMES, *BODY).hunks == (HUNK,)
    assert reading(*NAMES, *BODY, line).hunks == (HUNK,)
    if not line.startswith("diff"):  # the others begin texts of other kinds, too
        assert read(text(line, "words")) is None
    assert file_ends([line], 0, False)


def test_other_contents_begin_no_diff() -> None:
    assert read("") is read(text("words", *NAMES, *BODY)) is read(text("@@", " a", "b")) is None
    assert read(text("--- a.py", *BODY)) is None and read(text("=" * 59, *BODY)) is None
    assert read(text("--- a.py")) is None


def test_a_diff_needs_hunks() -> None:
    nothing = "the diff changes nothing", "begin each hunk with `@@`"
    assert unreadable(*NAMES) == unreadable("diff --git a/a b/a") == unreadable(*NAMES, "@@", " a") == nothing


def test_the_first_hunk_may_have_no_head() -> None:
    assert reading(*NAMES, "-a", "+b").hunks == (HUNK,)
    assert reading(*NAMES, " x", "-a", "+b").hunks == (Hunk(("x", "a"), ("x", "b"), kept=((0, 0),)),)
    assert reading(*NAMES, "+b", "-a").hunks == (HUNK,)
    assert unreadable(*NAMES, *BODY, "index 1..2", "-c") == ("line 7 of the diff is not understood: '-c'", USE_HEADS)
    assert reading("diff --git a/a b/a", "-a", "+b").hunks == (HUNK,)
    assert unreadable("Index: a.py", "-a", "+b", *BODY) == ("line 2 of the diff is not understood: '-a'", USE_HEADS)
    assert unreadable(*NAMES, "words") == ("line 3 of the diff is not understood: 'words'", USE_HEADS)


def test_other_changes_of_a_file_are_refused() -> None:
    renames = "the diff renames the file: 'rename from a'"
    hint = "use `create` for the new file and `delete` for the old one"
    assert unreadable("diff --git a/a b/b", "rename from a", "rename to b") == (renames, hint)
    deletes = "the diff deletes the file a/a.py", "use `delete` for that"
    assert unreadable("--- a/a.py\tnow", "+++ /dev/null\tthen", "@@", "-a") == deletes
    creates = "the diff creates the file b/a.py", "use `create` for that"
    assert unreadable("--- /dev/null", "+++ b/a.py", "@@", "+a") == creates
    assert unreadable(*BODY, "--- a/a.py", "+++ /dev/null", "@@") == deletes


def test_the_names_of_another_file_end_a_hunk() -> None:
    lines = ["-a", "--- x", "+++ y", "@@", "-a", "+b"]
    assert file_ends(lines, 1, True) and not file_ends(lines, 1, False)
    assert file_ends(lines[:4], 1, True)
    assert not file_ends(lines[:3], 1, True) and not file_ends([*lines[:3], "+b", "@@"], 1, True)
    # Without a head below them, they are lines of SQL and C.
    hunk = Hunk(("a", "-- x"), ("++ y", "b"))
    assert reading("@@ -1,2 +1,2 @@", "-a", "--- x", "+++ y", "+b").hunks[0].old == hunk.old
    assert names_file(["--- x", "+++ y"], 0) and not names_file(["--- x", "++ y"], 0)
    assert not names_file(["--- x"], 0) and not names_file(["---x", "+++ y"], 0)


def test_lines_about_a_renaming() -> None:
    assert rename_line("rename from a b") == ("from", "a b") and rename_line("rename to b") == ("to", "b")
    assert rename_line("rename a") is rename_line("rename to ") is rename_line("x rename to b") is None


def test_a_diff_has_so_many_hunks_at_most() -> None:
    assert len(reading(*NAMES, *BODY * MAX_HUNKS).hunks) == MAX_HUNKS
    reason = f"the diff has more than {MAX_HUNKS} hunks"
    assert unreadable(*NAMES, *BODY * (MAX_HUNKS + 1)) == (reason, "write the whole text")


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("a/x.py", "b/x.py", "x.py"),
        ("i/x.py", "w/x.py", "x.py"),
        ("a/b/x.py", "b/b/x.py", "b/x.py"),
        ("a/w.py", "b/x.py", "x.py"),
        ("x.py", "b/x.py", "x.py"),
        # The same letter in both is a folder.
        ("c/x.py", "c/x.py", "c/x.py"),
        ("b/x.py", "b/x.py", "b/x.py"),
        ("lib/x.py", "lib/x.py", "lib/x.py"),
        ("y.py", "b/x.py", "b/x.py"),
    ],
)
def test_only_the_sides_of_git_are_no_folders(old: str, new: str, name: str) -> None:
    content = f"--- {old}\n+++ {new}\n@@ -1 +1 @@\n-x\n+y\n"
    made = read(content)
    assert made is not None and made.names == (name,)
    result = edit_text("x\n", content, "x.py")
    assert isinstance(result, Edited) and bool(result.doubts) == (name != "x.py")


@pytest.mark.parametrize(
    "content",
    [
        "*** Begin Patch\n*** Update File: c/x.py\n@@\n-x\n+y\n*** End Patch\n",
        "c/x.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
    ],
)
def test_other_notations_have_no_sides(content: str) -> None:
    result = edit_text("x\n", content, "x.py")
    assert isinstance(result, Edited) and result.doubts == ("it names another file, c/x.py",)
