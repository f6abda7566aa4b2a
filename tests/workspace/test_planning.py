"""Planning: order, conflicts, what an action means on what is there; and that it only looks."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
from command_line import run as symops
from hostile import ASKED, HARMLESS, PROTECTED, REFUSED
from hypothesis import given
from hypothesis import strategies as st
from strategies import documents_of_any_dialect
from trees import MemoryTree, assert_below, create, delete, document, edit, run

from symops_lark import Action, Diagnostic, Document, Plan, Policy, Severity, Source, parse, plan
from symops_lark.workspace.changes import Decision, Entry, Kind, Operation, Tree
from symops_lark.workspace.order import sort_numbers
from symops_lark.workspace.view import FolderView

TREE = MemoryTree({"a.py": b"x = 1\n", "src/b.py": b"y = 1\r\n", "src/logo.png": b"\x89PNG\0"})


def numbers(made: Plan) -> list[int]:
    return [change.number for change in made.changes]


def codes(made: Plan) -> list[str]:
    return [finding.code for finding in made.conflicts]


# ---- what an action means


def test_creating_editing_deleting() -> None:
    made = plan(document(create("c.py", "z"), edit("src/b.py", "y = 2"), delete("a.py"), run("ls")), TREE)
    assert made.possible and not made.notes
    assert [(c.operation, c.path, c.before, c.after, c.mode) for c in made.changes] == [
        (Operation.CREATE, "c.py", None, b"z\n", None),
        (Operation.REPLACE, "src/b.py", b"y = 1\r\n", b"y = 2\r\n", 0o644),
        (Operation.DELETE, "a.py", b"x = 1\n", None, 0o644),
        (Operation.RUN, "ls", None, None, None),
    ]


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
        (edit("src/logo.png", "x"), "edit-does-not-fit", "no UTF-8 text"),
        (create("src/logo.png"), "existing-file", "exists"),
        (Action("create", "c.py"), "missing-content", "no content block"),
        (Action("rename", "a.py"), "unknown-verb", "'rename'"),
        (create("c.py", "\ud800"), "edit-does-not-fit", "cannot carry"),
        (create("../c.py"), "unsafe-path", "is not used as a path"),
        (edit("a.py", "@@ -1 +1 @@\n-x = 2\n+x = 3\n"), "edit-does-not-fit", "a.py: hunk 1"),
    ],
)
def test_conflicts(action: Action, code: str, words: str) -> None:
    made = plan(document(create("new.py"), action), TREE)
    assert codes(made) == [code] and numbers(made) == [1] and not made.possible
    assert words in made.conflicts[0].message and made.conflicts[0].severity is Severity.ERROR


def test_findings_stand_where_the_action_stands() -> None:
    text = ">> go\n\n::delete @nowhere.py\n"
    (finding,) = plan(parse(text, "v2"), TREE).conflicts
    assert finding.draw(Source(text, "r")).startswith("r:3:1: error: nowhere.py does not exist")


@pytest.mark.parametrize(
    "action", [create("a.py", "x = 1"), create("a.py", "x = 1\n"), edit("a.py", "x = 1"), create("src/b.py", "y = 1\n")]
)
def test_nothing_to_do_is_a_note(action: Action) -> None:
    made = plan(document(action), TREE)
    assert made.changes == () and made.possible and [note.code for note in made.notes] == ["nothing-to-do"]


def test_unreadable_file_is_a_conflict() -> None:
    class Blind(MemoryTree):
        def look(self, path: str) -> Entry:
            return Entry(Kind.FILE, None, 0o600)

    assert codes(plan(document(edit("a.py", "x"), delete("b.py")), Blind())) == ["unreadable-file"] * 2


# ---- the same file more than once


def test_edits_follow_what_stands_before() -> None:
    made = plan(
        document(
            create("c.py", "one\n"),
            edit("c.py", "@@ -1 +1,2 @@\n one\n+two\n"),
            edit("./c.py", "<<<<<<< SEARCH\ntwo\n=======\nthree\n>>>>>>> REPLACE"),
        ),
        TREE,
    )
    assert [(c.operation, c.before, c.after, c.needs) for c in made.changes] == [
        (Operation.CREATE, None, b"one\n", ()),
        (Operation.REPLACE, b"one\n", b"one\ntwo\n", (1,)),
        (Operation.REPLACE, b"one\ntwo\n", b"one\nthree\n", (2,)),
    ]
    assert made.possible and {c.decision for c in made.changes} == {Decision.AUTO}
    whole = plan(document(create("c.py", "one\n"), edit("c.py", "two\n")), TREE)
    assert whole.changes[1].decision is Decision.ASK and "action 1 left" in whole.changes[1].reasons[0]


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
        made = plan(document(create(lead + path), edit(lead + "HEAD", "x")), tree)
        assert set(codes(made)) == {"repository-itself"} and not made.changes
    assert plan(document(edit("x", "y")), tree).possible is bool(lead)
    assert plan(document(create(lead + "config")), MemoryTree({lead + inside[0]: b"", lead + "refs/x": b""})).possible


def test_one_finding_for_a_broken_file() -> None:
    assert codes(plan(document(create("a.py"), edit("a.py", "x"), delete("a.py")), TREE)) == ["existing-file"]


def test_a_path_is_no_file_and_folder() -> None:
    assert codes(plan(document(create("c"), create("c/d.py")), TREE)) == ["file-and-folder"]
    assert codes(plan(document(create("c/d.py"), create("c")), TREE)) == ["file-and-folder"]


# ---- order


def test_dependencies_come_first_and_the_rest_stays() -> None:
    made = plan(
        document(
            create("1.py", dependencies=("4.py", "a.py")),
            create("2.py"),
            run("ls"),
            create("4.py"),
            create("5.py", dependencies=("./2.py",)),
        ),
        TREE,
    )
    assert numbers(made) == [2, 4, 1, 3, 5] and made.possible
    assert {c.number: c.needs for c in made.changes} == {1: (4,), 2: (), 3: (1, 2), 4: (), 5: (2,)}


def test_commands_come_behind_the_files_before_them() -> None:
    made = plan(document(create("1"), run("a"), create("3"), run("b"), run("c"), create("6")), TREE)
    assert numbers(made) == [1, 2, 3, 4, 5, 6]
    assert [c.needs for c in made.changes] == [(), (1,), (), (2, 3), (4,), ()]


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
    made = plan(document(*actions, create("z")), TREE)
    assert codes(made) == ["circular-dependency"] and made.conflicts[0].message.endswith(shown)
    assert sorted(numbers(made)) == list(range(1, len(actions) + 2))


def test_dangling_dependencies_are_noted() -> None:
    made = plan(document(create("c", dependencies=("src/b.py", "no.py", "../x", ".env", "src"))), TREE)
    assert made.possible and [note.code for note in made.notes] == ["dangling-dependency"] * 3
    assert {note.severity for note in made.notes} == {Severity.WARNING}


@given(st.dictionaries(st.integers(0, 12), st.sets(st.integers(0, 12), max_size=4), max_size=12))
def test_sorting_respects_needs(given_needs: dict[int, set[int]]) -> None:
    needs = {number: tuple(other for other in before if other in given_needs) for number, before in given_needs.items()}
    order, circle = sort_numbers(needs)
    assert sorted(order) == sorted(needs)
    if circle:
        assert all(second in needs[first] for first, second in zip(circle, (*circle[1:], circle[0]), strict=True))
    else:
        assert all(order.index(other) < order.index(number) for number in needs for other in needs[number])


# ---- laws


class Witness:
    """A tree that passes questions on, and holds them against the law."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def look(self, path: str) -> Entry:
        assert_below(path)
        return self.tree.look(path)

    def names(self, path: str) -> tuple[str, ...]:
        assert not path or assert_below(path) is None
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
    made = plan(said, Witness(tree), policy)
    assert made == plan(said, Witness(tree), policy), "the same input gives the same plan"
    assert tree.entries == before
    done: set[int] = set()
    for change in made.changes:
        if change.operation is not Operation.RUN:
            assert_below(change.path)
            assert not change.path.startswith("link")
            assert (change.before is None) == (change.operation is Operation.CREATE)
            assert (change.after is None) == (change.operation is Operation.DELETE)
        if "circular-dependency" not in codes(made):
            assert done.issuperset(change.needs)
        done.add(change.number)
        assert (change.decision is Decision.AUTO) == (not change.reasons)
    assert json.loads(json.dumps(made.to_dict()))["possible"] is made.possible
    for finding in (*made.conflicts, *made.notes):
        assert Diagnostic.from_dict(finding.to_dict()) == finding


