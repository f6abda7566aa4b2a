"""What the index sees of changes: all of them, at the next call, and nothing is read or asked twice for that."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from code_trees import write_tree
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.code_intelligence.index import Index, file_reading, walking, workers
from symops_lark.code_intelligence.tools import find_definitions, get_symbols, query, search_files, search_text

pytestmark = pytest.mark.usefixtures("own_cache")


def is_found(index: Index, symbol: str) -> bool:
    return bool(find_definitions.run(index, symbol)["items"])


NAMES = ("ant", "bee", "cat", "dog", "elk", "fox")
STEPS = st.lists(
    st.tuples(st.sampled_from(["write", "delete", "rename", "folder", "ignore"]), st.integers(0, 3), st.integers(0, 3)),
    max_size=8,
)
IGNORED = ("", "f1.py\n", "*.py\n!f2.py\n", "d0/\nf3.py\n")


@given(STEPS)
def test_every_change_is_seen_at_the_next_call(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    """An index that followed the changes, and one that was kept, say what one says that sees the folder first."""
    root = tmp_path_factory.mktemp("changing")
    place = root.parent / f"{root.name}.sqlite"
    index = Index.open(root, place)
    for number, (step, first, second) in enumerate(steps):
        path, target = root / f"d{first % 2}" / f"f{first}.py", root / f"d{second % 2}" / f"f{second}.py"
        if step == "write":
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"def name_{second}(): pass\n# {number}\n")
        elif step == "ignore":
            folder = path.parent if path.parent.exists() and first > 1 else root
            (folder / ".gitignore").write_text(IGNORED[second])
        elif step == "folder" and path.parent.exists():
            path.parent.rename(root / f"moved{number}")
        elif path.exists() and step == "rename":
            target.parent.mkdir(exist_ok=True)
            path.rename(target)
        elif path.exists() and step == "delete":
            path.unlink()
        fresh, opened = Index.open(root, Path(f"{place}{number}")), Index.open(root, place)
        for ask in (lambda i: get_symbols.run(i), lambda i: search_files.run(i, "*")):
            assert ask(index) == ask(fresh) == ask(opened)
        fresh.close()
        opened.close()
    index.close()


def test_what_ignore_files_say_is_kept_for_the_next_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Patterns are compiled for what is new alone: a name, or what other ignore files may say of it."""
    files = {".gitignore": "*.log\n", "a.py": "", "a.log": "", "one/b.log": "", "one/c.py": ""}
    root = write_tree(tmp_path / "tree", files)
    compiled: list[tuple[str, ...]] = []
    real = walking.compile_globs

    def note(lines: tuple[str, ...]) -> Any:
        compiled.append(lines)
        return real(lines)

    monkeypatch.setattr(walking, "compile_globs", note)
    steps: list[tuple[Callable[[], object], list[str], int]] = [
        (lambda: None, [".gitignore", "a.py", "one/c.py"], 6),
        (lambda: None, [".gitignore", "a.py", "one/c.py"], 0),
        (lambda: (root / "one" / "d.log").write_text(""), [".gitignore", "a.py", "one/c.py"], 1),
        (lambda: (root / ".gitignore").write_text("a.*\n"), [".gitignore", "one/b.log", "one/c.py", "one/d.log"], 7),
        (lambda: None, [".gitignore", "one/b.log", "one/c.py", "one/d.log"], 0),
    ]
    for change, expected, count in steps:
        change()
        compiled.clear()
        index = Index.open(root)
        assert [item["path"] for item in search_files.run(index, ".")["items"]] == expected
        assert len(compiled) == count
        index.close()


