"""Planning: order, conflicts, what an action means on what is there; and that it only looks."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hostile import ASKED, HARMLESS, PROTECTED, REFUSED
from hypothesis import given
from hypothesis import strategies as st
from strategies import documents_of_any_dialect
from trees import MemoryTree, assert_below, create, delete, document, edit, run

from symops_lark import (
    Action,
    Diagnostic,
    Document,
    Plan,
    Policy,
    Severity,
    Source,
    UnsafeActionError,
    apply,
    parse,
    plan,
)
from symops_lark.acting.changes import Decision, Operation
from symops_lark.acting.files.entries import Entry, Kind, Tree
from symops_lark.acting.plan.order import sort_numbers

TREE = MemoryTree({"a.py": b"x = 1\n", "src/b.py": b"y = 1\r\n", "src/logo.png": b"\x89PNG\0"})


def numbers(made: Plan) -> list[int]:
    return [change.number for change in made.changes]


def codes(made: Plan) -> list[str]:
    return [finding.code for finding in made.conflicts]


# ---- what an action means


def test_creating_editing_deleting() -> None:
    planned_changes = plan(document(create("c.py", "z"), edit("src/b.py", "y = 2"), delete("a.py"), run("ls")), TREE)
    assert planned_changes.possible and not planned_changes.notes
    assert [(c.operation, c.path, c.before, c.after, c.mode) for c in planned_changes.changes] == [
        (Operation.CREATE, "c.py", None, b"z\n", None),
        (Operation.REPLACE, "src/b.py", b"y = 1\r\n", b"y = 2\r\n", 0o644),
        (Operation.DELETE, "a.py", b"x = 1\n", None, 0o644),
        (Operation.RUN, "ls", None, None, None),
    ]


def test_a_plan_says_the_state_before_and_after() -> None:
    planned_changes = plan(document(create("c.py", "z"), edit("a.py", "x = 2"), edit("a.py", "x = 3"), run("ls")), TREE)
    hashes = {text: sha256(text).hexdigest() for text in (b"x = 1\n", b"x = 3\n", b"z\n")}
    assert planned_changes.digests() == {"c.py": ("", hashes[b"z\n"]), "a.py": (hashes[b"x = 1\n"], hashes[b"x = 3\n"])}
    assert plan(document(delete("a.py")), TREE).digests() == {"a.py": (hashes[b"x = 1\n"], "")}


@pytest.mark.parametrize(
    ("action", "code", "words"),
    [
        (create("a.py"), "existing-file", "exists already"),
        (edit("c.py", "x"), "missing-file", "nothing to edit"),
        (delete("c.py"), "missing-file", "nothing to delete"),
        (delete("src"), "folder-as-file", "is a folder"),
        (edit("src", "x"), "folder-as-file", "is a folder"),
        (create("src"), "folder-as-file", "is a folder"),
        (create("a.py/b.py"), "file-in-the-way", "needs a folder a.py"),
        (edit("src/b.pyy", "x"), "missing-file", "there is src/b.py"),
        (edit("src/logo.png", "x"), "edit-does-not-fit", "not UTF-8 text"),
        (create("src/logo.png"), "existing-file", "exists"),
        (Action("create", "c.py"), "missing-content", "no content block"),
        (Action("rename", "a.py"), "unknown-verb", "'rename'"),
        (create("c.py", "\ud800"), "edit-does-not-fit", "cannot carry"),
        (create("../c.py"), "unsafe-path", "is not used as a path"),
        (edit("a.py", "@@ -1 +1 @@\n-x = 2\n+x = 3\n"), "edit-does-not-fit", "a.py: edit 1 does not fit"),
    ],
)
def test_conflicts(action: Action, code: str, words: str) -> None:
    planned_changes = plan(document(create("new.py"), action), TREE)
    assert codes(planned_changes) == [code] and numbers(planned_changes) == [1] and not planned_changes.possible
    assert words in planned_changes.conflicts[0].message and planned_changes.conflicts[0].severity is Severity.ERROR


def test_findings_stand_where_the_action_stands() -> None:
    text = ">> go\n\n::delete @nowhere.py\n"
    (finding,) = plan(parse(text, "v2"), TREE).conflicts
    assert finding.draw(Source(text, "r")).startswith("r:3:1: error: nowhere.py does not exist")


@pytest.mark.parametrize(
    "action", [create("a.py", "x = 1"), create("a.py", "x = 1\n"), edit("a.py", "x = 1"), create("src/b.py", "y = 1\n")]
)
def test_nothing_to_do_is_a_note(action: Action) -> None:
    planned_changes = plan(document(action), TREE)
    assert (
        planned_changes.changes == ()
        and planned_changes.possible
        and [note.code for note in planned_changes.notes] == ["nothing-to-do"]
    )


def test_unreadable_file_is_a_conflict() -> None:
    class Blind(MemoryTree):
        def look(self, path: str) -> Entry:
            return Entry(Kind.FILE, None, 0o600)

    assert codes(plan(document(edit("a.py", "x"), delete("b.py")), Blind())) == ["unreadable-file"] * 2


# ---- the same file more than once


def test_edits_follow_what_stands_before() -> None:
    planned_changes = plan(
        document(
            create("c.py", "one\n"),
            edit("c.py", "@@ -1 +1,2 @@\n one\n+two\n"),
            edit("./c.py", "<<<<<<< SEARCH\ntwo\n=======\nthree\n>>>>>>> REPLACE"),
        ),
        TREE,
    )
    assert [(c.operation, c.before, c.after, c.needs) for c in planned_changes.changes] == [
        (Operation.CREATE, None, b"one\n", ()),
        (Operation.REPLACE, b"one\n", b"one\ntwo\n", (1,)),
        (Operation.REPLACE, b"one\ntwo\n", b"one\nthree\n", (2,)),
    ]
    assert planned_changes.possible and {c.decision for c in planned_changes.changes} == {Decision.AUTO}
    whole_planned_changes = plan(document(create("c.py", "one\n"), edit("c.py", "two\n")), TREE)
    assert (
        whole_planned_changes.changes[1].decision is Decision.ASK
        and "action 1 left" in whole_planned_changes.changes[1].reasons[0]
    )


@pytest.mark.parametrize(
    "actions",
    [
        [create("c.py"), create("c.py")],
        [create("c.py"), create("./c.py", "y")],
        [delete("a.py"), delete("a.py")],
        [delete("a.py"), create("a.py")],
        [delete("a.py"), edit("a.py", "x")],
        [edit("a.py", "y"), delete("a.py")],
        [create("c.py"), delete("c.py")],
    ],
)
def test_a_file_has_one_fate(actions: list[Action]) -> None:
    assert codes(plan(document(*actions), TREE)) == ["duplicate-target"]


@pytest.mark.parametrize(
    "inside", [["HEAD", "objects/x", "refs/x"], ["head", "Objects/x", "REFS/x"], ["HEAD", "commondir"]]
)
@pytest.mark.parametrize("lead", ["", "bare/", "a/b/"])
def test_repositories_themselves_are_left_alone(inside: list[str], lead: str) -> None:
    """Their hooks and their configuration are run by the next who calls Git there."""
    tree = MemoryTree({"x": b"x", **{lead + path: b"" for path in inside}})
    for path in ("config", "hooks/post-receive", "new/hooks/x"):
        planned_changes = plan(document(create(lead + path), edit(lead + "HEAD", "x")), tree)
        assert set(codes(planned_changes)) == {"repository-itself"} and not planned_changes.changes
    assert plan(document(edit("x", "y")), tree).possible is bool(lead)
    assert plan(document(create(lead + "config")), MemoryTree({lead + inside[0]: b"", lead + "refs/x": b""})).possible


@pytest.mark.parametrize("name", [".git/hooks", ".GIT", "a/.symops/1", ".hg/store"])
def test_a_root_inside_of_what_version_control_keeps_is_left_alone(tmp_path: Path, name: str) -> None:
    root = tmp_path / name
    root.mkdir(parents=True)
    (tmp_path / "link").symlink_to(root)
    # A plan that was made for another folder is refused, too.
    outside = plan(document(create("update")), tmp_path)
    for folder in (root, tmp_path / "link"):
        assert codes(plan(document(create("update")), folder)) == ["repository-itself"]
        with pytest.raises(UnsafeActionError, match="keeps for itself"):
            apply(outside, folder, confirm=lambda change: True)
    assert not (root / "update").exists()


def test_one_finding_for_a_broken_file() -> None:
    assert codes(plan(document(create("a.py"), edit("a.py", "x"), delete("a.py")), TREE)) == ["existing-file"]


def test_a_path_is_no_file_and_folder() -> None:
    assert codes(plan(document(create("c"), create("c/d.py")), TREE)) == ["file-and-folder"]
    assert codes(plan(document(create("c/d.py"), create("c")), TREE)) == ["file-and-folder"]
    assert codes(plan(document(delete("a.py"), create("a.py/x"), create("a.py")), TREE)) == ["file-and-folder"]


FOLDER = MemoryTree({"f/x": b"x", "f/g/y": b"y", "f/g/z": b"z", "h": b"h"}, folders=["empty"])


@pytest.mark.parametrize(
    "actions",
    [
        (delete("h"), create("h/a.py")),
        (delete("h"), create("h/b/c.py"), create("h/a.py")),
        (delete("f/x"), delete("f/g/y"), delete("f/g/z"), create("f")),
        (delete("f/g/z"), delete("f/g/y"), create("f/g")),
        (delete("f/g/z"), delete("f/g/y"), create("f/g"), edit("f/x", "X")),
        (delete("f/x"), delete("f/g/y"), delete("f/g/z"), delete("h"), create("f"), create("h/f")),
    ],
)
def test_what_is_deleted_makes_room(actions: tuple[Action, ...]) -> None:
    """A folder for a file, a file for a folder that nothing is left in; whatever the order, deletions come first."""
    planned_changes = plan(document(*actions), FOLDER)
    assert planned_changes.possible and [change.action for change in planned_changes.changes] == list(actions)
    deletions = {change.number for change in planned_changes.changes if change.operation is Operation.DELETE}
    for change in planned_changes.changes:
        if change.operation is Operation.CREATE:
            assert change.needs and set(change.needs) <= deletions


@pytest.mark.parametrize(
    ("actions", "code"),
    [
        ((create("h/a.py"), delete("h")), "file-in-the-way"),
        ((edit("h", "x"), create("h/a.py")), "file-in-the-way"),
        ((delete("h"), create("h")), "duplicate-target"),
        ((delete("h"), edit("h/a.py", "x")), "missing-file"),
        ((delete("h"), create("h/x"), delete("h/x")), "duplicate-target"),
        ((delete("f/x"), create("f")), "folder-as-file"),
        ((delete("f/g/y"), create("f/g")), "folder-as-file"),
        ((create("f"), delete("f/x"), delete("f/g/y"), delete("f/g/z")), "folder-as-file"),
        ((create("empty"),), "folder-as-file"),
        ((delete("h"), create("H/x")), "name-clash"),
    ],
)
def test_what_is_not_deleted_makes_no_room(actions: tuple[Action, ...], code: str) -> None:
    assert codes(plan(document(*actions), FOLDER)) == [code]


def test_a_protected_file_keeps_its_folder() -> None:
    planned_changes = plan(document(delete("f/.env"), create("f")), MemoryTree({"f/.env": b""}))
    assert codes(planned_changes) == ["folder-as-file"] and not planned_changes.possible


def test_read_only_files_are_asked_about() -> None:
    tree = MemoryTree({"a": b"a\n", "b": b"b\n"})
    tree.entries["a"] = replace(tree.entries["a"], mode=0o444)
    policy = Policy(deleting=Decision.AUTO)
    for action in (edit("a", "x\n"), delete("a")):
        (change,) = plan(document(action), tree, policy).changes
        assert change.decision is Decision.ASK and any("read-only" in reason for reason in change.reasons)
    for action in (edit("b", "b\nx\n"), delete("b"), create("c")):
        (change,) = plan(document(action), tree, policy).changes
        assert change.decision is Decision.AUTO


# ---- order


def test_dependencies_come_first_and_the_rest_stays() -> None:
    planned_changes = plan(
        document(
            create("1.py", dependencies=("4.py", "a.py")),
            create("2.py"),
            run("ls"),
            create("4.py"),
            create("5.py", dependencies=("./2.py",)),
        ),
        TREE,
    )
    assert numbers(planned_changes) == [2, 4, 1, 3, 5] and planned_changes.possible
    assert {c.number: c.needs for c in planned_changes.changes} == {1: (4,), 2: (), 3: (1, 2), 4: (), 5: (2,)}


def test_commands_come_behind_the_files_before_them() -> None:
    planned_changes = plan(document(create("1"), run("a"), create("3"), run("b"), run("c"), create("6")), TREE)
    assert numbers(planned_changes) == [1, 2, 3, 4, 5, 6]
    assert [c.needs for c in planned_changes.changes] == [(), (1,), (), (2, 3), (4,), ()]


@pytest.mark.parametrize(
    ("actions", "shown"),
    [
        ([create("1", dependencies=("2",)), create("2", dependencies=("1",))], "1 → 2 → 1"),
        ([create("1", dependencies=("1",))], "1 → 1"),
        (
            [
                create("0"),
                create("1", dependencies=("0", "3")),
                create("2", dependencies=("1",)),
                create("3", dependencies=("2",)),
            ],
            "1 → 3 → 2 → 1",
        ),
        (
            [create("1", dependencies=("2",)), create("2"), edit("2", "@@ -1 +1 @@\n-x\n+y", dependencies=("1",))],
            "1 → 2 → 1",
        ),
    ],
)
def test_circles_are_shown(actions: list[Action], shown: str) -> None:
    planned_changes = plan(document(*actions, create("z")), TREE)
    assert codes(planned_changes) == ["circular-dependency"] and planned_changes.conflicts[0].message.endswith(shown)
    assert sorted(numbers(planned_changes)) == list(range(1, len(actions) + 2))


def test_dangling_dependencies_are_noted() -> None:
    planned_changes = plan(document(create("c", dependencies=("src/b.py", "no.py", "../x", ".env", "src"))), TREE)
    assert planned_changes.possible and [note.code for note in planned_changes.notes] == ["dangling-dependency"] * 3
    assert {note.severity for note in planned_changes.notes} == {Severity.WARNING}


@given(st.dictionaries(st.integers(0, 12), st.sets(st.integers(0, 12), max_size=4), max_size=12))
def test_sorting_respects_needs(given_needs: dict[int, set[int]]) -> None:
    needs = {number: tuple(item for item in before if item in given_needs) for number, before in given_needs.items()}
    order, circle = sort_numbers(needs)
    assert sorted(order) == sorted(needs)
    if circle:
        assert all(second in needs[first] for first, second in zip(circle, (*circle[1:], circle[0]), strict=True))
    else:
        assert all(order.index(element) < order.index(number) for number in needs for element in needs[number])


# ---- laws


class Witness:
    """A tree that passes questions on, and holds them against the law."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def look(self, path: str) -> Entry:
        assert_below(path)
        return self.tree.look(path)

    def names(self, path: str) -> tuple[str, ...]:
        if path:
            assert_below(path)
        return self.tree.names(path)


