"""Gather the definitions that an entry needs as statements of one namespace.

Definitions that no needed definition names are left out. So are methods that nothing calls.
"""

from __future__ import annotations

import ast
from collections import Counter

from .absent import LeaveOut
from .modules import REPLACEMENTS, ROOT, BundleError, Module, Name
from .records import expand
from .scopes import ScopedVisitor, defined_names
from .stripping import Strip

_RECORD = "Record"
_RECORDS = f"{REPLACEMENTS}.records"
# Replacements of names of the standard library, and names that `expand` adds to any module.
_LIBRARY = {
    ("dataclasses", "replace"): (_RECORDS, "replace"),
    ("", _RECORD): (_RECORDS, _RECORD),
    ("", "namedtuple"): ("collections", "namedtuple"),
}


class Bundle:
    """The statements that some entries need.

    Args:
        entries: The definitions that the file offers.
        runtime: Functions of the package that the runtime has, as `module.name`.
        offered: Methods that callers use. Other methods are kept only if the bundle names them.
        own: Whether the dialect has custom sections.
        included: Definitions that are not replaced, as `module.name`.

    Attributes:
        outside: The names of the standard library that the file imports.
        waiting: The definitions that are needed and were not read.
        names: The name of each definition in the file.
    """

    def __init__(
        self,
        entries: list[Name],
        runtime: frozenset[str] = frozenset(),
        offered: tuple[str, ...] = (),
        *,
        own: bool = True,
        included: frozenset[str] = frozenset(),
    ) -> None:
        self._own = own
        self._included = included
        self._runtime = runtime
        self._modules: dict[str, Module] = {}
        self._needed: dict[int, tuple[str, ast.stmt]] = {}
        # All attributes, and all texts, because a method can be called by its name in a text.
        self._used_names = set(offered)
        # Methods of needed classes that nothing has called yet.
        self._methods: list[tuple[str, ast.FunctionDef]] = []
        self.outside: dict[Name, None] = {}
        # The definitions of this module keep their names, because callers use them.
        self._entry = entries[0][0]
        self.waiting = [self.resolve(*entry) for entry in entries]
        self._gather()
        self.names = self._choose_names()

    def module(self, name: str) -> Module:
        """Return a module of the package, which is read once."""
        if name not in self._modules:
            self._modules[name] = Module(name, self._included)
        return self._modules[name]

    def resolve(self, module: str, name: str) -> Name:
        """Return where a name is defined. A name of the standard library is returned unchanged.

        Raises:
            BundleError: The module has no such name.
        """
        if (module, name) in _LIBRARY:
            return _LIBRARY[module, name]
        if not module.startswith(ROOT) or not name:
            return module, name
        # Functions of the runtime are not translated.
        short = module.removeprefix(f"{ROOT}.")
        if f"{short}.{name}" in self._runtime:
            return "runtime", name
        source = self.module(module)
        if name in source.definitions:
            return module, name
        if name in source.imports:
            return self.resolve(*source.imports[name])
        if ("", name) in _LIBRARY:
            return _LIBRARY["", name]
        raise BundleError(f"{module} knows no name {name}")

    def knows(self, module: str, name: str) -> bool:
        """Return whether a module defines or imports a name."""
        source = self.module(module)
        is_defined = name in source.definitions or name in source.imports
        return is_defined or ("", name) in _LIBRARY

    def _gather(self) -> None:
        """Read the definitions that are needed, and take out the methods that are not."""
        while self.waiting:
            self._need(*self.waiting.pop())
            if not self.waiting:
                self._read_methods()
        unused = [method for _, method in self._methods]
        for _, node in self._needed.values():
            if isinstance(node, ast.ClassDef):
                body = [member for member in node.body if member not in unused]
                node.body = body or [ast.Pass()]

    def _need(self, module: str, name: str) -> None:
        if not module.startswith(ROOT):
            self.outside[module, name] = None
            return
        node = self.module(module).definitions[name]
        if id(node) in self._needed:
            return
        if not self._own:
            LeaveOut().visit(node)
        Strip().visit(node)
        self._needed[id(node)] = module, node
        if not isinstance(node, ast.ClassDef):
            self._read(module, node)
            return
        expand(node, _RECORD)
        members = []
        for member in node.body:
            if isinstance(member, ast.FunctionDef) and not member.name.startswith("__"):
                self._methods.append((module, member))
            else:
                members.append(member)
        # A class without its methods, which are read when something calls them.
        remainder = ast.ClassDef(node.name, node.bases, node.keywords, members, node.decorator_list)
        self._read(module, remainder)

    def _read(self, module: str, node: ast.stmt) -> None:
        """Note the definitions that a statement needs, and the attributes that it names."""
        # The class of an object is unknown, so an attribute can be any method of its name.
        _References(self, module).visit(node)
        for part in ast.walk(node):
            match part:
                case ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                    self._used_names.add(name)

    def _read_methods(self) -> None:
        """Read the methods that something has called by now."""
        methods = self._methods
        self._methods = []
        for module, method in methods:
            if method.name in self._used_names:
                self._read(module, method)
            else:
                self._methods.append((module, method))

    def _choose_names(self) -> dict[Name, str]:
        """Return a name for each definition: its own if it is unique, else with its module."""
        definitions = []
        for module, node in self._needed.values():
            definitions += [(module, name) for name in defined_names(node)]
        definitions += [name for name in self.outside if name[1]]
        counts = Counter(name for _, name in definitions)
        chosen: dict[Name, str] = {}
        for module, name in definitions:
            parts = module.split(".")
            is_unique = counts[name] == 1 or module == self._entry
            choice = name if is_unique else f"{name}_{parts[-1]}"
            if choice in chosen.values():
                choice = f"{name}_{'_'.join(parts[-2:])}"
            chosen[module, name] = choice
        return chosen

    def statements(self) -> list[ast.stmt]:
        """Return the statements, each after those whose names it needs when it runs."""
        statements: list[ast.stmt] = []
        visited: set[str] = set()
        # No module imports the base of records.
        self._emit(_RECORDS, statements, visited)
        for module, _ in self._needed.values():
            self._emit(module, statements, visited)
        return statements

    def _emit(self, module: str, statements: list[ast.stmt], visited: set[str]) -> None:
        """Append the statements of a module, after those of the modules that it imports."""
        if module in visited:
            return
        visited.add(module)
        source = self.module(module)
        for base, name in source.imports.values():
            if name:
                base, _ = self.resolve(base, name)
            if base.startswith(ROOT):
                self._emit(base, statements, visited)
        needed = [node for node in source.order if id(node) in self._needed]
        statements += [self._rename(module, node) for node in needed]

    def _rename(self, module: str, node: ast.stmt) -> ast.stmt:
        """Return a statement with the names of the file."""
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.name = self.names[module, node.name]
        node = _Rename(self, module).visit(node)
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            node = ast.Assign([node.target], node.value)
        return ast.fix_missing_locations(node)


