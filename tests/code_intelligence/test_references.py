"""Uses are told apart by scopes, imports, packages and classes; what cannot be told is shown as not certain.

In the trees below a comment says of each line that names what is asked about: `yes`, `perhaps` or `no`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from code_trees import write_tree
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.code_intelligence.index import Index
from symops_lark.code_intelligence.index.languages import load_language
from symops_lark.code_intelligence.index.owners import Owners, Sought, Sources
from symops_lark.code_intelligence.index.owners.trees import Tree
from symops_lark.code_intelligence.tools import find_references

pytestmark = pytest.mark.usefixtures("own_cache")

PYTHON = {
    "pkg/__init__.py": "from .base import run  # yes\nfrom .other import *\n",
    "pkg/base.py": """
def run(): pass
def again(): return run()  # yes
def local(run): return run()  # no
def nested():
    run = 1  # no
    return run  # no
class Task:
    def run(self): return run()  # yes
    def twice(self): return self.run()  # no
def shadowed(): return [run for run in ()]  # no
x.run()  # perhaps
f(run=1)  # no
""",
    "pkg/other.py": "def run(): pass  # no\ndef helper(): return run()  # no\n",
    "pkg/all.py": "from .base import *\nrun()  # yes\n",
    "pkg/late.py": """def g():
    global run  # yes
    from .base import run  # yes
def h(): run()  # yes
""",
    "use_alias.py": "import pkg.base as b\nb.run()  # yes\nimport pkg\npkg.run()  # yes\npkg.base.run()  # yes\n",
    "use_name.py": "from pkg import run as go  # yes\nfrom pkg.other import run  # no\nrun()  # no\n",
    "use_outside.py": "import subprocess\nfrom os import run  # no\nsubprocess.run()  # no\nrun()  # no\n",
    "use_as.py": "from pkg.base import run as run  # yes\nrun()  # yes\n",
    "use_try.py": "try:\n    from pkg import run  # yes\nexcept ImportError:\n    run = None  # no\nrun()  # yes\n",
}
METHODS = {
    "shapes.py": """
from dataclasses import dataclass, replace
class Base:
    def area(self): return 0
    def both(self): return self.area()  # perhaps
class Square(Base):
    def area(self): return 1
    def own(self): return self.area()  # yes
    def up(self): return super().area()  # perhaps
    @classmethod
    def make(cls): return cls().area()  # yes
class Big(Square): pass
class Circle:
    def area(self): return 2  # no
    @property
    def square(self) -> Square: return Square()
@dataclass
class Box:
    inner: Square
    parts: list[Square]
    by_name: dict[str, "Square"]
""",
    "uses.py": """
from __future__ import annotations
import shapes
from shapes import Big, Box, Circle, Square as S, replace
def a(s: S, c: Circle | None, u, *many: S): return s.area()  # yes
def b(s: S, c: Circle | None, u): return c.area()  # no
def c(u): return u.area()  # perhaps
def d(): return Big().area()  # yes
def e(box: Box): return box.inner.area()  # yes
def f(box: Box): return [each.area() for each in box.parts]  # yes
def g(box: Box): return [each.area() for _, each in box.by_name.items()]  # yes
def h(): return Circle().square.area()  # yes
def i(): return made().area()  # yes
def made(): return shapes.Square()
def j(*many: S): return many[0].area()  # yes
def k(s: "S | None"): return replace(s, x=1).area()  # yes
class Holder:
    def __init__(self, s: S, c: Circle): self.s, self.c = s, c
    def one(self): return self.s.area()  # yes
    def two(self): return self.c.area()  # no
def m():
    with S() as opened: return opened.area()  # yes
def n(): return "".join("").area()  # perhaps
def o(): return "text".area()  # no
match made():
    case S(area=1): pass  # no
""",
}
SCRIPT = {
    "lib/base.ts": """
