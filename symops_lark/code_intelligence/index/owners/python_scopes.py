"""What binds a name in Python, and which binding a name means: functions, classes and comprehensions are scopes."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

from .modules import Modules
from .trees import Binding, Chain, Tree, is_field, text_of

_BODIES = frozenset(("function_definition", "class_definition", "lambda"))
_COMPREHENSIONS = frozenset(
    ("list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression")
)
_PATTERNS = frozenset(
    ("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list", "parenthesized_expression")
)
_STARS = ("list_splat_pattern", "dictionary_splat_pattern")
_LEFT = {
    "assignment": "left", "augmented_assignment": "left", "for_statement": "left", "for_in_clause": "left",
    "named_expression": "name",
}  # fmt: skip


def scopes_of(chain: Chain) -> Iterator[Any]:
    """Yield the scopes that a place sees, from the inside out; the file itself is the last."""
    in_function = False
    for above, below in zip(chain[-2::-1], chain[:0:-1], strict=False):
        kind = above.type
        if kind in _COMPREHENSIONS:
            yield above
        elif kind in _BODIES and is_field(above, "body", below) and not (kind == "class_definition" and in_function):
            in_function = in_function or kind != "class_definition"
            yield above
    yield chain[0]


def bindings_of(tree: Tree, name: str) -> dict[int, list[Binding]]:
    """Return what binds a name in a file, by the id of the scope's node."""
    known = tree.bound.get(name)
    if known is not None:
        return known
    found: dict[int, list[Binding]] = {}
    elsewhere: dict[int, bool] = {}  # scopes that say `global` (true) or `nonlocal`
    for chain in tree.chains(name):
        if chain[-2].type in ("global_statement", "nonlocal_statement"):
            elsewhere[next(scopes_of(chain)).id] = chain[-2].type == "global_statement"
        elif bound := bind(tree, chain):
            scope, binding = bound
            found.setdefault(scope.id, []).append(binding)
    for scope_id, is_global in elsewhere.items():
        moved = found.pop(scope_id, [])
        if is_global and moved:
            found.setdefault(tree.root.id, []).extend(moved)
    tree.bound[name] = found
    return found


def parameters(function: Binding, name: str) -> set[Binding]:
    """Return the parameter of a function that has a name; nothing if there is none."""
    bound = bindings_of(function.tree, name).get(function.chain[-2].id, [])
    return {binding for binding in bound if binding.kind == "parameter"}


def look_up(tree: Tree, chain: Chain, name: str) -> list[Binding]:
    """Return what a name means at a place; nothing if the file does not bind it there."""
    found = bindings_of(tree, name)
    if found:
        for scope in scopes_of(chain):
            bound = found.get(scope.id, [])
            if scope.type == "class_definition":
                # The body of a class runs line by line: before a name is bound there, it is one outside.
                bound = [binding for binding in bound if _end_of(binding) <= chain[-1].start_byte]
            if bound:
                return bound
    return []


def _end_of(binding: Binding) -> int:
    """Return the byte from which on a binding holds in the body of a class."""
    is_whole = binding.source.type in ("assignment", "function_definition", "class_definition")
    return int((binding.source if is_whole else binding.chain[-1]).end_byte)


def name_outside(tree: Tree, chain: Chain, modules: Modules) -> str:
    """Return the module that has a name which nothing in the folder defines; of a value, the module is unknown."""
    statement = next((node for node in reversed(chain) if node.type.startswith("import_")), None)
    first = chain[-2]
    while first.child_count:
        first = first.children[0]
    for binding in look_up(tree, chain, text_of(first)) if statement is None else ():
        statement = next((node for node in reversed(binding.chain) if node.type.startswith("import_")), None)
    if statement is not None:
        source = statement.child_by_field_name("module_name") or statement.child_by_field_name("name")
        module = text_of(source).partition(" as ")[0]
        # What a module of the folder has may be an object from outside.
        if not module.startswith(".") and not modules.python(module, 0, tree.path):
            return module
    return "builtins" if hasattr(builtins, text_of(first)) else "objects of builtins or of packages outside"


