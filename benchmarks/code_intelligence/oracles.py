"""What others say of Python files: `ast` of definitions, `jedi` of references."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Place(NamedTuple):
    """Where a name stands."""

    path: str
    line: int


def definitions(root: Path, paths: list[str]) -> dict[str, set[Place]]:
    """Return the functions, classes, and names assigned outside of functions, by `ast`."""
    table: dict[str, set[Place]] = {}
    for path in paths:
        tree = ast.parse((root / path).read_bytes())
        for name, line in _names(tree, within=False):
            table.setdefault(name, set()).add(Place(path, line))
    return table


def _names(node: ast.AST, *, within: bool) -> Iterator[tuple[str, int]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield child.name, child.lineno
            yield from _names(child, within=within or not isinstance(child, ast.ClassDef))
            continue
        if not within and isinstance(child, ast.Assign | ast.AnnAssign):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            for target in targets:
                yield from ((name.id, name.lineno) for name in _assigned(target))
        yield from _names(child, within=within or isinstance(child, ast.Lambda))


def _assigned(target: ast.expr) -> Iterator[ast.Name]:
    """Yield the names that an assignment binds: in tuples and lists too, not in indices."""
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, ast.Starred):
        yield from _assigned(target.value)
    elif isinstance(target, ast.Tuple | ast.List):
        for elt in target.elts:
            yield from _assigned(elt)


def references(root: Path, path: str, line: int, column: int) -> set[Place] | None:
    """Return the uses of what is defined at a place, by jedi; None if it does not know."""
    import jedi
    import jedi.inference.references as limits

    limits._PARSED_FILE_LIMIT = limits._OPENED_FILE_LIMIT = 100_000  # else it stops after 30 files
    project = jedi.Project(root, smart_sys_path=False, added_sys_path=[str(root)])
    script = jedi.Script(path=root / path, project=project)
    try:
        result = script.get_references(line, column, include_builtins=False)
    except Exception:  # noqa: BLE001  (jedi has errors of its own for code that it does not understand)
        return None
    inside = [name for name in result if name.module_path and name.module_path.is_relative_to(root)]
    return {Place(name.module_path.relative_to(root).as_posix(), name.line) for name in inside}