@given(st.lists(_ACTIONS, max_size=6))
def test_planning_is_pure_and_stays_below_the_root(actions: list[Action]) -> None:
    law(Document(tuple(actions), "v2"))


@given(documents_of_any_dialect())
def test_any_document_can_be_planned(said: Document) -> None:
    law(said)


# ---- a real folder


def fingerprint(folder: Path) -> dict[str, tuple[int, str]]:
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mtime_ns,
            hashlib.sha256(path.read_bytes() if path.is_file() and not path.is_symlink() else b"").hexdigest(),
        )
        for path in folder.rglob("*")
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("SECRET\n")
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "a.py").write_bytes(b"x = 1\n")
    (root / "a.py").chmod(0o755)
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "src" / "secret.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (root / "dangling").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    return root


def test_view_tells_what_is_there(folder: Path) -> None:
    view = FolderView(folder)
    assert view.look("a.py") == Entry(Kind.FILE, b"x = 1\n", 0o755)
    kinds = {
        "src": "folder",
        "link": "link",
        "link/secret.txt": "link",
        "src/secret.txt": "link",
        "dangling": "link",
        "pipe": "other",
        "no": "missing",
        "no/x": "missing",
        "a.py/x": "missing",
        "x" * 300: "other",
    }
    assert {path: str(view.look(path).kind) for path in kinds} == kinds
    assert all(view.look(path).data is None for path in kinds)
    assert view.names("") == ("a.py", "dangling", "link", "pipe", "src") and view.names("src") == ("secret.txt",)
    assert view.names("link") == view.names("no") == view.names("a.py") == ()
    assert FolderView(folder, max_bytes=3).look("a.py") == Entry(Kind.FILE, None, 0o755)
    for path in ("", "..", "../outside", "/etc/passwd", "a//b", "./a", "a/../b", "a\0b"):
        with pytest.raises(ValueError, match="not a path below a root"):
            view.look(path)


