"""The modules that an entry needs, as statements of one namespace: each definition under a name of its own.

What no definition that is needed names is left out. What `standalone` has stands in for what reads files: in a module
whose name spells that of another one, or marked `in_place_of` it in `stand_ins`, a definition takes the place of that
of the same name.
"""

from __future__ import annotations

import ast
import importlib.util
from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path

from ...core.ground.errors import SymOpsError
from .absent import LeaveOut
from .records import expand, is_dataclass
from .scopes import ScopedVisitor, defined_names

_ROOT = __package__.split(".")[0]
_STAND_INS = f"{_ROOT}.exports.standalone"
_WHOLE = {  # modules with a stand-in
    "core.formats.json_ends": "json_values",
    "core.formats.loading": "formats_loading",
    "core.formats.tools": "tool_names",
    "core.ground.json_objects": "json_objects",
    "core.patterns.regexes": "regexes",
}
_SMALL = Path(__file__).parents[1] / "standalone" / "stand_ins.py"
Name = tuple[str, str]  # of a module, and in it; a module alone has the name ""


class BundleError(SymOpsError):
    """A module cannot be carried into one file; the message says where and why."""


class Module:
    """One module: its definitions by name, in their order, and what its names mean."""

    def __init__(self, name: str, included: frozenset[str] = frozenset()) -> None:
        self.name = name
        self.definitions: dict[str, ast.stmt] = {}
        self.imports: dict[str, Name] = {}
        self.order: list[ast.stmt] = []
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.origin is not None
        path, short = Path(spec.origin), name.removeprefix(f"{_ROOT}.")
        self._read(path, _parse(path), name if spec.submodule_search_locations else name.rpartition(".")[0])
        if short in _WHOLE:
            stand_in = _SMALL.with_name(f"{_WHOLE[short]}.py")
            self._read(stand_in, _parse(stand_in), _STAND_INS)
        # What is included is read as it is.
        small = [
            node for node in _small_stand_ins().get(short, []) if f"{short}.{getattr(node, 'name', '')}" not in included
        ]
        self._read(_SMALL, deepcopy(small), _STAND_INS)

    def _read(self, path: Path, nodes: list[ast.stmt], package: str) -> None:
        for node in nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node, package)
            elif not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING") and not (
                isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            ):
                self._define(node, path)
                for inner in ast.walk(node):
                    if isinstance(inner, ast.ImportFrom):
                        self._import(inner, package)

    def _import(self, node: ast.Import | ast.ImportFrom, package: str) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                self.imports[alias.asname or alias.name] = (alias.name, "")
            return
        base = node.module or ""
        if node.level:
            parts = package.split(".")
            above = ".".join(parts[: len(parts) - node.level + 1])
            base = f"{above}.{base}" if base else above
        if base == "__future__":
            return
        for alias in node.names:
            inner = f"{base}.{alias.name}"
            is_module = base.startswith(_ROOT) and _is_module(inner)
            if is_module or base != self.name:
                self.imports[alias.asname or alias.name] = (inner, "") if is_module else (base, alias.name)

    def _define(self, node: ast.stmt, path: Path) -> None:
        names = list(defined_names(node))
        if not names:
            raise BundleError(f"{path}:{node.lineno}: only definitions can be carried into one file")
        replaced = next((each for name in names if (each := self.definitions.get(name)) is not None), None)
        if replaced is None:
            self.order.append(node)
        else:
            self.order[self.order.index(replaced)] = node
        for name in names:
            self.definitions[name] = node


def _parse(path: Path) -> list[ast.stmt]:
    return ast.parse(path.read_text(encoding="utf-8")).body


@cache
def _small_stand_ins() -> Mapping[str, list[ast.stmt]]:
    """Return the definitions that stand in each module by their marks, and before them the imports that they need."""
    found: dict[str, list[ast.stmt]] = {}
    page = _parse(_SMALL)
    for node in page:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.decorator_list:
            mark = node.decorator_list.pop()
            assert isinstance(mark, ast.Call)  # of `in_place_of`
            found.setdefault(ast.literal_eval(mark.args[0]), []).append(node)
    imports = [node for node in page if isinstance(node, ast.ImportFrom)]
    for nodes in found.values():
        used = {each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)}
        for one in imports:
            names = [alias for alias in one.names if (alias.asname or alias.name) in used]
            nodes.insert(0, ast.ImportFrom(one.module, names, one.level))
    return found


@cache
def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


