"""The law of references: a use is left out only if something that is named owns it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from code_trees import write_tree
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_trees import STRANGERS, TREES

from symops_lark.code_intelligence.index import Index
from symops_lark.code_intelligence.index.languages import language_named, load_language
from symops_lark.code_intelligence.index.owners import Owners, Sought, Sources
from symops_lark.code_intelligence.index.symbols import find_uses, read_symbols
from symops_lark.code_intelligence.tools import find_references

pytestmark = pytest.mark.usefixtures("own_cache")

KINDS = frozenset(("definition", "binding", "outside", "role"))


def has_name(line: str, name: str) -> bool:
    return re.search(rf"(?<!\w){name}\b", line) is not None


def said(files: dict[str, str], name: str) -> Iterator[tuple[tuple[str, int], str]]:
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            word = re.search(r"(?:#|//) (yes|perhaps|no: \w+)$", line)
            if word and has_name(line, name):
                yield (path, number), word[1]


@pytest.mark.parametrize("strangers", [False, True], ids=["alone", "with strangers"])
@pytest.mark.parametrize("name", sorted(TREES))
def test_uses_are_found_or_owned(tmp_path: Path, name: str, *, strangers: bool) -> None:
    files, symbol, definition = TREES[name]
    plain = symbol.rpartition(".")[2]
    table = {
        path: text.replace("NAME", plain.removeprefix("#")) for path, text in STRANGERS[name.partition("-")[0]].items()
    }
    index = Index.open(write_tree(tmp_path, {**files, **(table if strangers else {})}))
    answer = find_references.run(index, symbol, definition=definition, limit=1000)
    by_key = {(item["path"], item["line"]): "yes" if item["certain"] else "perhaps" for item in answer["items"]}
    expected = dict(said(files, plain))
    assert {place: by_key.get(place, "no") for place in expected} == {
        place: word.partition(":")[0] for place, word in expected.items()
    }
    assert set(by_key) <= set(expected)
    kinds = Counter(word.partition(": ")[2] for word in expected.values())
    message = {element["kind"] for element in answer["left_out"]}
    assert message <= KINDS
    assert message >= {kind for kind in kinds if kind}
    assert any("left out" in note for note in answer["notes"])


@pytest.mark.parametrize("name", sorted(TREES))
def test_every_owner_that_is_a_place_exists(tmp_path: Path, name: str) -> None:
    """Who owns a use that is left out stands where the answer says, under that name."""
    files, symbol, definition = TREES[name]
    plain = symbol.rpartition(".")[2]
    answer = find_references.run(Index.open(write_tree(tmp_path, files)), symbol, definition=definition)
    for owner in answer["left_out"]:
        if owner["kind"] in ("definition", "binding"):
            path, _, line = owner["owner"].rpartition(":")
            row = files[path].split("\n")[int(line) - 1]
            assert has_name(row, plain) or row.startswith(("pub struct", "pub enum"))


ONE = {
    "python": ("m.py", "def name(): pass\n"),
    "typescript": ("m.ts", "export function name() {}\n"),
    "go": ("m.go", "package m\nfunc name() {}\n"),
    "rust": ("src/lib.rs", "pub fn name() {}\n"),
    "java": ("M.java", "class M { static void name() {} }\n"),
}
LINES = {
    "python": "from x import name|name()|x.name()|def f(name): return name|import name|x = name|[name for _ in y]",
    "typescript": "import { name } from 'x';|name();|x.name();|const o = { name };|function f(name) { return name }"
    "|export { name } from './y';|const { name } = x;|export default name;",
    "go": "var x = name()|var y = z.name()|func f(name int) { _ = name }|var q = []int{name}"
    "|var m = map[int]int{name: 1}",
    "rust": "use x::name;|fn f() { name(); }|fn g() { x.name(); }|fn h(name: u8) { name; }|fn i() { y::name(); }",
    "java": "class A { int x = name(); }|class B { int y(int name) { return name; } }|import static x.Y.name;"
    "|class C extends D { int z = name(); }|class E { int q = F.name(); }",
}


@given(st.data(), st.sampled_from(sorted(ONE)))
@settings(max_examples=60)
def test_with_one_definition_and_no_manifest_only_bindings_and_roles_are_left_out(
    data: st.DataObject, name: str
) -> None:
    """What could be anybody's is never another definition's where there is no other one."""
    path, text = ONE[name]
    lines = data.draw(st.lists(st.sampled_from(LINES[name].split("|")), max_size=6))
    suffix = path.rpartition(".")[2]
    head = "package n\n" if name == "go" else ""
    files = {path: text, f"far/use.{suffix}": head + "\n".join(lines)}
    language = load_language(name)
    assert language
    symbols = [symbol for symbol in read_symbols(text.encode(), language) if symbol.name == "name"]
    sought = [
        Sought(path, single_symbol.line, single_symbol.column, single_symbol.kind, single_symbol.within)
        for single_symbol in symbols
    ]
    sources = Sources(
        {file: (language_named(file), b"") for file in files}, lambda each: files[each].encode(), lambda asked: sought
    )
    owners = Owners(sought, sources)
    tree = sources.tree(f"far/use.{suffix}")
    assert tree
    for use in find_uses(tree.data, "name", tree.root):
        verdict = owners.judge(tree, use.start, "name")
        assert verdict.owners or verdict.instead
        if verdict.instead and not verdict.owners:
            assert verdict.instead.kind in ("binding", "role", "outside")
            if verdict.instead.kind == "binding":
                where, _, line = verdict.instead.owner.rpartition(":")
                assert "name" in files[where].split("\n")[int(line) - 1]
