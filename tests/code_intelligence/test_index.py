"""The index: what is found, what is left out, what survives. What is seen of changes: `test_index_changes.py`."""

from __future__ import annotations

import ast
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from code_trees import DEFINED, FILES, write_tree
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.code_intelligence.index import Index, file_reading, languages, workers
from symops_lark.code_intelligence.index.file_reading import MOST_BYTES, read_data
from symops_lark.code_intelligence.index.storage import place_of
from symops_lark.code_intelligence.index.words import split_word, terms_of
from symops_lark.code_intelligence.tools import (
    find_definitions,
    find_references,
    get_symbols,
    search_files,
    search_text,
)
from symops_lark.core.ground.errors import SymOpsError

pytestmark = pytest.mark.usefixtures("own_cache")


def places(index: Index, symbol: str) -> list[tuple[str, int, str]]:
    items = find_definitions.run(index, symbol)["items"]
    return [(item["path"], item["line"], item["kind"]) for item in items]


# ---- definitions


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("tree")
    return Index.open(write_tree(folder), tmp_path_factory.mktemp("database") / "i.sqlite")


@pytest.mark.parametrize("symbol", DEFINED)
def test_definition_of_each_language_is_found(tree: Index, symbol: str) -> None:
    assert places(tree, symbol) == [DEFINED[symbol]]


@pytest.mark.parametrize("symbol", ["inner", "shown", "hidden", "loaned", "borrowed", "old"])
def test_variables_of_functions_and_imports_are_nobody_elses(tree: Index, symbol: str) -> None:
    assert places(tree, symbol) == []


@pytest.mark.parametrize("symbol", [name for name in DEFINED if "." not in name and name.islower()])
def test_what_is_defined_has_a_use_of_that_definition(tree: Index, symbol: str) -> None:
    path, line, _ = DEFINED[symbol]
    answer = find_references.run(tree, symbol, definitions=True)
    assert f"no definition of {symbol} was found: uses are found by name" not in answer.get("notes", [])
    assert (path, line) in [(item["path"], item["line"]) for item in answer["items"]]


NAMES = st.sampled_from(["alpha", "beta", "Gamma", "delta_2", "_e", "読む"])
HEADS = (
    "def {}():",
    "async def {}(a, *b):",
    "class {}:",
    "@deco\ndef {}():",
    "if x:",
    "for {} in y:",
    "for i, ({}, *j) in y:",
    "with z as {}:",
    "with z, z as (k, {}):",
    "try:",
)


ROWS = (
    "{} = 1",
    "{}: int = 2",
    "{}, other = 1, 2",
    "(a, (b, [{}])) = c",
    "*{}, t = u",
    "v[{}], w.x = y",
    "print('def {}(): pass')",
    "{} += 1",
    "print({} := 1)",
    "[({} := i) for i, j in k]",
    "lambda {}, *o: (p := 1)",
)


@st.composite
def python_texts(draw: st.DrawFn, depth: int = 3) -> str:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        if depth and draw(st.booleans()):
            head = draw(st.sampled_from(HEADS)).format(draw(NAMES))
            inner = draw(python_texts(depth - 1))
            lines += [*head.split("\n"), *("    " + line for line in inner.split("\n"))]
            lines += ["finally: pass"] if head == "try:" else []
        else:
            row = draw(st.sampled_from(ROWS))
            lines.append(row.format(draw(NAMES)))
    return "\n".join(lines)


def by_ast(node: ast.AST, within: bool = False) -> Iterator[tuple[str, int]]:
    for child in ast.iter_child_nodes(node):
        inside = within
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield child.name, child.lineno
            inside = within or not isinstance(child, ast.ClassDef)
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store) and not within:
            yield child.id, child.lineno
        # `x += 1` defines nothing, and the others have names of their own.
        elif isinstance(child, ast.AugAssign | ast.Lambda):
            continue
        elif isinstance(child, ast.comprehension):
            child = child.iter
        yield from by_ast(child, inside)


@given(python_texts())
def test_what_ast_finds_in_python_is_found_and_nothing_else(text: str) -> None:
    rows = [
        (symbol.name, symbol.line) for symbol, _ in read_data("a.py", text.encode()).symbols if symbol.kind != "import"
    ]
    assert sorted(rows) == sorted(by_ast(ast.parse(text)))


