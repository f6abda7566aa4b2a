"""What is compiled is kept, by content: found again, never mistaken for something else, and never needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symops_lark
from symops_lark.adapters.cli import symops
from symops_lark.core.grammar.compiling.compiler import WrittenDialect
from symops_lark.core.grammar.compiling.gathering import gather
from symops_lark.core.grammar.dialect import TABLES
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.ground import kept_tables
from symops_lark.core.ground.kept_tables import KeptTables
from symops_lark.core.repairs.loader import all_rules, load_rules, read_rules

ROOT = Path(__file__).resolve().parent.parent
USUAL = os.environ.get("XDG_CACHE_HOME", "")  # where dialects are warm
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "symops-lark" / "tables"


@given(JSON, st.lists(st.text(), max_size=3))
def test_what_is_written_is_found_by_its_content_alone(value: Any, texts: list[str]) -> None:
    KeptTables("a", (), texts).write([value])
    assert KeptTables("a", (), texts).read() == [value]
    names = {KeptTables("a", rooms, item)._name for rooms in ((), ("grammar",)) for item in (texts, [*texts, ""])}
    assert len(names) == 4


def test_what_json_would_change_is_not_kept(folder: Path) -> None:
    for value in ((1, 2), {1: 2}, object(), [float("nan")], "\ud800"):
        KeptTables("a", (), []).write(value)
        result = KeptTables("a", (), []).read()
        assert result is None or result == value == "\ud800"


def test_a_broken_or_foreign_file_is_made_anew(folder: Path) -> None:
    tables, two = KeptTables("a", (), ["one"]), KeptTables("a", (), ["two"])
    tables.write({"is": "one"})
    two.write({"is": "two"})
    path, whole_data = folder / two._name, (folder / two._name).read_bytes()
    body = whole_data.partition(b"\n")[2]
    nested = b"[" * 100_000
    foreign = [
        (folder / tables._name).read_bytes(),
        b"",
        whole_data[:-1],
        body,
        b"\x80\x04.",
        two._seal(nested) + b"\n" + nested,
    ]
    for data in (*foreign, whole_data.replace(b"two", b"too")):
        path.write_bytes(data)
        assert two.read() is None, data[:80]
        assert two.remember(lambda: {"is": "two"}) == {"is": "two"} == two.read()
    path.unlink()
    path.mkdir()  # nobody's file can take its place
    assert two.read() is None and two.remember(lambda: [2]) == [2]
    os.rmdir(path)
    os.mkfifo(path)  # and nothing waits for a pipe
    assert two.read() is None


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("no folder")
    assert KeptTables("a", (), []).remember(lambda: [1]) == [1]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(PermissionError(13, "read-only")))
        assert KeptTables("a", (), []).remember(lambda: [1]) == [1]
    assert list((tmp_path / "other/symops-lark/tables").iterdir()) == []


def test_what_is_old_or_too_much_goes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    day = 86_400
    items = [KeptTables("a", (), [str(age)]) for age in range(6)]
    for age, tables in enumerate(items):
        tables.write([age])
        os.utime(folder / tables._name, (0, os.stat(folder / tables._name).st_mtime - age * 2 * day))
    for name, days in (("begun.tmp", 0.0), ("left.tmp", 0.5), ("ancient.json", 400.0)):
        (folder / name).write_text("")
        os.utime(folder / name, (0, os.stat(folder / name).st_mtime - days * day))
    assert items[3].read() == [3]  # and is in use from now on
    monkeypatch.setattr(kept_tables, "_MAX_FILES", 4)
    KeptTables("a", (), ["new"]).write(["new"])
    there = {path.name for path in folder.iterdir()}
    assert there == {tables._name for tables in (items[0], items[1], items[3], KeptTables("a", (), ["new"]))} | {
        "begun.tmp"
    }


WRITER = """
import sys
from symops_lark.core.ground.kept_tables import KeptTables
tables, own = KeptTables("a", (), ["same"]), [int(sys.argv[1])] * 50_000
for _ in range(40):
    tables.write(own)
    found = tables.read()
    assert found is not None and len(set(found)) == 1 and len(found) == 50_000, found