_IN_PLACE = {  # what stands in for the standard library
    ("dataclasses", "replace"): (f"{_STAND_INS}.records", "replace"),
    ("", "Record"): (f"{_STAND_INS}.records", "Record"),
    ("", "namedtuple"): ("collections", "namedtuple"),
}
# Methods for files, for other processes, for terminals, for the words of callers.
_LEFT_OUT = ("from_dict", "__reduce__", "Rule.error", "__post_init__")


class _Strip(ast.NodeTransformer):
    """Takes off what does nothing: docstrings, annotations, type aliases."""

    _in_function = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        # The sign of a check saves time in Python alone: an export asks every check.
        node.decorator_list = [each for each in node.decorator_list if not ast.unparse(each).startswith("check(")]
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        outer, self._in_function = self._in_function, True
        node.body = self._strip_body(node.body)
        self._in_function = outer
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        left_out = {name.removeprefix(f"{node.name}.") for name in _LEFT_OUT}
        body = [each for each in node.body if not (isinstance(each, ast.FunctionDef) and each.name in left_out)]
        fields = is_dataclass(node) is not None or "NamedTuple" in map(ast.unparse, node.bases)
        if not fields:
            body = [each for each in body if not (isinstance(each, ast.AnnAssign) and each.value is None)]
        node.body = self._strip_body(body)
        return node

    def _strip_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body = body[1:]
        return [self.visit(each) for each in body] or [ast.Pass()]

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return ast.Pass()

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        return ast.Pass()  # within a function: the module knows what it imports

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func) == "cast":
            value: ast.AST = self.visit(node.args[1])
            return value
        if isinstance(node.func, ast.Subscript) and ast.unparse(node.func.value) in ("dict", "list", "set", "tuple"):
            node.func = node.func.value  # `list[Any]()`
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if not self._in_function:
            return node
        return ast.Pass() if node.value is None else ast.Assign([node.target], node.value)


class Bundle:
    """What entries need, in the order in which it is defined: statements whose names are those of one namespace."""

    def __init__(
        self,
        entries: list[Name],
        runtime: frozenset[str] = frozenset(),
        offered: tuple[str, ...] = (),
        *,
        own: bool = True,
        included: frozenset[str] = frozenset(),
    ) -> None:
        """`runtime` are functions of the package, as `module.name`, that the language has of its own.

        Of classes only the methods are kept that something in the bundle names, and the `offered` ones. `own` tells
        whether the dialect has sections of its own. `included` are functions of the package, as `module.name`, that
        are read as they are, although there is a stand-in.
        """
        self._own = own
        self._included = included
        self._runtime = runtime
        self._modules: dict[str, Module] = {}
        self._needed: dict[int, tuple[str, ast.stmt]] = {}
        self._named = set(offered)  # all attributes, and all texts: a method may be called by one
        self._methods: list[tuple[str, ast.FunctionDef]] = []  # of needed classes, not known to be called so far
        self.outside: dict[Name, None] = {}  # names of the standard library
        self._entry = entries[0][0]
        self.waiting = [self.resolve(*entry) for entry in entries]  # definitions that are needed
        self._gather()
        self.names = self._choose_names()

    def module(self, name: str) -> Module:
        """Return a module of the package, read once."""
        if name not in self._modules:
            self._modules[name] = Module(name, self._included)
        return self._modules[name]

    def resolve(self, module: str, name: str) -> Name:
        """Return where what a module calls so is defined; a name of the standard library as it is."""
        if (module, name) in _IN_PLACE:
            return _IN_PLACE[module, name]
        if not module.startswith(_ROOT) or not name:
            return module, name
        if f"{module.removeprefix(_ROOT + '.')}.{name}" in self._runtime:
            return "runtime", name
        found = self.module(module)
        if name in found.definitions:
            return module, name
        if name in found.imports:
            return self.resolve(*found.imports[name])
        if ("", name) in _IN_PLACE:
            return _IN_PLACE["", name]
        raise BundleError(f"{module} knows no name {name}")

    def knows(self, module: str, name: str) -> bool:
        """Return whether a name is one of the module's."""
        found = self.module(module)
        return name in found.definitions or name in found.imports or ("", name) in _IN_PLACE

    def _gather(self) -> None:
        while self.waiting:
            self._need(*self.waiting.pop())
            if not self.waiting:
                waiting, self._methods = self._methods, []
                for module, method in waiting:
                    if method.name in self._named:
                        self._read(module, method)
                    else:
                        self._methods.append((module, method))
        left_out = {id(method) for _, method in self._methods}
        for _, node in self._needed.values():
            if isinstance(node, ast.ClassDef):
                node.body = [each for each in node.body if id(each) not in left_out] or [ast.Pass()]

    def _need(self, module: str, name: str) -> None:
        if not module.startswith(_ROOT):
            self.outside[module, name] = None
            return
        node = self.module(module).definitions[name]
        if id(node) in self._needed:
            return
        if not self._own:
            LeaveOut().visit(node)
        _Strip().visit(node)
        self._needed[id(node)] = module, node
        if not isinstance(node, ast.ClassDef):
            self._read(module, node)
            return
        expand(node, "Record")
        methods = [each for each in node.body if isinstance(each, ast.FunctionDef) and not each.name.startswith("__")]
        self._methods += [(module, method) for method in methods]
        members = [each for each in node.body if each not in methods]
        self._read(module, ast.ClassDef(node.name, node.bases, node.keywords, members, node.decorator_list))

    def _read(self, module: str, node: ast.stmt) -> None:
        """Note what a definition needs, and what it names."""
        _References(self, module).visit(node)
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute):
                self._named.add(part.attr)
            elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                self._named.add(part.value)

    def _choose_names(self) -> dict[Name, str]:
        """Return the name of each definition: its own where no other has it, else with that of its module."""
        wanted = [
            *((module, name) for module, node in self._needed.values() for name in defined_names(node)),
            *(name for name in self.outside if name[1]),
        ]
        counts = Counter(name for _, name in wanted)
        chosen: dict[Name, str] = {}
        for module, name in wanted:
            own = counts[name] == 1 or module == self._entry
            parts = module.split(".")
            shown = name if own else f"{name}_{parts[-1]}"
            chosen[module, name] = shown if shown not in chosen.values() else f"{name}_{'_'.join(parts[-2:])}"
        return chosen

    def statements(self) -> list[ast.stmt]:
        """Return the statements, each after those whose names it needs when it runs."""
        done: list[ast.stmt] = []
        seen: set[str] = set()
        for module in (f"{_STAND_INS}.records", *(module for module, _ in self._needed.values())):
            self._emit(module, done, seen)
        return done

    def _emit(self, module: str, done: list[ast.stmt], seen: set[str]) -> None:
        if module in seen:
            return
        seen.add(module)
        found = self.module(module)
        for base, name in found.imports.values():
            target = self.resolve(base, name) if name else (base, "")
            if target[0].startswith(_ROOT):
                self._emit(target[0], done, seen)
        for node in found.order:
            if id(node) in self._needed:
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    node.name = self.names[module, node.name]
                made = _Rename(self, module).visit(node)
                valued = isinstance(made, ast.AnnAssign) and made.value is not None
                plain = ast.Assign([made.target], made.value) if valued else made
                done.append(ast.fix_missing_locations(plain))