@given(st.binary(max_size=300), st.sampled_from(["a.py", "a.js", "a.ts", "a.go", "a.rs", "a.java", "a.rb", "a"]))
def test_any_bytes_are_read(data: bytes, path: str) -> None:
    reading = read_data(path, data)
    assert reading.left_out == ("binary" if b"\0" in data else "")
    assert all(1 <= symbol.line <= symbol.end_line <= data.count(b"\n") + 1 for symbol, _ in reading.symbols)


# ---- words


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("parseHTMLText", ["parsehtmltext", "parse", "html", "text"]),
        ("snake_case_2", ["snake_case_2", "snake", "case", "2"]),
        ("認証機能", ["認証機能", "認証", "証機", "機能"]),
        ("ログインform", ["ログインform", "ログ", "グイ", "イン", "form"]),
    ],
)
def test_parts_of_words(word: str, parts: list[str]) -> None:
    assert list(split_word(word)) == parts


def test_two_characters_of_japanese_are_found(tree: Index) -> None:
    from symops_lark.code_intelligence.tools import query

    assert terms_of("認証") == ["認証"]
    assert query.run(tree, "認証")["files"] == ["auth/service.py"]


# ---- what is left out


def test_gitignore_is_honoured_as_git_does(tmp_path: Path) -> None:
    files = {
        ".gitignore": "*.log\n/build/\n!keep.log\n\\#odd\nsub/*.txt\n**/deep/**/x.py\n",
        "sub/.gitignore": "!again.txt\nonly.py\n",
        **dict.fromkeys(
            ("a.log", "keep.log", "build/a.py", "x/build/a.py", "#odd", "sub/a.txt", "sub/again.txt", "sub/only.py",
             "only.py", "sub/x/a.txt", "p/deep/q/x.py", "p/deep/x.py"), "text\n"),
    }  # fmt: skip
    root = write_tree(tmp_path / "tree", files)
    paths = {item["path"] for item in search_files.run(Index.open(root), "*")["items"]}
    subprocess.run(["git", "init", "-q", root], check=True, capture_output=True)
    command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert paths == set(filter(None, output.split("\0")))


