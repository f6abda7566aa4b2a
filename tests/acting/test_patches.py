"""Patches of several files: each file is an action of its own, and they are done together or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from trees import MemoryTree, document, edit

from symops_lark import Decision, Policy, apply, plan, process, undo
from symops_lark.acting.changes import Change, Operation, Plan
from symops_lark.core.document import Action
from symops_lark.core.ground.schemas import schema

FILES = {"a.py": b"x = 1\n", "b.py": b"y = 1\n", "d.py": b"d\n"}
UPDATE_A = "*** Update File: a.py\n@@\n-x = 1\n+x = 3\n"
MOVE_B = "*** Update File: b.py\n*** Move to: lib/c.py\n@@\n-y = 1\n+y = 3\n"
PATCH = f"*** Begin Patch\n{UPDATE_A}{MOVE_B}*** Delete File: d.py\n*** Add File: e.py\n+z\n*** End Patch\n"
GIT = (
    "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 3\n"
    "diff --git a/d.py b/d.py\ndeleted file mode 100644\n--- a/d.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-d\n"
)


def planned(content: str, files: dict[str, bytes] | None = None, policy: Policy | None = None) -> Plan:
    return plan(document(edit("a.py", content)), MemoryTree(FILES if files is None else files), policy)


def rows(made: Plan) -> list[tuple[int, str, str, bytes | None, str]]:
    return [(change.number, change.operation, change.path, change.after, change.decision) for change in made.changes]


def test_each_file_of_a_patch_is_a_change() -> None:
    created = planned(PATCH)
    assert rows(created) == [
        (1, "replace", "a.py", b"x = 3\n", "auto"),
        (2, "create", "lib/c.py", b"y = 3\n", "ask"),
        (3, "delete", "b.py", None, "ask"),
        (4, "delete", "d.py", None, "ask"),
        (5, "create", "e.py", b"z\n", "auto"),
    ]
    assert [change.together for change in created.changes][:2] == [(2, 3, 4, 5), (1, 3, 4, 5)]
    assert Plan.from_dict(created.to_dict()) == created


def test_a_git_diff_of_several_files_is_split_too() -> None:
    assert [row[1:] for row in rows(planned(GIT))] == [
        ("replace", "a.py", b"x = 3\n", "auto"),
        ("delete", "d.py", None, "ask"),
    ]


@pytest.mark.parametrize("policy", [Policy(), Policy(deleting=Decision.AUTO)])
def test_a_move_or_a_deletion_by_a_patch_is_always_asked_about(policy: Policy) -> None:
    for content in (PATCH, "*** Begin Patch\n*** Delete File: d.py\n*** End Patch\n"):
        paths = {change.path for change in planned(content, policy=policy).changes if change.decision is Decision.ASK}
        assert {"d.py"} <= paths and not paths & {"a.py", "e.py"}


def test_what_declines_a_part_declines_the_patch(tmp_path: Path) -> None:
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    planned_changes = plan(document(edit("a.py", PATCH)), tmp_path)
    outcome = apply(planned_changes, tmp_path, confirm=lambda change: change.path != "d.py")
    assert {step.status for step in outcome.steps} == {"skipped"}
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == FILES
    assert apply(planned_changes, tmp_path, confirm=lambda change: True).done
    assert (tmp_path / "lib/c.py").read_bytes() == b"y = 3\n" and not (tmp_path / "d.py").exists()
    undo(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == FILES


def test_the_reasons_of_what_is_declined_with_a_patch_are_its_own(tmp_path: Path) -> None:
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    repeated_edit = edit("a.py", "<<<<<<< SEARCH\nx = 3\n=======\nx = 4\n>>>>>>> REPLACE")
    needing = Action("create", "z.py", "z", dependencies=("a.py",))
    planned_changes = plan(document(edit("a.py", GIT), repeated_edit, needing), tmp_path)
    without_needs = replace(
        planned_changes, changes=tuple([replace(item, needs=()) for item in planned_changes.changes[:3]])
    )
    reasons = [
        "it belongs to number 2 (d.py), which is not done",
        "not agreed to",
        "it needs number 1 (a.py), which is not done",
        "it needs number 3 (a.py), which is not done",
    ]
    earlier = "an earlier change of this file is not done"
    for request, expected in ((planned_changes, reasons), (without_needs, [*reasons[:2], earlier])):
        outcome = apply(request, tmp_path, confirm=lambda change: False)
        assert [step.reason for step in outcome.steps] == expected
        assert (tmp_path / "a.py").read_bytes() == FILES["a.py"]


@pytest.mark.parametrize(
    ("files", "content", "code"),
    [
        ({"a.py": b"x = 2\n"}, PATCH, "edit-does-not-fit"),
        ({"a.py": b"x = 1\n"}, f"{MOVE_B}", "missing-file"),
        ({**FILES, "lib/c.py": b"another\n"}, MOVE_B, "existing-file"),
        (FILES, MOVE_B.replace("b.py", "../b.py"), "unsafe-path"),
        (FILES, MOVE_B.replace("lib/c.py", "../c.py"), "unsafe-path"),
    ],
)
def test_a_part_that_cannot_be_done_refuses_all(files: dict[str, bytes], content: str, code: str) -> None:
    created = planned(f"*** Begin Patch\n{content}*** End Patch\n" if "Begin" not in content else content, files)
    assert not created.possible and code in {conflict.code for conflict in created.conflicts}


@pytest.mark.parametrize(
    "content",
    [
        "*** Begin Patch\n*** Update File: run.sh\n*** Move to: bin/run.sh\n@@\n-x\n+y\n*** End Patch\n",
        "diff --git a/run.sh b/bin/run.sh\nrename from run.sh\nrename to bin/run.sh\n@@ -1 +1 @@\n-x\n+y\n",
    ],
)
def test_a_file_is_moved_into_another_folder_with_its_rights(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.sh").write_bytes(b"x\n")
    (tmp_path / "run.sh").chmod(0o755)
    planned_changes = plan(document(edit("run.sh", content)), tmp_path)
    assert [row[1:4] for row in rows(planned_changes)] == [("create", "bin/run.sh", b"y\n"), ("delete", "run.sh", None)]
    assert apply(planned_changes, tmp_path, confirm=lambda change: True).done
    assert (tmp_path / "bin/run.sh").stat().st_mode & 0o777 == 0o755 and not (tmp_path / "run.sh").exists()
    undo(tmp_path)
    assert (tmp_path / "run.sh").stat().st_mode & 0o777 == 0o755 and not (tmp_path / "bin").exists()


def test_a_protected_file_is_not_read_by_moving_it() -> None:
    content = MOVE_B.replace("b.py", ".env").replace("y = 1", "SECRET=1")
    created = planned(f"*** Begin Patch\n{content}*** End Patch\n", {**FILES, ".env": b"SECRET=1\n"})
    assert not created.possible and {change.decision for change in created.changes} == {Decision.REFUSE}
    assert "SECRET" not in str([(single_change.before, single_change.after) for single_change in created.changes])


def test_an_attribute_of_a_reply_is_no_move() -> None:
    """Only the patch itself says what is moved."""
    text = "::create @b.py\n@from: a.py\n<<<\nx = 5\n>>>\n"
    planned_changes = plan(process(text, "v2_1").document, MemoryTree({"a.py": b"x = 1\n"}))
    assert [change.after for change in planned_changes.changes] == [b"x = 5\n"]


def test_warnings_are_those_of_all_its_actions() -> None:
    result = process(f"For example:\n\n::edit @a.py\n<<<\n{PATCH}>>>\n", "v2")
    [warning] = [diagnostic.message for diagnostic in result.diagnostics if diagnostic.code == "not-asked"]
    planned_changes = plan(result.document, MemoryTree(FILES))
    assert len(planned_changes.changes) == 5 and all(warning in change.reasons for change in planned_changes.changes)


# ---- files that a patch adds, and texts that have changed


def test_a_patch_may_add_the_file_that_it_edits() -> None:
    for content in (
        "<<<<<<< SEARCH\n=======\nz\n>>>>>>> REPLACE\n",
        "*** Begin Patch\n*** Add File: a.py\n+z\n*** End Patch\n",
    ):
        [change] = planned(content, {}).changes
        assert (change.operation, change.after, change.before) == (Operation.CREATE, b"z\n", None)
    for content in ("z\n", "@@\n-x\n+y\n"):
        assert [conflict.code for conflict in planned(content, {}).conflicts] == ["missing-file"]


@pytest.mark.parametrize(
    ("content", "is_asked"),
    [("x = 3\ny = 2\n", True), ("edit 1:1\nx = 3\nend_of_edit\n", True), ("@@\n-x = 1\n+x = 3\n", False)],
)
def test_what_quotes_nothing_is_asked_about_if_the_file_has_changed(content: str, is_asked: bool) -> None:
    tree = MemoryTree({"a.py": b"x = 1\ny = 2\n"})
    for output, has_changed in (("x = 1\ny = 2", False), (b"x = 1\r\ny = 2\r\n", False), ("x = 0\ny = 2\n", True)):
        [change] = plan(document(edit("a.py", content)), tree, shown={"a.py": output}).changes
        assert any("has changed since it was shown" in reason for reason in change.reasons) is (
            has_changed and is_asked
        )
    assert plan(document(edit("a.py", content)), tree, shown={"b.py": "z"}).possible


def test_readings_and_places_are_in_the_schema() -> None:
    properties = schema("plan")["$defs"]["change"]
    assert {"reading", "places", "together"} <= set(properties["properties"]) - set(properties["required"])
    [change] = planned("@@\n-x = 1\n+x = 3\n").changes
    assert (change.reading, change.places) == ("unified diff", (1,))
    data = change.to_dict()
    for name in ("reading", "places"):
        del data[name]
    assert Change.from_dict(data).reading == ""


def test_a_moved_file_keeps_its_rights_if_it_is_edited_again(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("x\ny\n")
    (tmp_path / "a.sh").chmod(0o755)
    move = "*** Begin Patch\n*** Update File: a.sh\n*** Move to: b.sh\n@@\n-x\n+z\n*** End Patch"
    again = "<<<<<<< SEARCH\ny\n=======\nw\n>>>>>>> REPLACE"
    apply(plan(document(edit("a.sh", move), edit("b.sh", again)), tmp_path), tmp_path, confirm=lambda _: True)
    assert (tmp_path / "b.sh").read_text() == "z\nw\n" and (tmp_path / "b.sh").stat().st_mode & 0o777 == 0o755


def test_a_longer_name_in_a_patch_is_another_file(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("a.py", "src/a.py", "src/b.py"):
        (tmp_path / name).write_text("x = 1\n")
    parts = [f"--- a/src/{name}\n+++ b/src/{name}\n@@ -1 +1 @@\n-x = 1\n+x = 2\n" for name in ("a.py", "b.py")]
    created = plan(document(edit("a.py", "".join(parts))), tmp_path)
    assert [change.path for change in created.changes] == ["src/a.py", "src/b.py"]
    (change,) = plan(document(edit("a.py", parts[0])), tmp_path).changes
    assert any("it names another file, src/a.py" in reason for reason in change.reasons), change


@pytest.mark.parametrize("header", ["old mode 100644\nnew mode 100755\n", "old mode 100755\nnew mode 100644\n"])
def test_a_diff_that_sets_the_mode_is_refused(header: str) -> None:
    first, _, _ = GIT.partition("diff --git a/d.py")
    setting = f"diff --git a/a.py b/a.py\n{header}--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    for diff in (setting, first + setting):
        created = planned(diff)
        assert created.changes == ()
        assert any("sets the mode of the file" in conflict.message for conflict in created.conflicts)


@pytest.mark.parametrize(
    "header",
    [
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+a.py\n",
        "diff --git a/l b/l\nnew file mode 160000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+Subproject commit 1\n",
        "diff --git a/a.py b/c.py\ncopy from a.py\ncopy to c.py\n--- a/a.py\n+++ b/c.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
    ],
)
def test_links_submodules_and_copies_are_refused(header: str) -> None:
    first, _, _ = GIT.partition("diff --git a/d.py")
    for diff in (header, first + header):
        made = planned(diff)
        assert made.changes == ()
        assert any("a copy, a link or a submodule" in conflict.message for conflict in made.conflicts)
