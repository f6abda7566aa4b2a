"""Private parts of libraries have one fence each; no other module of the package touches one.

`tests/test_fenced_libraries.py` holds what the fences rely on against the installed libraries.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import lark
import pytest

ROOT = Path(__file__).resolve().parent.parent
FENCES = {
    "symops_lark/answers/structured/schema/references.py",  # jsonschema
    "symops_lark/core/grammar/compiling/lark_insides.py",
    "symops_lark/core/ground/python_processes.py",  # the processes of an executor of concurrent.futures
    "symops_lark/core/patterns/re2_fast.py",
    "symops_lark/core/patterns/re_syntax.py",
}
# The modules of these libraries that are documented, and the names in them; None: all without an underscore. Lark's
# example of a custom lexer builds on `lark.lexer.Lexer`.
DOCUMENTED: dict[str, dict[str, set[str] | None]] = {
    "lark": {"lark": {*lark.__all__}, "lark.exceptions": None, "lark.visitors": None, "lark.lexer": {"Lexer"}},
    "re": {"re": {*re.__all__}},
    "json": {"json": {*json.__all__}},
    "re2": {"re2": None},
}
OBSOLETE = {"sre_compile", "sre_constants", "sre_parse"}  # former names of private parts of `re`
PUBLIC = {
    "_asdict",
    "_exit",
    "_fields",
    "_make",
    "_replace",
    "_value_",
}  # names with an underscore that Python documents
UNDOCUMENTED = {"scan_once", "scanstring"}  # names without one that `json` does not document


def is_private(name: str) -> bool:
    return name in UNDOCUMENTED or (name.startswith("_") and not (name.startswith("__") and name.endswith("__")))


def defined_names(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a module defines: functions, classes, variables, arguments, slots, its own attributes."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield name
            case ast.Assign(targets=[ast.Name(id="__slots__")], value=value):
                yield from (str(part.value) for part in ast.walk(value) if isinstance(part, ast.Constant))


def is_undocumented(module: str, name: str = "") -> bool:
    """Return whether a library does not document a module, or a name in it."""
    library = module.split(".")[0]
    if library in OBSOLETE or is_private(name) or any(map(is_private, module.split("."))):
        return True
    if library not in DOCUMENTED:
        return False
    if module not in DOCUMENTED[library]:
        return True
    names = DOCUMENTED[library][module]
    return names is not None and bool(name) and name not in names


def touched(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the modules that a part of the code imports, each with a name in it or none."""
    match node:
        case ast.Import(names=aliases):
            yield from ((alias.name, "") for alias in aliases)
        case ast.ImportFrom(module=str(module), level=0, names=aliases) if not module.startswith("symops_lark"):
            yield from ((module, alias.name) for alias in aliases)
        case ast.Call(func=ast.Name(id="import_module" | "__import__"), args=[ast.Constant(value=str(module)), *_]):
            yield module, ""
        case ast.Attribute(value=ast.Name(id=library), attr=name) if library in DOCUMENTED and is_private(name):
            yield library, name


def used_names(node: ast.AST) -> Iterator[str]:
    """Yield the names of attributes and keyword arguments that a part of the code uses."""
    match node:
        case ast.Call(func=ast.Name(id="getattr" | "hasattr" | "setattr"), args=[_, ast.Constant(value=str(name)), *_]):
            yield name
        case ast.Call(keywords=keywords):
            yield from (keyword.arg for keyword in keywords if keyword.arg)
        case ast.Attribute(attr=name):
            yield name


def private_uses(tree: ast.AST, ours: set[str]) -> list[int]:
    """Return the lines on which a module touches a private part of a library; `ours` are names of the package."""
    lines = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom | ast.Call | ast.Attribute):
            continue  # most of the nodes: `match` would compare each with all forms
        imports = any(is_undocumented(module, name) for module, name in touched(node))
        uses = any(is_private(name) and name not in ours | PUBLIC for name in used_names(node))
        if imports or uses:
            lines.add(node.lineno)
    return sorted(lines)


def package_trees() -> dict[str, ast.Module]:
    paths = sorted((ROOT / "symops_lark").rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in paths}


@pytest.mark.slow
def test_only_fences_touch_private_parts_of_libraries() -> None:
    trees = package_trees()
    ours = {name for path, tree in trees.items() if path not in FENCES for name in defined_names(tree)}
    uses = {path: private_uses(tree, ours) for path, tree in trees.items()}
    assert len(trees) > 300
    table = {path: lines for path, lines in uses.items() if lines and path not in FENCES}
    assert table == {}, "these lines belong behind a fence: see FENCES"
    assert {path for path in FENCES if uses[path]} == FENCES, "a fence that nothing needs"


@pytest.mark.parametrize(
    "code",
    [
        "import _sre",
        "import sre_parse",
        "from re import _parser",
        "from re._constants import MAXREPEAT",
        "import re; re._compiler.compile('a')",
        "from importlib import import_module; import_module('_sre')",
        "from json.decoder import scanstring",
        "from json import scanner",
        "import json; json.JSONDecoder().scan_once('1', 0)",
        "import re2; re2.compile('a')._regexp.Match",
        "import re2; re2._Anchor",
        "from lark.load_grammar import load_grammar",
        "from lark.parsers.lalr_analysis import Shift",
        "from lark import logger_; parser.parser.parser._parse_table",
        "from lark.lexer import TerminalDef",
        "import lark.grammar",
        "getattr(validator, '_resolver')",
        "validator.evolve(_resolver=None)",
    ],
)
def test_the_law_finds(code: str) -> None:
    assert private_uses(ast.parse(code), {"_parser", "_set"}) != []


@pytest.mark.parametrize(
    "code",
    [
        "from __future__ import annotations",
        "from lark import Lark, Token",
        "from lark.exceptions import UnexpectedInput",
        "from lark.lexer import Lexer",
        "import re, json; re.compile('a'); json.JSONDecoder().raw_decode('1')",
        "import os; os._exit(1)",
        "row._replace(start=1)",
        "self._parser = 1",
        "dialect.__class__",
    ],
)
def test_the_law_leaves_alone(code: str) -> None:
    assert private_uses(ast.parse(code), {"_parser"}) == []
