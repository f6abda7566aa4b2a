"""From hostile documents to a real folder: whatever is asked for and answered yes to, nothing outside of it changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from crashes import read_tree, write_tree
from hostile import ASKED, PROTECTED, REFUSED
from hypothesis import given, settings
from hypothesis import strategies as st

from symops_lark import Action, Document, Policy, WorkspaceError, apply, plan, undo
from symops_lark.acting.files.filesystem import Folder

HOSTILE = [path for group in (*REFUSED.values(), *ASKED.values(), PROTECTED) for path in group]


def act(root: Path, document: Document, policy: Policy | None = None) -> bool:
    """Plan and carry out, with yes to every question; tell whether anything was done."""
    with Folder(root) as folder:
        planned_changes = plan(document, folder, policy or Policy())
    try:
        return apply(planned_changes, root, confirm=lambda change: True).done
    except WorkspaceError:
        return False


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "house" / "root"
    write_tree(root, {"a": b"A", "sub/b": b"B"})
    write_tree(tmp_path / "house", {"outside": b"O", "etc/passwd": b"P"})
    (root / "out").symlink_to(tmp_path / "house")
    (root / "leaf").symlink_to(tmp_path / "house" / "outside")
    return root


def outside(root: Path) -> dict[str, bytes]:
    house = root.parent
    return {str(path): path.read_bytes() for path in house.rglob("*") if path.is_file() and root not in path.parents}


@pytest.mark.slow
def test_hostile_paths_do_nothing_outside_the_root(root: Path) -> None:
    """All of them, by every verb that touches files; the allowances of a careless user included."""
    assert len(HOSTILE) >= 200
    before = outside(root)
    careless = Policy(auto_from=0.0, ask_from=0.0, allow=("*", "**"))
    for path in [*HOSTILE, "out/x", "out/outside", "leaf", "out/root/a", "sub/../../outside"]:
        for verb, content in (("create", "evil"), ("edit", "evil"), ("delete", None)):
            document = Document((Action(verb, path, content),))
            act(root, document)
            act(root, document, careless)
    assert outside(root) == before
    assert (root / "out").is_symlink() and (root / "leaf").is_symlink()


@pytest.mark.parametrize(
    ("actions", "after"),
    [
        ((Action("delete", "a"), Action("create", "a/b.py", "B\n")), {"a/b.py": b"B\n", "sub/b": b"B"}),
        ((Action("delete", "sub/b"), Action("create", "sub", "S\n")), {"a": b"A", "sub": b"S\n"}),
    ],
)
def test_what_is_deleted_makes_room_and_comes_back(
    root: Path, actions: tuple[Action, ...], after: dict[str, bytes]
) -> None:
    (root / "sub").chmod(0o750)
    before = read_tree(root)
    assert act(root, Document(actions))
    files = (
        path for path in root.rglob("*") if path.is_file() and not path.is_symlink() and ".symops" not in path.parts
    )
    assert {str(path.relative_to(root)): path.read_bytes() for path in files} == after
    undo(root)
    assert read_tree(root) == before


PARTS = st.sampled_from(["a", "sub", "b", "..", ".", "", "out", "leaf", ".git", "CON", "x.py", "~", "/", "\\", "C:"])
TREES = st.lists(st.lists(PARTS, min_size=1, max_size=4).map("/".join), min_size=1, max_size=5)
VERBS = st.sampled_from(["create", "edit", "delete", "update", "remove"])


@pytest.mark.slow
@settings(max_examples=40)
@given(paths=TREES, verbs=st.lists(VERBS, min_size=5, max_size=5), content=st.sampled_from(["x", "y\n", "", None]))
def test_whatever_is_applied_is_undone(
    tmp_path_factory: pytest.TempPathFactory, paths: list[str], verbs: list[str], content: str | None
) -> None:
    """A law: undo(apply(x)) is the identity on the tree, and nothing outside of it changes."""
    root = tmp_path_factory.mktemp("house") / "root"
    write_tree(root, {"a": b"A", "sub/b": b"B"}, {"sub/b": 0o640})
    (root.parent / "outside").write_bytes(b"O")
    (root / "out").symlink_to(root.parent)
    before, around = read_tree(root), outside(root)
    actions = tuple(
        Action(verb, path, None if verb in ("delete", "remove") else content)
        for verb, path in zip(verbs, paths, strict=False)
    )
    if act(root, Document(actions)) and read_tree(root) != before:
        undo(root)
    assert read_tree(root) == before and outside(root) == around