def test_view_without_handles_tells_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = ["a.py", "src", "link", "link/secret.txt", "src/secret.txt", "pipe", "no/x", "a.py/x"]
    expected = [FolderView(folder).look(path) for path in paths], FolderView(folder).names("src")
    monkeypatch.setattr("symops_lark.workspace.view._BY_HANDLE", False)
    assert ([FolderView(folder).look(path) for path in paths], FolderView(folder).names("src")) == expected


def test_links_of_a_real_folder_are_not_followed(folder: Path) -> None:
    before = fingerprint(folder.parent)
    for path in ("link/secret.txt", "src/secret.txt", "link/new.txt", "dangling", "link"):
        for action in (create(path), edit(path, "x"), delete(path)):
            made = plan(document(action), FolderView(folder))
            assert codes(made) == ["link-on-the-way"] and not made.changes
            assert "SECRET" not in json.dumps(made.to_dict())
    assert fingerprint(folder.parent) == before


# ---- the command

REPLY = "::create @b.py >a.py\n<<<\ny = 1\n>>>\n\n::edit @a.py\n<<<\nx = 2\n>>>\n\n::run @pytest -q\n"


def test_command_shows_the_plan_and_changes_nothing(folder: Path) -> None:
    before = fingerprint(folder.parent)
    shown = symops("plan", "--root", str(folder), stdin=REPLY)
    assert shown.exit_code == 0, shown.output
    for part in (
        "<stdin>: possible, 2 by itself, 1 to ask about",
        "1. replace a.py: auto (action 2)",
        "-x = 1",
        "+x = 2",
        "2. create b.py: auto (action 1, after action 2)",
        "--- nothing",
        "3. run pytest -q: ask",
        "ask       a command is run",
    ):
        assert part in shown.stdout
    assert fingerprint(folder.parent) == before and "\x1b" not in shown.stdout


def test_command_draws_conflicts(folder: Path) -> None:
    reply = "::delete @nowhere.py\n::create @../x\n<<<\n>>>\n::edit @link/secret.txt\n<<<\nx\n>>>\n::delete @.env\n"
    shown = symops("plan", "--root", str(folder), stdin=reply)
    assert shown.exit_code == 1
    for part in (
        "not possible, 1 refused, 3 conflicts",
        "<stdin>:1:1: error: nowhere.py does not exist",
        "[unsafe-path]",
        "[link-on-the-way]",
        "| ^^^^",
        "delete .env: refuse",
        "hint: ",
    ):
        assert part in shown.stdout
    allowed = symops("plan", "--root", str(folder), "--allow", ".env", stdin="::create @.env\n<<<\nK=1\n>>>\n")
    assert allowed.exit_code == 0 and "1 by itself" in allowed.stdout


def test_command_as_json_and_from_json(folder: Path) -> None:
    made = json.loads(symops("plan", "--root", str(folder), "--json", stdin=REPLY).stdout)
    assert made == plan(parse(REPLY, "v2"), FolderView(folder)).to_dict()
    again = symops("plan", "--root", str(folder), "--json", stdin=json.dumps(parse(REPLY, "v2").to_dict()))
    assert json.loads(again.stdout) == made
    run_alone = symops("plan", "--root", str(folder), "--allow-command", "pytest*", stdin=REPLY)
    assert "3. run pytest -q: auto" in run_alone.stdout


def test_command_tells_what_is_doubtful_about_the_reading(folder: Path) -> None:
    shown = symops("plan", "--root", str(folder), stdin="::create @b.py\n<<<\ny\n>>>\n::create\n")
    assert "[early-close]" in shown.stdout


def test_command_with_wrong_arguments(folder: Path) -> None:
    assert symops("plan", "--root", str(folder / "no"), stdin=REPLY).exit_code == 2
    assert symops("plan", "--root", str(folder / "a.py"), stdin=REPLY).exit_code == 2
    assert symops("plan", "no-such-file.txt").exit_code == 2
    assert symops("plan", "--root", str(folder), stdin="Hello there.\n").exit_code == 1


def test_command_shows_hidden_characters_and_odd_files(folder: Path) -> None:
    (folder / "old.bin").write_bytes(b"\xff\x00")
    reply = (
        "::create @x.py\n<<<\nif x:\u202e\x1b[2J\n>>>\n::create @y.py\n<<<\n>>>\n::delete @old.bin\n"
        "::edit @a.py\n<<<\n@@ -1 +1 @@\n-x = 1\n+x = 2\n\\ No newline at end of file\n>>>\n"
    )
    shown = symops("plan", "--root", str(folder), stdin=reply).stdout
    assert "\u202e" not in shown and "\x1b" not in shown and "an empty file" in shown
    assert "3. delete old.bin" in shown and "2 bytes, which are no text" in shown
    assert "\\ No newline at end of file" in shown