def test_changed_gitignore_is_seen(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    index = Index.open(root)
    for text, expected in (("", 2), ("a.py\n", 2), ("", 3), ("*\n", 0)):  # the ignore file counts too
        (root / ".gitignore").write_text(text)
        assert search_files.run(index, ".py")["total"] == {"": 2, "a.py\n": 1, "*\n": 0}[text], expected


def test_pattern_that_makes_others_wait_for_ever_does_not(tmp_path: Path) -> None:
    hostile = "a*" * 40 + "b\n**/" + "*x" * 30 + "\n"
    root = write_tree(tmp_path / "tree", {".gitignore": hostile, "a" * 200: "", "x" * 200: ""})
    assert search_files.run(Index.open(root), "a" * 50)["total"] == 1


def test_hostile_tree(tmp_path: Path) -> None:
    outside = write_tree(tmp_path / "outside", {"secret.py": "def secret(): pass\n"})
    root = write_tree(tmp_path / "tree", {"good.py": "def good(): pass\n", "wide.py": "x = 1 # " + "y" * 1_900_000})
    (root / "huge.py").write_bytes(b"z" * (MOST_BYTES + 1))
    (root / "binary.py").write_bytes(b"def binary(): pass\0")
    (root / "latin.py").write_bytes("def bärlich(): pass  # \xe4\n".encode("latin-1"))
    os.symlink(outside, root / "link")
    os.symlink(outside / "secret.py", root / "secret.py")
    os.symlink(".", root / "circle")
    os.mkfifo(root / "pipe.py")
    (root / ".git").mkdir()
    (root / ".git" / "config.py").write_text("def internal(): pass\n")
    if sys.platform == "linux":
        os.close(os.open(os.fsencode(root) + b"/\xff\xfe.py", os.O_CREAT | os.O_WRONLY))
    index = Index.open(root)
    answer = search_files.run(index, "*")
    assert {item["path"]: item.get("left_out", "") for item in answer["items"]} == {
        "good.py": "", "wide.py": "", "latin.py": "", "huge.py": "large", "binary.py": "binary"
    }  # fmt: skip
    assert answer["incomplete"] and any("too large" in note for note in answer["notes"])
    assert index.walk.left_out["link"] == 3 and index.walk.left_out["special"] == 1
    assert not places(index, "secret") and not places(index, "internal") and places(index, "good")
    assert search_text.run(index, ["secret", "internal"])["total"] == 0
    for path in ("../outside/secret.py", "/etc/passwd", "link/secret.py", "secret.py", ".git/config.py", "a\0b"):
        failed = get_symbols.run(index, path)
        assert failed["reason_code"] in ("outside_root", "no_such_path") and failed["error"] and not failed["items"]


def test_file_that_vanishes_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_tree(tmp_path / "tree")
    index = Index.open(root)
    index.refresh()
    real = Index.data
    monkeypatch.setattr(Index, "data", lambda self, path: None if path.endswith(".md") else real(self, path))
    answer = search_text.run(index, ["AuthService"])
    assert answer["incomplete"] and "1 file could not be read" in answer["notes"]


# ---- where it is kept


def test_broken_and_foreign_files_are_rebuilt(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def a(): pass\n"})
    index = Index.open(root)
    index.refresh()
    index.close()
    place = place_of(os.path.realpath(root))
    assert place and place.is_file()
    for data in (b"", b"no database" * 500, place.read_bytes()[:5000]):
        for suffix in ("-wal", "-shm"):
            Path(f"{place}{suffix}").unlink(missing_ok=True)
        place.write_bytes(data)
        index = Index.open(root)
        assert index.is_kept and places(index, "a")
        index.close()
    place.unlink()
    with sqlite3.connect(place) as foreign:
        foreign.execute("CREATE TABLE mine(x)")
    foreign.close()
    assert places(Index.open(root), "a")


def test_without_a_place_it_is_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def a(): pass\n"})
    (tmp_path / "file").write_text("")
    index = Index.open(root, tmp_path / "file" / "i.sqlite")
    assert not index.is_kept and places(index, "a")


def test_database_that_breaks_while_it_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def a(): pass\n"})
    index = Index.open(root)
    assert places(index, "a") and index.is_kept
    index._database.execute("DROP TABLE words")
    (root / "a.py").write_text("def other(): pass\n")
    assert places(index, "other") and not index.is_kept
    with pytest.raises(SymOpsError, match="ask again"), index.reading() as database:
        database.execute("SELECT * FROM no_such_table")
    assert places(index, "other")
    anew = Index.open(root)
    assert places(anew, "other") and anew.is_kept


def test_two_processes_index_at_once(tmp_path: Path) -> None:
    files = {f"d{n % 7}/f{n}.py": f"def f{n}(): pass\n" for n in range(120)}
    root = write_tree(tmp_path / "tree", files)
    code = (
        "import sys; from symops_lark.code_intelligence.index import Index\n"
        "from symops_lark.code_intelligence.tools import get_symbols\n"
        "print(get_symbols.run(Index.open(sys.argv[1]))['total'])"
    )
    command = [sys.executable, "-c", code, str(root)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [item.communicate(timeout=120)[0].strip() for item in both] == ["120", "120"]
    assert get_symbols.run(Index.open(root))["total"] == 120


@pytest.mark.slow
def test_workers_read_what_one_process_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_tree(tmp_path / "tree")
    alone = [reading for portion in workers.read_files(str(root), sorted(FILES)) for reading in portion]
    monkeypatch.setattr(workers, "FEW", 1)
    monkeypatch.setattr(workers, "_PORTION", 2)
    shared = [reading for portion in workers.read_files(str(root), sorted(FILES)) for reading in portion]
    key = lambda reading: reading.path  # noqa: E731
    plain = lambda rows: [row._replace(words=" ".join(sorted(row.words.split()))) for row in sorted(rows, key=key)]  # noqa: E731
    assert plain(shared) == plain(alone)
    monkeypatch.setattr(sys, "executable", "/no/such/program")
    assert len([item for portion in workers.read_files(str(root), sorted(FILES)) for item in portion]) == len(FILES)


def test_missing_wheel_is_said_and_text_is_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "class A:\n    pass\n"})
    monkeypatch.setattr("symops_lark.code_intelligence.index.index.installed_languages", lambda: ())
    monkeypatch.setattr(languages, "installed_languages", lambda: ())
    monkeypatch.setattr(file_reading, "load_language", lambda name: None)
    answer = find_definitions.run(Index.open(root), "A")
    assert answer["incomplete"] and answer["items"][0]["by"] == "text"
    assert any("pip install 'symops-lark[code]'" in note for note in answer["notes"])


def test_no_such_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(SymOpsError, match="no such folder"):
        Index.open(tmp_path / "none")


def test_missing_pathspec_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modules: dict[str, Any] = {"pathspec": None}
    monkeypatch.setitem(sys.modules, "pathspec", modules["pathspec"])
    with pytest.raises(SymOpsError, match=r"symops-lark\[code\]"):
        Index.open(tmp_path)
