"""Write the types of what a bundle offers, as a stub for type checkers, and give it its docstrings.

A bundle has no annotations and no docstrings: most of it is internal. So the definitions that
callers meet are read again from the modules of this package: the entries, and each class that a
signature or a field of theirs names.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

from .modules import Bundle, Module, Name
from .records import is_dataclass

# Fields whose type depends on the dialect. The export defines these names.
_OF_DIALECT = {("Action", "type"): "_Verb", ("Action", "number"): "_Number", ("CustomSection", "name"): "_SectionName"}
_PROTOCOL = ("__new__", "__init__", "__getitem__", "__iter__", "__len__")
_ELLIPSIS = ast.Constant(...)


class Stubs:
    """Collects the definitions that callers of a bundle meet.

    Args:
        bundle: The bundle.
        entries: What it offers, as modules and names.
    """

    def __init__(self, bundle: Bundle, entries: Iterable[Name]) -> None:
        self._bundle = bundle
        self._modules: dict[str, Module] = {}
        self._imports: dict[Name, None] = {}
        self._waiting = [bundle.resolve(*entry) for entry in entries]
        self._definitions: dict[Name, list[str]] = {}
        # Appended to while it is read: a signature names further classes.
        for name in self._waiting:
            if name not in self._definitions:
                self._definitions[name] = []
                self._definitions[name] = list(self._declare(*name))

    def show(self) -> str:
        """Return the stub, without the types that depend on the dialect."""
        lines = [f"from {module} import {name}" for module, name in sorted(self._imports)]
        for definition in reversed(self._definitions.values()):
            lines += definition
        return "\n".join(lines) + "\n"

    def add_docstrings(self) -> None:
        """Give the definitions of the bundle their docstrings."""
        for module, name in self._definitions:
            source = self._module(module).definitions[name]
            target = self._bundle.module(module).definitions[name]
            _copy_docstring(source, target)
            if isinstance(source, ast.ClassDef) and isinstance(target, ast.ClassDef):
                methods = {method.name: method for method in _methods(target)}
                for method in _methods(source):
                    if method.name in methods and not method.name.startswith("_"):
                        _copy_docstring(method, methods[method.name])

    def _module(self, name: str) -> Module:
        # Not the bundle's: it takes the annotations off.
        if name not in self._modules:
            self._modules[name] = Module(name)
        return self._modules[name]

    def _declare(self, module: str, name: str) -> Iterator[str]:
        node = self._module(module).definitions[name]
        if isinstance(node, ast.FunctionDef):
            yield from self._declare_function(module, node)
        elif isinstance(node, ast.ClassDef):
            yield from self._declare_class(module, node)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            annotation = getattr(node, "annotation", None)
            if annotation is None:
                yield f"{name} = {self._show(module, node.value)}"
            else:
                # A constant, whose type is that of its value.
                kind = self._show(module, node.value).rpartition(".")[0]
                yield f"{name}: Literal[{kind}.{ast.unparse(node.value).rpartition('.')[2]}]"
                self._imports["typing", "Literal"] = None

    def _declare_function(self, module: str, node: ast.FunctionDef, margin: str = "") -> Iterator[str]:
        for decorator in node.decorator_list:
            if ast.unparse(decorator) in ("property", "cached_property"):
                yield f"{margin}@property"
        arguments = node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            if argument.annotation is not None:
                argument.annotation = ast.parse(self._show(module, argument.annotation), mode="eval").body
        arguments.defaults = [_ELLIPSIS for _ in arguments.defaults]
        arguments.kw_defaults = [value and _ELLIPSIS for value in arguments.kw_defaults]
        returns = "None" if node.returns is None else self._show(module, node.returns)
        yield f"{margin}def {node.name}({ast.unparse(arguments)}) -> {returns}: ..."

    def _declare_class(self, module: str, node: ast.ClassDef) -> Iterator[str]:
        bases = [base for base in map(ast.unparse, node.bases) if base not in ("JsonObject", "Record")]
        shown = ", ".join(self._show(module, ast.parse(base, mode="eval").body) for base in bases)
        yield f"class {node.name}({shown}):" if shown else f"class {node.name}:"
        members = [*self._declare_members(module, node)]
        if len(bases) < len(node.bases) and not any("def to_dict" in line for line in members):
            self._imports["typing", "Any"] = None
            members.append("    def to_dict(self) -> dict[str, Any]: ...")
        yield from members or ["    ..."]

    def _declare_members(self, module: str, node: ast.ClassDef) -> Iterator[str]:
        if any(base in ("StrEnum", "Enum") for base in map(ast.unparse, node.bases)):
            for member in node.body:
                if isinstance(member, ast.Assign):
                    yield f"    {ast.unparse(member)}"
            return
        yield from self._declare_fields(module, node)
        target = self._bundle.module(module).definitions[node.name]
        assert isinstance(target, ast.ClassDef)
        names = {method.name for method in _methods(target)}
        for method in _methods(node):
            is_offered = method.name in names and not method.name.startswith("_")
            if method.name == "__init__":
                yield from self._declare_attributes(module, method)
            if is_offered or method.name in _PROTOCOL:
                yield from self._declare_function(module, method, "    ")

    def _declare_fields(self, module: str, node: ast.ClassDef) -> Iterator[str]:
        """Yield the declared fields of a class, and the function that makes a dataclass."""
        is_record = is_dataclass(node) is not None
        parameters = ["self"]
        for field in node.body:
            if not isinstance(field, ast.AnnAssign):
                continue
            name = ast.unparse(field.target)
            annotation = self._show(module, field.annotation)
            annotation = _OF_DIALECT.get((node.name, name), annotation)
            if annotation.startswith("ClassVar") or name.startswith("_"):
                continue
            yield f"    {name}: {annotation}"
            has_default = field.value is not None and (
                not ast.unparse(field.value).startswith("field(") or "default" in ast.unparse(field.value)
            )
            parameters.append(f"{name}: {annotation}{' = ...' if has_default else ''}")
        if is_record:
            yield f"    def __init__({', '.join(parameters)}) -> None: ..."

    def _declare_attributes(self, module: str, method: ast.FunctionDef) -> Iterator[str]:
        """Yield the attributes that a constructor sets from its arguments."""
        annotations = {argument.arg: argument.annotation for argument in method.args.args}
        for statement in method.body:
            if isinstance(statement, ast.Assign):
                owner, _, name = ast.unparse(statement.targets[0]).partition(".")
                annotation = annotations.get(name)
                if owner == "self" and annotation is not None:
                    yield f"    {name}: {self._show(module, annotation)}"
            elif isinstance(statement, ast.AnnAssign):
                owner, _, name = ast.unparse(statement.target).partition(".")
                if owner == "self" and not name.startswith("_"):
                    yield f"    {name}: {self._show(module, statement.annotation)}"

    def _show(self, module: str, annotation: ast.expr) -> str:
        """Return an annotation as code, and note the definitions and imports that it needs."""
        for name in ast.walk(annotation):
            if isinstance(name, ast.Name) and not hasattr(builtins, name.id):
                self._need(module, name)
        return ast.unparse(annotation)

    def _need(self, module: str, name: ast.Name) -> None:
        source = self._module(module)
        if name.id in source.definitions:
            target = (module, name.id)
        elif name.id in source.imports:
            target = self._bundle.resolve(*source.imports[name.id])
        else:
            name.id, target = "Any", ("typing", "Any")
        if target[0].startswith(__package__.split(".")[0]):
            self._waiting.append(target)
        else:
            self._imports[target] = None


def _methods(node: ast.ClassDef) -> list[ast.FunctionDef]:
    return [member for member in node.body if isinstance(member, ast.FunctionDef)]


def _copy_docstring(source: ast.stmt, target: ast.stmt) -> None:
    if isinstance(source, ast.FunctionDef | ast.ClassDef) and isinstance(target, ast.FunctionDef | ast.ClassDef):
        docstring = ast.get_docstring(source, clean=False)
        if docstring:
            target.body.insert(0, ast.Expr(ast.Constant(docstring)))
