"""The modules that read replies keep to what every runtime can do: they are the one source of the exported parsers.

Each rule is a function over a module's syntax tree that gives the lines that break it. What breaks a rule on purpose
stands in `ALLOWED` with its reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "symops_lark"
PURE = (
    "core/ground/errors",
    "core/text/source",
    "core/text/diagnostics",
    "core/document",
    "core/result",
    "core/patterns/regexes",
    "core/ground/file_types",
    "core/discourse/findings",
    "core/discourse/marks",
    "core/discourse/passages",
    "core/discourse/reading",
    "core/discourse/stances",
    "core/discourse/turns",
    "core/discourse/view",
    "core/validator/__init__",
    "core/validator/check",
    "core/validator/sections",
    "core/validator/targets",
    "core/validator/contents",
    "core/edits/left_out",
    "core/pipeline",
    "core/grammar/dialect",
    "core/grammar/lalr",
    "core/grammar/section_patterns",
    "core/strict/parser",
    "core/strict/builder",
    "core/strict/explain",
    "core/recovery/lines/labels",
    "core/recovery/lines/kinds",
    "core/recovery/lines/roles",
    "core/recovery/lines/classifier",
    "core/recovery/lines/lexer",
    "core/recovery/lines/spelling",
    "core/recovery/lines/prose",
    "core/recovery/lines/head_lines",
    "core/recovery/lines/passes",
    "core/recovery/lines/carried_lines",
    "core/recovery/lines/tagged_blocks",
    "core/recovery/lines/fence_lines",
    "core/recovery/lines/block_lines",
    "core/recovery/lines/field_lines",
    "core/recovery/engines/automaton",
    "core/recovery/outline/groups",
    "core/recovery/outline/outline",
    "core/recovery/outline/suspects",
    "core/recovery/recovery",
    "core/recovery/doubts/confidence",
    "core/discourse/nesting",
    "core/recovery/doubts/nested_actions",
    "core/recovery/doubts/swallowed",
    "core/recovery/doubts/thinking",
    "core/recovery/doubts/unasked",
    "core/recovery/fenced_files",
    "core/recovery/detection",
    "core/repairs/rule",
    "core/repairs/line_patterns",
    "core/repairs/line_repairer",
    "core/repairs/content",
    "core/repairs/edits",
    "core/repairs/engine",
    "core/repairs/planner",
    "core/repairs/repaired",
    "core/repairs/carrying",
    "core/repairs/unwrapping",
)
COMPILING = {
    "lark",
    "yaml",
    "pathlib",
    "os",
    "json",
    "core/ground/resources",
    "loading",
    "compiler",
    "section_compiler",
    "loader",
    "core/ground/collector",
}
Found = Iterator[int]


def _names(node: ast.Import | ast.ImportFrom) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    module = (node.module or "").split(".")
    return {module[-1], module[0] if not node.level else "", *(alias.name for alias in node.names)}


def compiles(tree: ast.AST) -> Found:
    """Compile and run are apart: what runs imports neither Lark, YAML and files, nor what compiles with them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and COMPILING & _names(node):
            yield node.lineno


def spells_patterns(tree: ast.AST) -> Found:
    """Regular expressions go through one module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and {"re", "re2"} & _names(node):
            yield node.lineno


_BARE = re.compile(r"(?<!\\)(?:\\\\)*\\[wWsSbBdD]|\(\?[aiLmsux]+\)|\(\?[aLmsux]+:")


def uses_bare_classes(tree: ast.AST) -> Found:
    """Patterns name their characters: no `\\w \\s \\b \\d`, no inline flags but `(?i:…)`."""
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if id(node) not in documented and _BARE.search(node.value):
            yield node.lineno


def has_classes_that_others_lack(tree: ast.AST) -> Found:
    """No subclass of `str` or `Mapping`, no `__new__`, one base, no attribute by a computed name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base).split("[")[0] for base in node.bases]
            if len(bases) > 1 or {"str", "Mapping", "dict", "list", "tuple"} & set(bases):
                yield node.lineno
        elif (isinstance(node, ast.FunctionDef) and node.name == "__new__") or (
            isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "setattr", "hasattr")
        ):
            yield node.lineno