class _References(ScopedVisitor):
    """Notes the definitions that a statement needs."""

    def __init__(self, bundle: Bundle, module: str) -> None:
        super().__init__()
        self.bundle = bundle
        self.module = module

    def on_global(self, node: ast.Name) -> ast.expr:
        if self.bundle.knows(self.module, node.id):
            module, name = self.bundle.resolve(self.module, node.id)
            # A module of this package is not needed, only the names that are read from it.
            if name or not module.startswith(ROOT):
                self.bundle.waiting.append((module, name))
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        # The annotation is left out.
        if node.value is not None:
            node.value = self.visit(node.value)
        node.target = self.visit(node.target)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        target = self._resolve_attribute(node)
        if target is None:
            return self.generic_visit(node)
        self.bundle.waiting.append(target)
        return node

    def _resolve_attribute(self, node: ast.Attribute) -> Name | None:
        """Return the definition that `module.name` is; None for other attributes."""
        match node.value:
            case ast.Name(id=owner) if not self.is_local(owner):
                if self.bundle.knows(self.module, owner):
                    module, name = self.bundle.resolve(self.module, owner)
                    if not name and module.startswith(ROOT):
                        return self.bundle.resolve(module, node.attr)
        return None


class _Rename(_References):
    """Replaces the names of a module by the names of the file."""

    def on_global(self, node: ast.Name) -> ast.expr:
        if not self.bundle.knows(self.module, node.id):
            return node
        definition = self.bundle.resolve(self.module, node.id)
        return self._replace(node, self.bundle.names.get(definition, node.id))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        target = self._resolve_attribute(node)
        if target is None:
            return self.generic_visit(node)
        return self._replace(node, self.bundle.names[target])

    def _replace(self, node: ast.Name | ast.Attribute, name: str) -> ast.Name:
        if self.is_local(name):
            raise BundleError(f"{self.module}:{node.lineno}: a local name hides {name}")
        return ast.copy_location(ast.Name(name, node.ctx), node)