export function run() {}
function inner(run: number) { return run; }  // no
const f = () => run();  // yes
class Task { run() { this.run(); } }  // no
const o = { run: 1 };  // no
""",
    "lib/other.js": "export function run() { return run(); }  // no\n",
    "lib/index.ts": "export { run } from './base';  // yes\nexport * from './more';\n",
    "use.ts": "import { run } from './lib';  // yes\nrun();  // yes\n{ const run = 2; run; }  // no\n",
    "space.tsx": "import * as lib from './lib/base';\nlib.run();  // yes\nthing.run();  // perhaps\n",
    "alias.js": "import { run as go } from './lib/base.js';  // yes\n"
    "import { run } from 'node:o';  // no\nrun();  // no\n",
    "stranger.js": "import { run } from 'o';  // perhaps\nrun();  // perhaps\n",
    "old.js": "const { run } = require('./lib/base');  // yes\nrun();  // yes\n",
    "oldest.js": "const lib = require('./lib/other');\nlib.run();  // no\n",
}
GO = {
    "auth/run.go": """package auth
func Run() {}
func again(x T) { Run() }  // yes
func local() { Run := 1; _ = Run }  // no
func (t T) Other() { t.Run() }  // no
""",
    "go.mod": "module example.org/app\n",
    "auth/same.go": "package auth\nvar y = Run  // yes\n",
    "other/run.go": "package other\nfunc Run() { Run() }  // no\n",
    "main.go": 'package main\nimport "example.org/app/auth"\nimport o "example.org/app/other"\n'
    "func main() {\n auth.Run()  // yes\n o.Run()  // no\n}\n",
}
RUST = {
    "src/auth.rs": """pub fn run() {}
fn again() { run() }  // yes
fn local(run: i32) { run; }  // no
fn m(t: T) { t.run() }  // no
""",
    "src/other.rs": "pub fn run() { run() }  // no\n",
    "src/main.rs": """use crate::auth::run;  // yes