def cuts_at_a_length(tree: ast.AST) -> Found:
    """A text is cut at a fixed length only by the helper of `source`: lengths differ between runtimes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Slice):
            for bound in (node.lower, node.upper):
                number = isinstance(bound, ast.BinOp) and isinstance(bound.right, ast.Constant)
                if number and isinstance(bound.right.value, int) and bound.right.value > 8:  # type: ignore[union-attr]
                    yield node.lineno
                if isinstance(bound, ast.Constant) and isinstance(bound.value, int) and bound.value > 8:
                    yield node.lineno


def has_statements_that_others_lack(tree: ast.AST) -> Found:
    """No `global`, no assignment to slices, no `else` of a loop, no value from a generator, no `async`, no drawing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal | ast.AsyncFunctionDef | ast.Await | ast.YieldFrom) or (
            isinstance(node, ast.For | ast.While) and node.orelse
        ):
            yield node.lineno
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
            targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
            if any(isinstance(t, ast.Subscript) and isinstance(t.slice, ast.Slice) for t in targets):
                yield node.lineno
        elif isinstance(node, ast.Import | ast.ImportFrom) and {"unicodedata", "asyncio"} & _names(node):
            yield node.lineno


def formats_numbers(tree: ast.AST) -> Found:
    """Rounding, formats of numbers and representations in messages go through one module."""
    for node in ast.walk(tree):
        if (isinstance(node, ast.Call) and ast.unparse(node.func) in ("round", "repr", "format")) or (
            isinstance(node, ast.FormattedValue) and (node.format_spec is not None or node.conversion == 114)
        ):
            yield node.lineno


RULES: tuple[Callable[[ast.AST], Found], ...] = (
    compiles,
    spells_patterns,
    uses_bare_classes,
    has_classes_that_others_lack,
    cuts_at_a_length,
    has_statements_that_others_lack,
    formats_numbers,
)
_NAMES = "its function takes the name or the path of a dialect as well"
_LETTERS = "letters of any script, which no list of characters names"
ALLOWED = {
    ("core/patterns/regexes", "spells_patterns"): "the one module",
    ("core/patterns/regexes", "has_classes_that_others_lack"): "other runtimes have a module of their own in its place",
    ("core/recovery/lines/kinds", "has_classes_that_others_lack"): "the rows of an enum, which are a table",
    ("core/document", "has_classes_that_others_lack"): "vitals are a mapping",
    ("core/repairs/repaired", "has_classes_that_others_lack"): "what `repair` gives is a text",
    ("core/validator/__init__", "compiles"): _NAMES,
    ("core/ground/file_types", "compiles"): "a path of any kind has a name",
    ("core/strict/parser", "compiles"): _NAMES,
    ("core/recovery/recovery", "compiles"): _NAMES,
    ("core/recovery/detection", "compiles"): "it compares the installed dialects",
    ("core/repairs/engine", "compiles"): _NAMES,
    ("core/repairs/rule", "compiles"): "a rule knows its file",
    ("core/repairs/rule", "uses_bare_classes"): _LETTERS,
    ("core/repairs/line_patterns", "uses_bare_classes"): _LETTERS,
    ("core/recovery/lines/classifier", "uses_bare_classes"): _LETTERS,
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("name", PURE)
def test_the_rules_hold(name: str, rule: Callable[[ast.AST], Found]) -> None:
    lines = (PACKAGE / f"{name}.py").read_text(encoding="utf-8").split("\n")
    broken = [f"{line}: {lines[line - 1].strip()}" for line in rule(ast.parse("\n".join(lines)))]
    assert broken == [] or (name, rule.__name__) in ALLOWED, "\n".join(broken)
    assert broken or (name, rule.__name__) not in ALLOWED, "an exception that nothing needs"