def bind(tree: Tree, chain: Chain) -> tuple[Any, Binding] | None:
    """Return what a name binds where it stands, with its scope; None if it is only used there."""
    node, above = chain[-1], chain[-2]
    if above.type in ("function_definition", "class_definition"):
        kind = above.type.partition("_")[0]
        return _bound(tree, chain, kind, above) if is_field(above, "name", node) else None
    for make in (_bind_import, _bind_parameter, _bind_target, _bind_case):
        if found := make(tree, chain):
            return found
    return None


def _bound(tree: Tree, chain: Chain, kind: str, source: Any, scope: Any = None) -> tuple[Any, Binding]:
    return scope or next(scopes_of(chain)), Binding(tree, chain, kind, source)


def _bind_import(tree: Tree, chain: Chain) -> tuple[Any, Binding] | None:
    node, above = chain[-1], chain[-2]
    if above.type == "aliased_import":
        return _bound(tree, chain, "import", above) if is_field(above, "alias", node) else None
    if above.type != "dotted_name" or above.children[0].id != node.id:
        return None
    statement = chain[-3]
    is_named = statement.type == "import_from_statement" and is_field(statement, "name", above)
    return _bound(tree, chain, "import", above) if is_named or statement.type == "import_statement" else None


def _bind_parameter(tree: Tree, chain: Chain) -> tuple[Any, Binding] | None:
    place = len(chain) - 2
    while chain[place].type in _STARS or (place < len(chain) - 2 and chain[place].type == "tuple_pattern"):
        place -= 1
    above, below = chain[place], chain[place + 1]
    is_name = above.type == "typed_parameter" and above.children[0].id == below.id
    is_name = is_name or (above.type.endswith("default_parameter") and is_field(above, "name", below))
    if is_name:
        place -= 1
    if chain[place].type not in ("parameters", "lambda_parameters"):
        return None
    return _bound(tree, chain, "parameter", chain[place + 1], chain[place - 1])


def _bind_target(tree: Tree, chain: Chain) -> tuple[Any, Binding] | None:
    target = find_target(chain)
    if target is None:
        return None
    kind, source = target
    passed_over = _COMPREHENSIONS if source.type == "named_expression" else ()
    scope = next(scope for scope in scopes_of(chain) if scope.type not in passed_over)
    return _bound(tree, chain, kind, source, scope)


def find_target(chain: Chain) -> tuple[str, Any] | None:
    """Return how the end of a way is assigned, and the node that says what; None if it is not.

    `part` is one of several names whose value cannot be told apart.
    """
    place = len(chain) - 2
    while chain[place].type in _PATTERNS:
        place -= 1
    above, below = chain[place], chain[place + 1]
    plain = place == len(chain) - 2
    if above.type == "as_pattern_target":
        return "as" if plain else "part", chain[place - 1]
    if above.type == "as_pattern":  # of a case
        return ("part", above) if above.children[-1].id == below.id else None
    if above.type not in _LEFT or not is_field(above, _LEFT[above.type], below):
        return None
    if above.type in ("for_statement", "for_in_clause"):
        return "each" if plain else "part", above
    if plain:
        return above.type, above
    value = _value_at(above, chain[place + 1 :])
    return ("given", value) if value is not None else ("part", above)


def _value_at(assignment: Any, way: Chain) -> Any:
    """Return the value that a name among several gets, where the values are written side by side."""
    right = assignment.child_by_field_name("right")
    if right is None or len(way) != 2 or right.type not in ("expression_list", "tuple", "list"):
        return None
    names, values = way[0].named_children, right.named_children
    if len(names) != len(values) or any("splat" in node.type for node in (*names, *values)):
        return None
    return next(value for name, value in zip(names, values, strict=True) if name.id == way[1].id)


def _bind_case(tree: Tree, chain: Chain) -> tuple[Any, Binding] | None:
    above = chain[-2]
    if above.type == "splat_pattern":
        return _bound(tree, chain, "part", above)
    if above.type == "type":
        is_alias = chain[-3].type == "type_alias_statement" and is_field(chain[-3], "left", above)
        return _bound(tree, chain, "alias", chain[-3]) if is_alias else None
    is_case = above.type == "dotted_name" and chain[-3].type in ("case_pattern", "keyword_pattern")
    return _bound(tree, chain, "part", above) if is_case and above.child_count == 1 else None
