"""Read the modules of this package as definitions that can be put into one file.

The package `standalone` replaces the definitions that read files or need other packages. A module
of it replaces the module in `_REPLACED_MODULES`. A definition in `stand_ins` replaces the
definition of the same name in the module that its decorator `in_place_of` names.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path

from ...core.ground.errors import SymOpsError
from .scopes import defined_names

ROOT = __package__.split(".")[0]
REPLACEMENTS = f"{ROOT}.exports.standalone"
_FOLDER = Path(__file__).parents[1] / "standalone"
_DEFINITIONS = _FOLDER / "stand_ins.py"
_REPLACED_MODULES = {
    "core.text.json_ends": "json_values.py",
    "core.formats.loading": "formats_loading.py",
    "core.formats.tools": "tool_names.py",
    "core.ground.json_objects": "json_objects.py",
    "core.patterns.regexes": "regexes.py",
}
Name = tuple[str, str]  # of a module, and in it; for the module itself, the second is empty


class BundleError(SymOpsError):
    """A module cannot be put into one file; the message has the place and the reason."""


class Module:
    """The definitions of a module, after replacements.

    Args:
        name: The name of the module.
        included: Definitions that are not replaced, as `module.name`.

    Attributes:
        definitions: The definitions, by name.
        imports: The imported names, and where they are defined.
        order: The definitions in the order of the module.
    """

    def __init__(self, name: str, included: frozenset[str] = frozenset()) -> None:
        self.name = name
        self.definitions: dict[str, ast.stmt] = {}
        self.imports: dict[str, Name] = {}
        self.order: list[ast.stmt] = []
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        path = Path(spec.origin)
        package = name if spec.submodule_search_locations else name.rpartition(".")[0]
        self._read(path, _parse(path), package)
        short = name.removeprefix(f"{ROOT}.")
        if short in _REPLACED_MODULES:
            path = _FOLDER / _REPLACED_MODULES[short]
            self._read(path, _parse(path), REPLACEMENTS)
        replacements = [
            node
            for node in _read_replacements().get(short, ())
            if f"{short}.{getattr(node, 'name', '')}" not in included
        ]
        # Bundles change their nodes, but the replacements are read once.
        self._read(_DEFINITIONS, deepcopy(replacements), REPLACEMENTS)

    def _read(self, path: Path, nodes: list[ast.stmt], package: str) -> None:
        for node in nodes:
            match node:
                case ast.Import() | ast.ImportFrom():
                    self._import(node, package)
                # Imports for type checkers, and docstrings.
                case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Expr(value=ast.Constant()):
                    pass
                case _:
                    self._define(node, path)
                    for inner in ast.walk(node):
                        if isinstance(inner, ast.ImportFrom):
                            self._import(inner, package)

    def _import(self, node: ast.Import | ast.ImportFrom, package: str) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                self.imports[alias.asname or alias.name] = (alias.name, "")
            return
        base = _resolve_module(node, package)
        if base == "__future__":
            return
        for alias in node.names:
            name = alias.asname or alias.name
            inner = f"{base}.{alias.name}"
            if base.startswith(ROOT) and _is_module(inner):
                self.imports[name] = (inner, "")
            # A replacement may import from the module that it is put into.
            elif base != self.name:
                self.imports[name] = (base, alias.name)

    def _define(self, node: ast.stmt, path: Path) -> None:
        names = list(defined_names(node))
        if not names:
            message = "only definitions can be carried into one file"
            raise BundleError(f"{path}:{node.lineno}: {message}")
        replaced = None
        for name in names:
            replaced = replaced or self.definitions.get(name)
            self.definitions[name] = node
        if replaced is None:
            self.order.append(node)
        else:
            self.order[self.order.index(replaced)] = node


def _resolve_module(node: ast.ImportFrom, package: str) -> str:
    """Return the absolute name of the module that an import reads."""
    base = node.module or ""
    if not node.level:
        return base
    parts = package.split(".")
    parents = parts[: len(parts) - node.level + 1]
    return ".".join([*parents, base] if base else parents)


def _parse(path: Path) -> list[ast.stmt]:
    return ast.parse(path.read_text(encoding="utf-8")).body


@cache
def _read_replacements() -> Mapping[str, list[ast.stmt]]:
    """Return the replacements of definitions by module, after the imports that they need."""
    replacements: dict[str, list[ast.stmt]] = {}
    imports = []
    for node in _parse(_DEFINITIONS):
        match node:
            case ast.ImportFrom():
                imports.append(node)
            case ast.FunctionDef() | ast.ClassDef() if node.decorator_list:
                decorator = node.decorator_list.pop()
                assert isinstance(decorator, ast.Call)
                module = ast.literal_eval(decorator.args[0])
                replacements.setdefault(module, []).append(node)
    for nodes in replacements.values():
        used = set()
        for node in nodes:
            used |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        for statement in imports:
            names = [alias for alias in statement.names if (alias.asname or alias.name) in used]
            nodes.insert(0, ast.ImportFrom(statement.module, names, statement.level))
    return replacements


@cache
def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    # The parent is a module and not a package.
    except ModuleNotFoundError:
        return False
