"""Files that the parser does not get through: nothing vanishes from answers without a note."""

from __future__ import annotations

from pathlib import Path

import pytest
from code_trees import write_tree
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.code_intelligence.index import Index
from symops_lark.code_intelligence.index.file_reading import read_data
from symops_lark.code_intelligence.tools import find_definitions, find_references, get_function_at_line, get_symbols

pytestmark = pytest.mark.usefixtures("own_cache")

WHOLE = {
    "m.py": "def one():\n    return 1\nclass Two:\n    def three(self):\n        return one()\nFOUR = 4\n",
    "m.ts": "export type One = { a: number };\nexport function two() { return 1; }\n"
    "class Three { four() {} }\nconst five = 5;\n",
    "m.js": "export function two() { return 1; }\nclass Three { four() {} }\nconst five = 5;\n",
    "m.go": "package m\nfunc One() {}\ntype Two struct { Three int }\nvar Four = 4\n",
    "m.rs": "fn one() {}\nstruct Two { three: u8 }\nimpl Two { fn four() {} }\n",
    "M.java": "class M {\n int one;\n void two() {}\n class Three {}\n}\n",
}
BROKEN = (
    "]]] ((( ;",
    "%%%",
    "`",
    '"""',
    "'",
    '"',
    "{ { (",
    "}",
    "<<<<<<< HEAD",
    "=======",
    ") }",
    "/*",
    "*/",
    "${",
    "class {",
    "def",
    "func (",
    "let = ;",
    "=>",
    "\\",
    "#[",
    "<div>",
    'r#"',
)


@given(st.sampled_from(sorted(WHOLE)), st.sampled_from(BROKEN), st.integers(0, 6))
def test_one_broken_line_hides_no_other_definition_unsaid(path: str, line: str, place: int) -> None:
    lines = WHOLE[path].split("\n")
    lines.insert(min(place, len(lines)), line)
    complete, damaged = (read_data(path, text.encode()) for text in (WHOLE[path], "\n".join(lines)))
    names = [{symbol.name for symbol, _ in item.symbols} for item in (complete, damaged)]
    assert not complete.broken
    assert names[0] <= names[1] or damaged.broken


@pytest.mark.parametrize("line", ["/*", '"""', "`", "{ { ("])
def test_every_answer_about_a_definition_that_vanished_names_the_file(tmp_path: Path, line: str) -> None:
    files = {path: line + "\n" + text for path, text in WHOLE.items()}
    names = {
        path: {symbol.name for symbol, _ in read_data(path, text.encode()).symbols} for path, text in WHOLE.items()
    }
    index = Index.open(write_tree(tmp_path, files))
    for path, symbols in names.items():
        remainder = {item["name"] for item in get_symbols.run(index, path)["items"]}
        for name in symbols - remainder:
            for tool in (find_definitions, find_references):
                answer = tool.run(index, name, path)
                assert answer["incomplete"]
                assert any(note.startswith(f"{path}: ") for note in answer.get("notes", [answer.get("error", "")]))


def test_answers_about_a_broken_file_say_so(tmp_path: Path) -> None:
    broken = (
        "export type Kept = {\n  a: ;;; ((\nexport type Public = { b: number };\nexport const made = 1;\nvar = 3;\n"
    )
    files = {
        "types.ts": broken,
        "use.ts": "import { Public } from './types';\nlet x: Public;\n",
        "ok.ts": "function ok() {}\n",
    }
    index = Index.open(write_tree(tmp_path, files))
    output = find_definitions.run(index, "Public")
    assert [(item["path"], item["line"]) for item in output["items"]] == [("types.ts", 3)]
    answers = (
        output,
        get_symbols.run(index, "types.ts"),
        find_references.run(index, "Public"),
        get_function_at_line.run(index, "types.ts", 2),
    )
    for answer in answers:
        assert answer["incomplete"]
        assert any(note.startswith("types.ts: ") and "read as text alone" in note for note in answer["notes"])
    assert {(item["path"], item["line"]) for item in answers[2]["items"]} >= {("use.ts", 1), ("use.ts", 2)}
    assert not find_definitions.run(index, "ok")["incomplete"]
    assert not {item["name"] for item in get_symbols.run(index, "types.ts")["items"]} & {"var", "const"}
