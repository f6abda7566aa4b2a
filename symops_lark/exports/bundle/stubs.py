"""Write the types of a bundle as a stub for type checkers, and add docstrings to the bundle.

A bundle has no annotations and no docstrings, because most of it is internal. So the definitions
that callers use are read again from the modules of this package: the entries, and each class in
their signatures and fields.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence

from .gathering import Bundle
from .modules import ROOT, Module, Name
from .records import find_dataclass

# Fields whose type depends on the dialect. The export defines these names.
_OF_DIALECT = {
    ("Action", "type"): "_Verb",
    ("Action", "number"): "_Number",
    ("CustomSection", "name"): "_SectionName",
}
_PROTOCOL = ("__new__", "__init__", "__getitem__", "__iter__", "__len__")
_ELLIPSIS = ast.Constant(...)
# Bases that the bundle writes out: callers use only their method `to_dict`.
_RECORDS = ("JsonObject", "Record")


class Stubs:
    """Collects the definitions that callers of a bundle use.

    Args:
        bundle: The bundle.
        entries: Its public definitions.
    """

    def __init__(self, bundle: Bundle, entries: Iterable[Name]) -> None:
        self._bundle = bundle
        self._modules: dict[str, Module] = {}
        self._imports: dict[Name, None] = {}
        self._waiting = [bundle.resolve(*entry) for entry in entries]
        self._definitions: dict[Name, list[str]] = {}
        # The list grows inside the loop, because signatures name more classes.
        for name in self._waiting:
            if name not in self._definitions:
                self._definitions[name] = []
                self._definitions[name] += self._declare(*name)

    def show(self) -> str:
        """Return the stub, without the types that depend on the dialect."""
        lines = [f"from {module} import {name}" for module, name in sorted(self._imports)]
        # A class is defined before the signatures that name it.
        for definition in reversed(self._definitions.values()):
            lines += definition
        return "\n".join(lines) + "\n"

    def add_docstrings(self) -> None:
        """Add docstrings to the definitions of the bundle."""
        for module, name in self._definitions:
            source = self._module(module).definitions[name]
            target = self._bundle.module(module).definitions[name]
            _copy_docstring(source, target)
            methods = {method.name: method for method in _methods(target)}
            for method in _methods(source):
                if method.name in methods and not method.name.startswith("_"):
                    _copy_docstring(method, methods[method.name])

    def _module(self, name: str) -> Module:
        # The module of the bundle has lost its annotations.
        if name not in self._modules:
            self._modules[name] = Module(name)
        return self._modules[name]

    def _declare(self, module: str, name: str) -> Iterator[str]:
        """Yield the lines of a definition in the stub."""
        node = self._module(module).definitions[name]
        match node:
            case ast.FunctionDef():
                yield from self._declare_function(module, node)
            case ast.ClassDef():
                yield from self._declare_class(module, node)
            case ast.Assign(value=value):
                yield f"{name} = {self._show(module, value)}"
            # A constant that is the member of an enum.
            case ast.AnnAssign(value=ast.expr() as value):
                kind = self._show(module, value).rpartition(".")[0]
                member = ast.unparse(value).rpartition(".")[2]
                yield f"{name}: Literal[{kind}.{member}]"
                self._imports["typing", "Literal"] = None

    def _declare_function(
        self, module: str, node: ast.FunctionDef, margin: str = ""
    ) -> Iterator[str]:
        for decorator in map(ast.unparse, node.decorator_list):
            if decorator in ("property", "cached_property"):
                yield f"{margin}@property"
        arguments = node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            if argument.annotation is not None:
                annotation = self._show(module, argument.annotation)
                argument.annotation = ast.parse(annotation, mode="eval").body
        # Defaults can name definitions that the stub does not have.
        arguments.defaults = [_ELLIPSIS] * len(arguments.defaults)
        arguments.kw_defaults = [value and _ELLIPSIS for value in arguments.kw_defaults]
        returns = "None"
        if node.returns is not None:
            returns = self._show(module, node.returns)
        yield f"{margin}def {node.name}({ast.unparse(arguments)}) -> {returns}: ..."

    def _declare_class(self, module: str, node: ast.ClassDef) -> Iterator[str]:
        public = [base for base in node.bases if ast.unparse(base) not in _RECORDS]
        bases = [self._show(module, base) for base in public]
        head = f"class {node.name}"
        if bases:
            head += f"({', '.join(bases)})"
        yield f"{head}:"
        members = list(self._declare_members(module, node))
        is_record = len(bases) < len(node.bases)
        if is_record and not any("def to_dict" in line for line in members):
            self._imports["typing", "Any"] = None
            members.append("    def to_dict(self) -> dict[str, Any]: ...")
        yield from members or ["    ..."]

    def _declare_members(self, module: str, node: ast.ClassDef) -> Iterator[str]:
        bases = set(map(ast.unparse, node.bases))
        if bases & {"StrEnum", "Enum"}:
            for member in node.body:
                if isinstance(member, ast.Assign):
                    yield f"    {ast.unparse(member)}"
            return
        yield from self._declare_fields(module, node)
        target = self._bundle.module(module).definitions[node.name]
        # Methods that nothing calls are not in the bundle.
        names = [method.name for method in _methods(target) if not method.name.startswith("_")]
        for method in _methods(node):
            if method.name == "__init__":
                yield from self._declare_attributes(module, method)
            if method.name in (*names, *_PROTOCOL):
                yield from self._declare_function(module, method, "    ")

    def _declare_fields(self, module: str, node: ast.ClassDef) -> Iterator[str]:
        """Yield the declared fields of a class, and the constructor of a dataclass."""
        parameters = ["self"]
        for field in node.body:
            if not isinstance(field, ast.AnnAssign):
                continue
            name = ast.unparse(field.target)
            annotation = self._show(module, field.annotation)
            # For instance, the type of an action is one of the verbs of the dialect.
            annotation = _OF_DIALECT.get((node.name, name), annotation)
            if annotation.startswith("ClassVar") or name.startswith("_"):
                continue
            declaration = f"{name}: {annotation}"
            yield f"    {declaration}"
            if _has_default(field):
                declaration += " = ..."
            parameters.append(declaration)
        if find_dataclass(node) is not None:
            yield f"    def __init__({', '.join(parameters)}) -> None: ..."

    def _declare_attributes(self, module: str, method: ast.FunctionDef) -> Iterator[str]:
        """Yield the attributes that a constructor sets: those with annotations, and arguments."""
        arguments = {argument.arg: argument.annotation for argument in method.args.args}
        for statement in method.body:
            match statement:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)]):
                    annotation = arguments.get(name)
                    if annotation is not None:
                        yield f"    {name}: {self._show(module, annotation)}"
                case ast.AnnAssign(
                    target=ast.Attribute(value=ast.Name(id="self"), attr=name),
                    annotation=ast.expr() as annotation,
                ):
                    if not name.startswith("_"):
                        yield f"    {name}: {self._show(module, annotation)}"

    def _show(self, module: str, annotation: ast.expr) -> str:
        """Return an annotation as code, and note the definitions and imports that it needs."""
        for part in ast.walk(annotation):
            if isinstance(part, ast.Name) and not hasattr(builtins, part.id):
                self._need(module, part)
        return ast.unparse(annotation)

    def _need(self, module: str, node: ast.Name) -> None:
        source = self._module(module)
        if node.id in source.definitions:
            target = (module, node.id)
        elif node.id in source.imports:
            target = self._bundle.resolve(*source.imports[node.id])
        else:
            # A type that is imported only for type checkers.
            node.id = "Any"
            target = ("typing", "Any")
        if target[0].startswith(ROOT):
            self._waiting.append(target)
        else:
            self._imports[target] = None


def _methods(node: ast.stmt) -> Sequence[ast.FunctionDef]:
    if not isinstance(node, ast.ClassDef):
        return ()
    return [member for member in node.body if isinstance(member, ast.FunctionDef)]


def _has_default(field: ast.AnnAssign) -> bool:
    """Return whether a field of a dataclass has a default."""
    if field.value is None:
        return False
    code = ast.unparse(field.value)
    return "default" in code or not code.startswith("field(")


def _copy_docstring(source: ast.stmt, target: ast.stmt) -> None:
    match source, target:
        case ast.FunctionDef() | ast.ClassDef(), ast.FunctionDef() | ast.ClassDef():
            docstring = ast.get_docstring(source, clean=False)
            if docstring:
                target.body.insert(0, ast.Expr(ast.Constant(docstring)))