_PATHS = sorted(
    {path for group in (*REFUSED.values(), *ASKED.values(), PROTECTED, HARMLESS) for path in group if len(path) < 60}
    | {"a.py", "src/b.py", "src", "link", "link/x", "A.py"}
)
_ACTIONS = st.builds(
    Action,
    st.sampled_from(["create", "edit", "update", "delete", "remove", "run", "mv"]),
    st.sampled_from(_PATHS) | st.sampled_from(["a.py", "src/b.py", "c.py", "./c.py"]),
    st.none() | st.sampled_from(["", "x", "@@ -1 +1 @@\n-x = 1\n+x = 2", "x = 1"]),
    st.lists(st.sampled_from([*_PATHS, "a.py", "c.py"]), max_size=2).map(tuple),
)


def law(said: Document) -> None:
    tree = MemoryTree(dict(TREE.files), links=["link"])
    before = dict(tree.entries)
    policy = Policy(allow=("**",), auto_commands=("*",))
    planned_changes = plan(said, Witness(tree), policy)
    assert planned_changes == plan(said, Witness(tree), policy), "the same input gives the same plan"
    assert tree.entries == before
    done: set[int] = set()
    for change in planned_changes.changes:
        if change.operation is not Operation.RUN:
            assert_below(change.path)
            assert not change.path.startswith("link")
            assert (change.before is None) == (change.operation is Operation.CREATE)
            assert (change.after is None) == (change.operation is Operation.DELETE)
        if "circular-dependency" not in codes(planned_changes):
            assert done.issuperset(change.needs)
        done.add(change.number)
        assert (change.decision is Decision.AUTO) == (not change.reasons)
    assert json.loads(json.dumps(planned_changes.to_dict()))["possible"] is planned_changes.possible
    for finding in (*planned_changes.conflicts, *planned_changes.notes):
        assert Diagnostic.from_dict(finding.to_dict()) == finding


@given(st.lists(_ACTIONS, max_size=6))
def test_planning_is_pure_and_stays_below_the_root(actions: list[Action]) -> None:
    law(Document(tuple(actions), "v2"))


@given(documents_of_any_dialect())
def test_any_document_can_be_planned(said: Document) -> None:
    law(said)