"""


@pytest.mark.slow
def test_two_processes_write_at_once(folder: Path) -> None:
    running = [subprocess.Popen([sys.executable, "-c", WRITER, number], cwd=ROOT) for number in "12"]
    assert [process.wait(120) for process in running] == [0, 0]
    assert [path.suffix for path in folder.iterdir()] == [".json"]


# ---- what is made of grammars and rules


def compiled(path: Path) -> tuple[bool, dict[str, Any]]:
    """Return whether a grammar was found compiled, and its tables."""
    dialect = WrittenDialect(path, path.read_text(encoding="utf-8"))
    return dialect._tables.keys() == set(TABLES), dialect.to_data()


@pytest.mark.slow
def test_checkouts_with_other_grammars_of_one_name_have_their_own(tmp_path: Path) -> None:
    v2 = (ROOT / "grammars/v2.lark").read_text(encoding="utf-8")
    for name, mark in (("one", "::"), ("two", "=="), ("three", "::")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "base.lark").write_text(v2 + "%import .words.MY_WORD\n", encoding="utf-8")
        (tmp_path / name / "words.lark").write_text('MY_WORD: "word"\n', encoding="utf-8")
        (tmp_path / name / "mine.lark").write_text(f'%import .base\n\n%override _ACTION: "{mark}"\n', encoding="utf-8")
    first, two, three = (tmp_path / name / "mine.lark" for name in ("one", "two", "three"))
    assert not compiled(first)[0] and not compiled(two)[0]
    assert compiled(first)[1]["marks"]["action"] == "::" and compiled(two)[1]["marks"]["action"] == "=="
    assert compiled(three) == (True, compiled(first)[1])  # what is alike is shared
    files = [path.name for path, _ in gather(first, first.read_text())]
    assert files == ["mine.lark", "base.lark", "words.lark"]
    for changed in files:  # those included that Lark itself reads
        path = tmp_path / "one" / changed
        path.write_text(path.read_text() + "// more\n", encoding="utf-8")
        assert not compiled(first)[0], changed
        assert compiled(first)[0]


def test_tables_from_the_cache_are_those_that_were_compiled() -> None:
    path = ROOT / "grammars/v1.lark"
    existing, created = compiled(path)
    assert not existing and compiled(path) == (True, created)
    repeated = WrittenDialect(path, path.read_text(encoding="utf-8"), kept=False).to_data()
    assert {**created, "lalr": repeated["lalr"]} == repeated  # Lark numbers its states anew


def test_rules_from_the_cache_are_those_that_were_read(tmp_path: Path) -> None:
    kinds = sorted((ROOT / "repair_rules/symbols").glob("*.yaml"))[:4]
    for path in kinds:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    v2, ours = load_dialect("v2"), {rule.id: rule for rule in all_rules()}
    for _ in range(2):
        table = {rule.id: rule for rule in load_rules(v2, [tmp_path]) if rule.path.parent == tmp_path}
        rules = [rule for path in kinds for rule in read_rules(tmp_path / path.name)]
        assert table == {rule.id: rule for rule in rules if rule.serves(v2)} and table
        assert [rule.examples for rule in rules] == [ours[rule.id].examples for rule in rules]
    changed = tmp_path / kinds[0].name
    changed.write_text(changed.read_text(encoding="utf-8").replace("cost: ", "cost: 1"), encoding="utf-8")
    [rule, *_] = [rule for rule in load_rules(v2, [tmp_path]) if rule.path == changed]
    assert rule.cost > 9


# ---- what a start loads

PROBE = """
import sys, json
from symops_lark.adapters.cli import symops
code = symops.main(sys.argv[1:], standalone_mode=False)
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
COMPILERS = {
    "lark",
    "yaml",
    "symops_lark.core.grammar.compiling.statements",
    "symops_lark.core.grammar.compiling.section_compiler",
}
OTHERS = {"rich", "jsonschema", "symops_lark.models.providers", "symops_lark.models.correction.corrector"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "left_out"),
    [
        (["process", "examples/broken_reply.txt"], COMPILERS | OTHERS | {"symops_lark.code_intelligence", "mcp"}),
        (["parse", "-f", "v2", "tests/core/strict/__init__.py"], COMPILERS | OTHERS | {"re2"}),  # RE2 runs the rules
        (
            ["code", "definitions", "no_such_name"],
            COMPILERS | OTHERS | {"tree_sitter", "symops_lark.core.document", "pathspec", "re2", "mcp"},
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_warm_start_compiles_nothing(
    arguments: list[str], left_out: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", USUAL)
    (tmp_path / "reply").write_text(">> go\n", encoding="utf-8")
    (tmp_path / "a.py").write_text("def a(): pass\n", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("*.log\n", encoding="utf-8")
    root = ["--root", str(tmp_path)] if arguments[0] == "code" else []
    arguments = [str(tmp_path / "reply") if "tests" in argument else argument for argument in arguments]
    loaded: set[str] = set()
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", PROBE, *arguments, *root], cwd=ROOT, capture_output=True, text=True, check=True
        )
        loaded = set(json.loads(done.stderr.splitlines()[-1]))
    assert loaded & left_out == set()
    assert "symops_lark.adapters.cli.acting.apply" not in loaded


def test_help_says_of_commands_what_they_say_of_themselves() -> None:
    context = click.Context(symops)
    for name in symops.list_commands(context):
        command = symops.get_command(context, name)
        assert command is not None and command.name == name
        assert symops_lark.adapters.cli._COMMANDS[name] == command.get_short_help_str(1_000)