@pytest.mark.slow
def test_only_folders_that_changed_are_listed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders are old here: whatever then changes is seen, and what did not change is not listed."""
    monkeypatch.setattr(walking, "_SETTLING", -(10**18))
    listed: list[Any] = []
    real = os.scandir

    def note(place: Any) -> Any:
        listed.append(place)
        return real(place)

    root = write_tree(
        tmp_path / "tree", {"a.py": "x = 1\n", "one/b.py": "", "one/two/c.py": "", "one/.gitignore": "q\n"}
    )
    walker = walking.Walker(str(root))
    walker.walk()
    monkeypatch.setattr(os, "scandir", note)
    changes: list[tuple[Callable[[], object], int]] = [
        (lambda: None, 0),
        (lambda: (root / "one" / "two" / "c.py").write_text("in place\n"), 0),
        (lambda: (root / "one" / "d.py").write_text(""), 1),
        (lambda: (root / "one" / ".gitignore").write_text("d.py\n"), 2),  # and what is below
        (lambda: (root / "one" / "two" / "c.py").rename(root / "one" / "e.py"), 2),
        (lambda: (root / "new").mkdir(), 2),
        (lambda: (root / "a.py").unlink(), 1),
        (lambda: (root / "a.py").symlink_to("one/b.py"), 1),
        (lambda: (root / "one").rename(root / "other"), 3),
        (lambda: None, 0),
    ]
    for number, (change, count) in enumerate(changes):
        time.sleep(0.02)  # the clock of folders goes on
        change()
        listed.clear()
        walk = walker.walk()
        assert len(listed) == count, number
        fresh = walking.Walker(str(root)).walk()
        assert (walk.files, walk.left_out) == (fresh.files, fresh.left_out), number


def test_same_size_and_new_time_is_read_again_and_only_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def one(): pass\n", "b.py": "def b(): pass\n"})
    index = Index.open(root)
    assert is_found(index, "one")
    texts: list[str] = []
    real = file_reading.FileReader.read

    def note(self: file_reading.FileReader, path: str) -> file_reading.Reading:
        texts.append(path)
        return real(self, path)

    monkeypatch.setattr(file_reading.FileReader, "read", note)
    (root / "a.py").write_text("def two(): pass\n")
    os.utime(root / "a.py", ns=(1, 1))
    assert is_found(index, "two") and not is_found(index, "one")
    assert texts == ["a.py"]


def test_a_time_in_the_future_hides_no_change(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def one(): pass\n"})
    tomorrow = time.time_ns() + 86_400 * 10**9
    os.utime(root / "a.py", ns=(tomorrow, tomorrow))
    index = Index.open(root)
    assert is_found(index, "one")
    (root / "a.py").write_text("def two(): pass\n")
    os.utime(root / "a.py", ns=(tomorrow, tomorrow))
    assert is_found(index, "two") and not is_found(index, "one")


def test_second_opening_reads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_tree(tmp_path / "tree")
    Index.open(root).refresh()
    monkeypatch.setattr(file_reading.FileReader, "read", lambda self, path: pytest.fail(path))
    assert is_found(Index.open(root), "AuthService")


def test_what_has_another_time_and_the_same_content_is_only_stamped(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def one(): pass\n"})
    index = Index.open(root)
    rows = "SELECT id, name FROM symbols"
    with index.reading() as database:
        before = database.execute(rows).fetchall()
    stamp = index.files["a.py"].changed
    os.utime(root / "a.py", ns=(1, 1))
    with index.reading() as database:
        assert database.execute(rows).fetchall() == before and index.files["a.py"].changed > stamp
    (root / "a.py").write_text("def two(): pass\n")
    with index.reading() as database:
        assert database.execute(rows).fetchall() != before


def test_what_there_was_no_time_to_read_is_told_and_read_at_the_next_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_tree(tmp_path / "tree", {f"{name}.py": f"def {name}(): pass\n" for name in NAMES})
    ticks = iter([0.0])  # of the clock: one portion, and then there is no more time
    with monkeypatch.context() as patch:
        patch.setattr(workers, "_PORTION", 2)
        patch.setattr("symops_lark.code_intelligence.index.index._PAUSE", 3600)
        patch.setattr(workers, "time", SimpleNamespace(monotonic=lambda: next(ticks, inf)))
        index = Index.open(root, patience=20)
        answer = find_definitions.run(index, "ant")
        assert answer["shown"] == 1 and answer["incomplete"]
        assert answer["notes"] == ["4 left out: not read yet, there was no time: ask again"]
        for empty in (
            find_definitions.run(index, "fox"),
            get_symbols.run(index, "fox.py"),
            query.run(index, "fox"),
            search_text.run(index, ["fox"]),
            search_files.run(index, "fox"),
        ):
            assert empty["reason_code"] == "not_all_searched" and "ask again" in empty["error"], "no empty success"
        index._resume = 0
        patch.setattr(workers, "FEW", 1)  # by several processes too: none waits for ever
        index.refresh()
        assert index.unread == 4
    assert find_definitions.run(index, "fox")["reason_code"] == "not_all_searched", "one answer waits once"
    index._resume = 0
    answer = find_definitions.run(index, "fox")
    assert answer["shown"] == 1 and not answer["incomplete"] and "notes" not in answer
    assert find_definitions.run(index, "nobody")["total"] == 0


def test_a_file_of_the_same_time_and_size_is_seen(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def one(): pass\n"})
    place = root / "a.py"
    os.utime(place, ns=(10**18, 10**18))
    index = Index.open(root)
    assert find_definitions.run(index, "one")["items"]
    other = write_tree(tmp_path / "other", {"a.py": "def two(): pass\n"}) / "a.py"
    os.utime(other, ns=(10**18, 10**18))
    os.replace(other, place)
    assert find_definitions.run(index, "two")["items"] and not find_definitions.run(index, "one")["items"]
    place.write_text("def six(): pass\n", "utf-8")
    os.utime(place, ns=(10**18, 10**18))
    assert find_definitions.run(index, "six")["items"]