class _References(ScopedVisitor):
    """Notes the definitions that a statement needs."""

    def __init__(self, bundle: Bundle, module: str) -> None:
        super().__init__()
        self.bundle, self.module = bundle, module

    def on_global(self, node: ast.Name) -> ast.expr:
        if self.bundle.knows(self.module, node.id):
            name = self.bundle.resolve(self.module, node.id)
            if name[1] or not name[0].startswith(_ROOT):
                self.bundle.waiting.append(name)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.value = node.value and self.visit(node.value)
        node.target = self.visit(node.target)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        target = self._of_module(node)
        if target is not None:
            self.bundle.waiting.append(target)
            return node
        return self.generic_visit(node)

    def _of_module(self, node: ast.Attribute) -> Name | None:
        """Return the definition that `module.name` is."""
        value = node.value
        if isinstance(value, ast.Name) and not self.is_local(value.id) and self.bundle.knows(self.module, value.id):
            module, name = self.bundle.resolve(self.module, value.id)
            if not name and module.startswith(_ROOT):
                return self.bundle.resolve(module, node.attr)
        return None


class _Rename(_References):
    """Writes the chosen names in place of those of the module."""

    def on_global(self, node: ast.Name) -> ast.expr:
        if not self.bundle.knows(self.module, node.id):
            return node
        chosen = self.bundle.names.get(self.bundle.resolve(self.module, node.id), node.id)
        self._check(node, chosen)
        return ast.copy_location(ast.Name(chosen, node.ctx), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        target = self._of_module(node)
        if target is None:
            return self.generic_visit(node)
        self._check(node, self.bundle.names[target])
        return ast.copy_location(ast.Name(self.bundle.names[target], node.ctx), node)

    def _check(self, node: ast.expr, chosen: str) -> None:
        if self.is_local(chosen):
            raise BundleError(f"{self.module}:{node.lineno}: a local name hides {chosen}")
