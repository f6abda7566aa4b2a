"""Unified diffs that continue after an empty line, name files with blanks, or have headers without hunks."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from symops_lark import Action, Completeness, process, read_format, write_format
from symops_lark.core.document import Document
from symops_lark.core.text.diagnostics import Severity

Own = Callable[[str], Path]
DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-x\n+y\n"
NEW = "--- /dev/null\n+++ b/x.py\n@@ -0,0 +1 @@\n+x\n"
REMOVED = "--- a/x.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
HALF = "--- a/x.py\n+++ b/x.py\n@@ -1,5 +1,5 @@\n a\n-b\n+c\n\n"


def states(text: str) -> list[tuple[str, str]]:
    """Return the path and the completeness of each action."""
    return [(action.path, str(action.completeness)) for action in process(text).document.actions]


def warnings(text: str) -> list[str]:
    """Return the codes of what is more than a note."""
    return [finding.code for finding in process(text).diagnostics if finding.severity is not Severity.NOTE]


# ---- what follows an empty line


@pytest.mark.parametrize(
    "text",
    [
        f"{HALF}d\n-e\n+f\n",
        f"{HALF}\nd\n-e\n+f\n",
        # The first change itself may be cut off.
        HALF.replace("-b\n+c\n", "") + "d\n-e\n+f\n",
        # The numbers of the head are enough.
        f"{HALF}def f():\n    return 1\n",
        f"{HALF}That is all.\n",
        "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n-b\n+c\n\nd\n",
        # A removed comment looks like a heading.
        "--- a/x.py\n+++ b/x.py\n@@ -1,5 +1,5 @@\n-a\n+b\n\n--- old comment\n+-- new comment\n d\n",
        "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n a\n--- old comment\n+++ old comment\n d\n",
        NEW.replace("+1 @@", "+1,3 @@") + "\n+y\n",
        REMOVED.replace("-1 +", "-1,3 +") + "\n-y\n",
        # Nothing counts the lines, or the count is wrong: a line with a sign follows.
        "*** Add File: x.py\n+x\n\n+y\n",
        "*** Add File: x.py\n+x\n\n\n\n+y\n",
        "*** Add File: x.py\n+x\n\nz\n+y\n",
        "*** Update File: x.py\n@@\n-x\n+y\n\nz\n-v\n",
        f"{DIFF}\nz\n+v\n",
        f"{DIFF}\n--- old comment\n",
        f"{NEW}\n+y\n",
    ],
)
def test_lines_of_a_patch_after_an_empty_line_make_it_doubtful(text: str) -> None:
    assert states(text) == [("x.py", "suspect")]
    assert "unsigned-lines" in warnings(text)
    (action,) = process(text).document.actions
    assert action.confidence <= 0.5


@pytest.mark.parametrize(
    "first", [DIFF, NEW, REMOVED, "*** Add File: x.py\n+x\n", "*** Update File: x.py\n@@\n-x\n+y\n"]
)
@pytest.mark.parametrize(
    "after",
    [
        "\nThat is all.\n",
        "\nIt changes this:\n- one file\n- `y`\n",
        "\nIt changes this:\n\n+ one file\n-v is an option\n",
        "\n---\n\nThat is all.\n",
    ],
)
def test_prose_after_an_empty_line_is_no_part_of_a_patch(first: str, after: str) -> None:
    assert states(first + after) == [("x.py", "complete")]
    assert warnings(first + after) == []


def test_half_of_a_diff_does_not_make_the_next_one_doubtful() -> None:
    second = DIFF.replace("x.py", "y.py")
    assert states(f"{HALF}d\n-e\n+f\n{second}") == [("x.py", "suspect"), ("y.py", "complete")]
    for between in ("", "\n", "\n\n"):
        assert states(DIFF + between + second) == [("x.py", "complete"), ("y.py", "complete")]


def test_empty_lines_before_the_next_diff_are_no_lines_of_the_patch() -> None:
    text = NEW.replace("+1 @@", "+1,3 @@") + "\n" + DIFF.replace("x.py", "y.py")
    assert states(text) == [("x.py", "suspect"), ("y.py", "complete")]
    assert warnings(text) == ["no-closing-mark"]


def test_in_a_fence_these_lines_belong_to_the_patch() -> None:
    text = f"```diff\n{HALF}d\n-e\n+f\n```\n"
    (action,) = process(text).document.actions
    assert action.content == "@@ -1,5 +1,5 @@\n a\n-b\n+c\n\nd\n-e\n+f"
    assert action.completeness is Completeness.SUSPECT


# ---- names


NAMES = ["my file.py", "docs/my file.py", "a b/c d.txt", "chapter 2.txt", "log 2024-01-02.txt", "Mon notes.txt", "x.py"]
AFTER = [
    "",
    "  ",
    "\t",
    "\t2026-01-02 03:04:05",
    " 2026-01-02 03:04:05.123456789 +0100",
    " 2026/01/02 03:04",
    " Thu Feb 21 23:30:39 2002",
    " Thu, 21 Feb 2002 23:30:39 GMT",
    " (working copy)",
    "  # as before",
    " // as before",
    " Note: as before",
]


@pytest.mark.alike(8)
@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize("name", NAMES)
def test_a_name_may_have_blanks(name: str, after: str) -> None:
    for diff, verb in ((DIFF, "edit"), (NEW, "create"), (REMOVED, "delete")):
        text = diff.replace("x.py", f"{name}{after}")
        result = process(text)
        assert [(action.type, action.path) for action in result.document.actions] == [(verb, name)]
        assert result.document.actions[0].completeness is Completeness.COMPLETE
        assert not result.diagnostics


@pytest.mark.parametrize("name", ["notes (old).txt", "my (very old) notes.txt"])
def test_a_name_may_have_parentheses(name: str) -> None:
    assert [action.path for action in process(DIFF.replace("x.py", name)).document.actions] == [name]


def test_a_time_after_no_file_is_read_over() -> None:
    text = NEW.replace("/dev/null", "/dev/null 1970-01-01 00:00:00.000000000 +0000")
    assert states(text) == [("x.py", "complete")]


def test_a_name_with_a_blank_is_written() -> None:
    for action in (Action("create", "my file.py", "x = 1"), Action("edit", "my file.py", "@@ -1 +1 @@\n-x\n+y")):
        (loaded,) = read_format(write_format(Document((action,)), "unified_diff"), "unified_diff").actions
        assert (loaded.type, loaded.path, loaded.content) == (action.type, action.path, action.content)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a/my file.py", "b/my"),
        ("a/my", "b/my file.py"),
        ("a/my file.py", "b/my other.py"),
        ("a/x.py", "b/x.py new"),
        # In the folder `a`, without prefixes.
        ("a/x.py", "a/x.py"),
        ("b/x.py", "b/x.py"),
    ],
)
def test_headings_that_may_name_two_files_are_doubted(old: str, new: str) -> None:
    text = f"--- {old}\n+++ {new}\n@@ -1 +1 @@\n-x\n+y\n"
    assert [state for _, state in states(text)] == ["suspect"]
    assert "two-file-names" in warnings(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [("x.py", "x.py"), ("x.py", "b/x.py"), ("a/x.py", "b/x.py"), ("b/x.py", "a/x.py"), ("c/x.py", "c/x.py")],
)
def test_headings_with_other_prefixes_name_one_file(old: str, new: str) -> None:
    text = f"--- {old}\n+++ {new}\n@@ -1 +1 @@\n-x\n+y\n"
    assert [state for _, state in states(text)] == ["complete"]
    assert warnings(text) == []


def test_only_the_sides_of_a_diff_are_sides(own: Own) -> None:
    """Before the names of other formats is the same text, too."""
    format = own(
        'document: edit*\nedit: "old: " OLD _NL "new: " PATH _NL PATCH "end" _NL\n'
        "OLD: /[a-z.]+/\nPATH: /[a-z.]+/\nPATCH: /([^\\n]*\\n)*/\n_NL: /\\n/\n"
    )
    (action,) = read_format("old: x.py\nnew: x.py\n@@ -1 +1 @@\n-x\n+y\nend\n", format).actions
    assert (action.path, action.completeness) == ("x.py", Completeness.COMPLETE)


@pytest.mark.parametrize("diff", [DIFF, NEW, REMOVED])
def test_the_header_of_git_names_the_same_file(diff: str) -> None:
    index = "index 1..2 100644\n"
    for header in ("a/x.py b/x.py", "x.py x.py", "b/x.py", "a/x.py b/x.py  "):
        assert states(f"diff --git {header}\n{index}{diff}") == [("x.py", "complete")]
    for header in ("a/e.py b/e.py", "a/lib/x.py b/lib/x.py", "a/xx.py b/xx.py"):
        text = f"diff --git {header}\n{index}{diff}"
        assert states(text) == [("x.py", "suspect")]
        assert warnings(text) == ["two-file-names"]


# ---- headers without hunks


HEADERS = [
    "deleted file mode 100644\nindex e69de29..0000000\n",
    "new file mode 100644\nindex 0000000..e69de29\n",
    "old mode 100644\nnew mode 100755\n",
    "similarity index 100%\nrename from e.py\nrename to n.py\n",
    "similarity index 100%\ncopy from e.py\ncopy to n.py\n",
    "index 1..2 100644\nBinary files a/e.py and b/e.py differ\n",
]
GIT = f"diff --git a/x.py b/x.py\nindex 1..2 100644\n{DIFF}"


@pytest.mark.parametrize("headers", HEADERS)
def test_headers_without_a_hunk_are_not_lost_in_the_next_file(headers: str) -> None:
    lost = f"diff --git a/e.py b/e.py\n{headers}"
    # Directly before, in a fence or not, the two are one section.
    for text in (f"{lost}{GIT}", f"```diff\n{lost}{GIT}```\n", f"So:\n\n{lost}{GIT}\nDone.\n"):
        assert states(text) == [("x.py", "suspect")]
        assert warnings(text) == ["broken-section"]
    for text in (f"{lost}\n{GIT}", f"{GIT}\n{lost}", f"{GIT}{lost}"):
        assert [path for path, _ in states(text)] == ["x.py"]
        assert "broken-section" in warnings(text)
    for text in (f"```diff\n{lost}```\n\n{GIT}", f"{GIT}\n```diff\n{lost}```\n"):
        assert states(text) == [("x.py", "complete")]
        assert warnings(text) == ["missing-argument"]


def test_the_headers_of_a_file_with_a_hunk_are_its_own() -> None:
    assert states(GIT) == states(f"```diff\n{GIT}```\n") == [("x.py", "complete")]
    assert states(GIT + GIT.replace("x.py", "y.py")) == [("x.py", "complete"), ("y.py", "complete")]
    assert states(f"diff --git a/x.py b/x.py\nold mode 100644\nnew mode 100644\n{DIFF}") == [("x.py", "complete")]
    assert not warnings(GIT + GIT.replace("x.py", "y.py"))


@pytest.mark.parametrize(
    ("header", "diff"),
    [
        ("new file mode 100755\nindex 0..1\n", NEW),
        ("new file mode 120000\nindex 0..1\n", NEW),
        ("old mode 100644\nnew mode 100755\nindex 0..1\n", DIFF),
        ("old mode 100755\nnew mode 100644\nindex 0..1\n", DIFF),
        ("old mode 100644\nnew mode 120000\n", DIFF),
        ("index 0..1 160000\n", DIFF),
        ("index 0..1 120000\n", DIFF),
    ],
)
def test_a_diff_that_sets_the_mode_of_its_file_is_doubted(header: str, diff: str) -> None:
    text = f"diff --git a/x.py b/x.py\n{header}{diff}"
    assert states(text) == [("x.py", "suspect")]
    assert warnings(text) == ["file-mode"]


@pytest.mark.parametrize("mode", ["100644", "100755"])
def test_a_mode_that_stays_is_not_doubted(mode: str) -> None:
    text = f"diff --git a/x.py b/x.py\nindex 0..1 {mode}\n{DIFF}"
    assert states(text) == [("x.py", "complete")]
    deleted = f"diff --git a/x.py b/x.py\ndeleted file mode {mode}\nindex 1..0\n{REMOVED}"
    assert warnings(deleted) == warnings(REMOVED)


def test_a_renamed_file_with_a_hunk_is_doubted_with_its_headers() -> None:
    headers = "diff --git a/w.py b/x.py\nsimilarity index 90%\nrename from w.py\nrename to x.py\nindex 1..2 100644\n"
    text = headers + DIFF.replace("a/x.py", "a/w.py")
    assert states(text) == [("x.py", "suspect")]
    assert warnings(text) == ["two-file-names"]
    assert process(text).document.actions[0].span.start == 0


# ---- time


@pytest.mark.alike(4)
@pytest.mark.parametrize(
    "part",
    [
        "index 1..2\n",
        "diff --git a/x b/x\n",
        f"{HALF}d\n",
        f"{DIFF}\n- x\n",
        "*** Add File: a\n+x\n\n+y\n",
        "--- a/x Mon (a) b Mon 1:\n",
    ],
)
def test_many_beginnings_take_linear_time(part: str) -> None:
    check_time(part)


@pytest.mark.alike(4)
@pytest.mark.parametrize("part", ["a ", "a (b) ", "(a b) ", "Mon ", "Mon 1: ", "2002-02-02 10:1 ", "a:b ", " ", "# "])
def test_a_long_heading_takes_linear_time(part: str) -> None:
    check_time(part, "--- a/x ", "\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n")


def check_time(part: str, before: str = "", after: str = "") -> None:
    """A text that is four times as long may take ten times as long; a quadratic reader takes sixteen times."""
    times = []
    for size in (20_000, 80_000):
        begun = time.process_time()
        read_format(before + part * (size // len(part)) + after)
        times.append(time.process_time() - begun)
    assert times[1] < max(10 * times[0], 0.5)
