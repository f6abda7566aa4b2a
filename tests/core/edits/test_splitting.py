"""Patches of several files, and those that move or delete one, become an action for each file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import Action, Edited, Refusal, edit_text
from symops_lark.core.edits import split_patch
from symops_lark.core.edits.hunks import MAX_HUNKS
from symops_lark.core.text.source import Span

SPAN = Span(3, 40)
UPDATE = "*** Update File: a.py\n@@\n-x = 1\n+x = 3\n"
OTHER = "*** Update File: b.py\n@@\n-q\n+r\n"
GIT = (
    "diff --git a/src/a.py b/src/a.py\nindex 1..2 100644\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 3\n"
)


def split(content: str, path: str = "a.py") -> list[tuple[str, str, str | None]]:
    actions = split_patch(Action("edit", path, content, span=SPAN, dependencies=("z.py",)))
    assert all(action.span == SPAN and action.dependencies[0] == "z.py" for action in actions)
    return [(action.type, action.path, action.content) for action in actions]


def patch(*parts: str) -> str:
    return "*** Begin Patch\n" + "".join(parts) + "*** End Patch\n"


def test_files_of_a_patch_are_separate_actions() -> None:
    actions = split(patch(UPDATE, OTHER, "*** Add File: c.py\n+z\n+\n+y\n", "*** Delete File: d.py\n"))
    assert actions == [
        ("edit", "a.py", patch(UPDATE).removesuffix("\n")),
        ("edit", "b.py", patch(OTHER).removesuffix("\n")),
        ("create", "c.py", "z\n\ny"),
        ("delete", "d.py", None),
    ]
    assert edit_text("x = 1\n", actions[0][2] or "", "a.py") == Edited("x = 3\n", "V4A patch", (), (1,))


def test_a_move_is_a_creation_from_a_file_and_its_deletion() -> None:
    moved = patch(UPDATE.replace("a.py\n", "a.py\n*** Move to: b.py\n"))
    created, deleted = split_patch(Action("edit", "a.py", moved))
    assert (created.type, created.path, created.attributes) == ("create", "b.py", (("from", "a.py"),))
    assert (deleted.type, deleted.path, deleted.content, deleted.dependencies) == ("delete", "a.py", None, ("b.py",))
    result = edit_text("x = 1\n", created.content or "", "a.py")
    assert isinstance(result, Edited) and result.text == "x = 3\n" and not result.doubts


def test_a_move_into_another_folder_is_a_move() -> None:
    for path, new_path in (("a.py", "lib/a.py"), ("lib/a.py", "a.py")):
        moved = patch(UPDATE.replace("a.py\n", f"{path}\n*** Move to: {new_path}\n"))
        assert [path for _, path, _ in split(moved, path)] == [new_path, path]
        result = edit_text("x = 1\n", moved, path)
        assert isinstance(result, Refusal) and "renames the file" in result.reason


def test_a_move_without_hunks_has_no_content() -> None:
    created, deleted = split_patch(Action("edit", "a.py", patch("*** Update File: a.py\n*** Move to: b.py\n")))
    assert (created.path, created.content, deleted.path) == ("b.py", "", "a.py")


def test_files_of_a_git_diff() -> None:
    renamed = (
        "diff --git a/b b/c\nsimilarity index 90%\nrename from b\nrename to c\n--- a/b\n+++ b/c\n@@ -1 +1 @@\n-q\n+r\n"
    )
    added = (
        "diff --git a/n b/n\nnew file mode 1\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+1\n\\ No newline at end of file\n"
    )
    removed = "diff --git a/o b/o\ndeleted file mode 100644\n--- a/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"
    assert split("```diff\n" + GIT + renamed + added + removed + "```\n", "src/a.py") == [
        ("edit", "src/a.py", "--- src/a.py\n+++ src/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 3"),
        ("create", "c", "--- b\n+++ b\n@@ -1 +1 @@\n-q\n+r"),
        ("delete", "b", None),
        ("create", "n", "1"),
        ("delete", "o", None),
    ]


def test_two_parts_for_one_file_are_one_action() -> None:
    actions = split(patch(UPDATE, OTHER, "*** Update File: src/a.py\n@@\n-y\n+z\n"), "src/a.py")
    assert [path for _, path, _ in actions] == ["a.py", "b.py", "src/a.py"]
    actions = split(patch(UPDATE, OTHER, UPDATE.replace("x = ", "y = ")))
    assert [path for _, path, _ in actions] == ["a.py", "b.py"]
    result = edit_text("x = 1\ny = 1\n", actions[0][2] or "", "a.py")
    assert isinstance(result, Edited) and result.text == "x = 3\ny = 3\n"


@pytest.mark.parametrize(
    "content",
    [
        *(patch(UPDATE), GIT, "plain text\n", "", "*** Begin Patch\nwords\n" + UPDATE + OTHER),
        *(patch(UPDATE, "*** Add File: c.py\nno mark\n"), patch(UPDATE, "*** Delete File: d.py\n-x\n")),
        patch("*** Update File: a.py\n*** Move to: ./a.py\n@@\n-x\n+y\n"),
        patch("*** Update File: a.py\n*** Move to: src/a.py\n@@\n-x\n+y\n"),  # the edited file
        GIT + "diff --git a/e b/e\nnew file mode 100644\n",
        GIT + "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-q\nno mark\n",
        "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
    ],
)
def test_other_contents_stay_one_action(content: str) -> None:
    action = Action("edit", "src/a.py" if "src" in content else "a.py", content)
    assert split_patch(action) == (action,)


def test_parts_without_a_name_stay_one_action() -> None:
    for content in (patch(UPDATE, "*** Delete File: \n"), patch("*** Delete File:\n", UPDATE)):
        assert split(content) == [("edit", "a.py", content)]


def test_so_many_files_are_split_at_most() -> None:
    content = patch(*(f"*** Delete File: {number}\n" for number in range(MAX_HUNKS)))
    assert len(split(content)) == MAX_HUNKS
    longer = content.replace("*** End", "*** Delete File: x\n*** End")
    assert split(longer) == [("edit", "a.py", longer)]


def test_a_file_that_is_deleted_alone_is_an_action() -> None:
    assert split(patch("*** Delete File: a.py\n")) == [("delete", "a.py", None)]
    assert split("*** Delete File: src/a.py", "src/a.py") == [("delete", "src/a.py", None)]
    added = patch("*** Add File: a.py\n+x\n")
    assert split(added) == [("edit", "a.py", added)]


def test_the_edited_file_has_the_path_of_the_action() -> None:
    assert [path for _, path, _ in split(patch(UPDATE, OTHER), "src/a.py")] == ["src/a.py", "b.py"]
    # Two names that may both be the file stay as they are.
    content = patch(UPDATE, UPDATE.replace("a.py", "src/a.py"), OTHER)
    assert [path for _, path, _ in split(content, "src/a.py")] == ["a.py", "src/a.py", "b.py"]


def test_empty_lines_at_the_end_of_a_part_are_left_out() -> None:
    actions = split(patch(UPDATE + "\n\n", "*** Add File: c.py\n+a\n\n", "*** Delete File: d.py\n\n"))
    assert actions == [
        ("edit", "a.py", patch(UPDATE).removesuffix("\n")),
        ("create", "c.py", "a"),
        ("delete", "d.py", None),
    ]


def test_lines_after_the_end_of_a_patch_are_not_read() -> None:
    assert [path for _, path, _ in split(patch(UPDATE, OTHER) + "*** Delete File: d.py\n")] == ["a.py", "b.py"]


def test_a_file_that_is_moved_is_not_merged() -> None:
    moved = "*** Update File: a.py\n*** Move to: c.py\n@@\n-x\n+y\n"
    for content in (patch(UPDATE, moved), patch(moved, UPDATE)):
        kinds = sorted((verb, path) for verb, path, _ in split(content))
        assert kinds == [("create", "c.py"), ("delete", "a.py"), ("edit", "a.py")]


def test_an_update_of_a_file_that_the_patch_adds_or_deletes_is_an_action_of_its_own() -> None:
    for part, verb in (("*** Delete File: b.py\n", "delete"), ("*** Add File: b.py\n+z\n", "create")):
        actions = split(patch(UPDATE, part, OTHER))
        assert [row[:2] for row in actions] == [("edit", "a.py"), (verb, "b.py"), ("edit", "b.py")]
        assert actions[2][2] == patch(OTHER).removesuffix("\n")


def test_a_git_diff_is_split_if_each_file_has_a_part() -> None:
    second = "diff --git a/b.py b/b.py\n\n--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-q\n+r\n"
    assert [path for _, path, _ in split(GIT + second, "src/a.py")] == ["src/a.py", "b.py"]
    empty = "diff --git a/c.py b/c.py\nnew file mode 100644\n"
    added_with_context = "--- /dev/null\n+++ b/c.py\n@@ -0,0 +1,2 @@\n+1\n 2\n"
    for content in (GIT + second + empty, GIT + second + added_with_context):
        assert split(content, "src/a.py") == [("edit", "src/a.py", content)]


def test_each_file_of_a_patch_may_be_moved() -> None:
    content = patch(UPDATE, OTHER.replace("b.py\n", "b.py\n*** Move to: c.py\n"))
    actions = [("edit", "a.py"), ("create", "c.py"), ("delete", "b.py")]
    assert [(verb, path) for verb, path, _ in split(content)] == actions
    renamed = "diff --git a/b b/c\nrename from b\nrename to c\n"
    assert [(verb, path) for verb, path, _ in split(GIT + renamed, "src/a.py")] == [
        ("edit", "src/a.py"),
        ("create", "c"),
        ("delete", "b"),
    ]


def test_a_renamed_file_without_hunks_keeps_its_text() -> None:
    git = "diff --git a/b b/c\nsimilarity index 100%\nrename from b\nrename to c\n"
    assert split(git, "b") == [("create", "c", ""), ("delete", "b", None)]
    assert split("rename to c\n" + GIT, "src/a.py") == [("edit", "src/a.py", "rename to c\n" + GIT)]
    times = "--- a/a.py\t1\n+++ a/a.py\t2\n@@\n-x\n+y\n--- b.py\n+++ c/b.py\n@@\n-x\n+y\n"
    assert [path for _, path, _ in split(times, "z.py")] == ["a/a.py", "c/b.py"]


def test_other_verbs_stay() -> None:
    for action in (Action("create", "a.py", patch(UPDATE, OTHER)), Action("edit", "a.py"), Action("run", "ls")):
        assert split_patch(action) == (action,)


@given(
    st.lists(
        st.sampled_from((*UPDATE.splitlines(), *GIT.splitlines(), "*** Move to: b", "rename to b", "")), max_size=9
    )
)
def test_nothing_is_raised(lines: list[str]) -> None:
    actions = split_patch(Action("edit", "a.py", "\n".join(lines)))
    assert actions and all(action.path for action in actions)