fn main() {
 run();  // yes
 other::run();  // no
 auth::run();  // yes
}
""",
    "src/third.rs": "use crate::{other::{run}, auth};  // no\nfn g() { run(); }  // no\n",
}
JAVA = {
    "com/shop/Cart.java": "package com.shop;\npublic class Cart { Cart self; }  // yes\n",
    "com/shop/Till.java": "package com.shop;\nclass Till { Cart cart; }  // yes\n",
    "com/ship/Cart.java": "package com.ship;\nclass Cart { Cart other; }  // no\n",
    "com/ship/Van.java": "package com.ship;\nclass Van { Cart cart; }  // no\n",
    "com/Main.java": "package com;\nimport com.shop.Cart;  // yes\nclass Main { Cart c = new Cart(); }  // yes\n",
    "com/Star.java": "package com;\nimport com.shop.*;\nclass Star { Cart c; }  // yes\n",
    "com/Far.java": "package com;\nclass Far { Cart c; int m(int Cart) { return Cart; } }  // no\n",
}


@pytest.mark.parametrize(
    ("files", "symbol", "definition"),
    [
        pytest.param(PYTHON, "run", "pkg/base.py:2", id="python"),
        pytest.param(METHODS, "Square.area", None, id="methods"),
        pytest.param(SCRIPT, "run", "lib/base.ts:2", id="typescript"),
        pytest.param(GO, "Run", "auth/run.go", id="go"),
        pytest.param(RUST, "run", "src/auth.rs", id="rust"),
        pytest.param(JAVA, "Cart", "com/shop/Cart.java", id="java"),
    ],
)
def test_uses_are_told_apart(tmp_path: Path, files: dict[str, str], symbol: str, definition: str | None) -> None:
    index = Index.open(write_tree(tmp_path, files))
    answer = find_references.run(index, symbol, definition=definition, limit=1000)
    table = {(item["path"], item["line"]): "yes" if item["certain"] else "perhaps" for item in answer["items"]}
    name = symbol.rpartition(".")[2]
    expected = dict(said(files, name))
    assert {place: table.get(place, "no") for place in expected} == expected
    assert set(table) <= set(expected)
    assert any("left out" in note for note in answer["notes"])


def said(files: dict[str, str], name: str) -> Iterator[tuple[tuple[str, int], str]]:
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            if re.search(rf"\b{name}\b", line) and (word := re.search(r"(?:#|//) (yes|perhaps|no)$", line)):
                yield (path, number), word[1]


def test_each_use_names_its_definition(tmp_path: Path) -> None:
    index = Index.open(write_tree(tmp_path, PYTHON))
    items = find_references.run(index, "run", limit=1000)["items"]
    assert {tuple(item["definitions"]) for item in items if item["certain"]} >= {
        ("pkg/base.py:2",), ("pkg/other.py:1",), ("pkg/base.py:9",)
    }  # fmt: skip
    assert [item["certain"] for item in items] == sorted((item["certain"] for item in items), reverse=True)
    assert find_references.run(index, "run", definition="pkg/all.py")["reason_code"] == "no_such_definition"


def test_name_that_is_not_defined_is_found_by_name(tmp_path: Path) -> None:
    index = Index.open(write_tree(tmp_path, {"a.py": "import os\nos.sep\n", "b.js": "sep;"}))
    answer = find_references.run(index, "sep")
    assert [item["certain"] for item in answer["items"]] == [False, False]
    assert "no definition of sep was found: uses are found by name" in answer["notes"]


PIECES = {
    "python": "def name( | class name( | self.name | name | = | : | \n | \n     | import  | from . | ( | )"
    " | with |  as | for |  in | lambda | match | case | @ | ' | [ | ] | * | global | . | , | await | ->",
    "typescript": "function | name | => | { | } | ( | ) | import | export | from './m' | class | this. | ="
    " | const | * |  as | , | require('./m') | \n | : | < | >",
    "go": 'func | name | ( | ) | { | } | := | import | "a/name" | . | var | type | \n | range | struct',
    "rust": "fn | name | ( | ) | { | } | use | :: | * |  as | let | = | ; | impl | match | \n | self.",
    "java": "class | name | ( | ) | { | } | import | . | ; | * | this. | int | new | \n | -> | =",
}


def _named(sought: list[Sought], name: str) -> list[Sought]:
    return sought if name == "name" else []


@given(st.data(), st.sampled_from(sorted(PIECES)))
def test_broken_code_is_judged_without_error(data: st.DataObject, name: str) -> None:
    """Whatever stands there: a definition belongs to itself, and every judgement ends."""
    text = "".join(data.draw(st.lists(st.sampled_from(PIECES[name].split("|")), max_size=40))).encode()
    language = load_language(name)
    assert language
    tree = Tree("m", text, language)
    chains = list(tree.chains("name"))
    for chain in chains:
        row, _ = chain[-1].start_point
        line = text.split(b"\n")[row]
        column = chain[-1].start_byte - text.rfind(b"\n", 0, chain[-1].start_byte)
        assert line[column - 1 :].startswith(b"name")
        sought = Sought("m", row + 1, column, "function", "")
        files = {"m": (name, b""), "m.py": (name, b"")}
        sources = Sources(files, lambda path: text, partial(_named, [sought]))
        owners = Owners([sought], sources)
        for single_chain in chains:
            verdict = owners.judge(sources.tree("m", text) or tree, single_chain[-1].start_byte, "name")
            assert set(verdict.owners) <= {sought}


def test_answers_are_kept_until_a_file_changes_and_trees_until_theirs_does(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", PYTHON)
    index = Index.open(root, tmp_path / "index.sqlite")
    first = find_references.run(index, "run", limit=1000)
    sources = index.sources
    assert find_references.run(index, "run", limit=1000) == first
    assert index.sources is sources
    trees = {path: sources.tree(path) for path in PYTHON}
    (root / "use_as.py").write_text(PYTHON["use_as.py"] + "run()\n", encoding="utf-8")
    second = find_references.run(index, "run", limit=1000)
    assert second["total"] == first["total"] + 1
    assert {path for path in PYTHON if index.sources.tree(path) is not trees[path]} == {"use_as.py"}
