"""Find the bindings of a name in Python.

The scopes are modules, functions, classes and comprehensions.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ..packages.modules import Modules
from ..trees import Binding, Chain, Tree, innermost, is_at, is_field, text_of

_BODIES = frozenset(("function_definition", "class_definition", "lambda"))
_COMPREHENSIONS = frozenset(
    ("list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression")
)
_PATTERNS = frozenset(
    (
        "pattern_list",
        "tuple_pattern",
        "list_pattern",
        "list_splat_pattern",
        "tuple",
        "list",
        "parenthesized_expression",
    )
)
_STARS = ("list_splat_pattern", "dictionary_splat_pattern")
IMPORTS = frozenset(("import_statement", "import_from_statement"))
# The fields of statements and expressions with the names that they bind.
_TARGETS = {
    "assignment": "left",
    "augmented_assignment": "left",
    "for_statement": "left",
    "for_in_clause": "left",
    "named_expression": "name",
}


def scopes_of(chain: Chain) -> Iterator[Any]:
    """Yield the scopes around a name, the innermost first; the file itself is the last."""
    in_function = False
    for below, above in pairwise(reversed(chain)):
        kind = above.type
        if kind in _COMPREHENSIONS:
            yield above
        elif kind in _BODIES and is_field(above, "body", below):
            # The names of a class are not visible in its methods.
            is_class = kind == "class_definition"
            if not (is_class and in_function):
                yield above
            in_function = in_function or not is_class
    yield chain[0]


def bindings_of(tree: Tree, name: str) -> dict[int, list[Binding]]:
    """Return the bindings of a name in a file, by the id of the scope's node."""
    if name in tree.bound:
        return tree.bound[name]
    by_scope: dict[int, list[Binding]] = {}
    is_global = {}  # for scopes with `global` or `nonlocal`
    for chain in tree.chains(name):
        statement = chain[-2].type
        if statement in ("global_statement", "nonlocal_statement"):
            scope = next(scopes_of(chain))
            is_global[scope.id] = statement == "global_statement"
        elif result := bind(tree, chain):
            scope, binding = result
            by_scope.setdefault(scope.id, []).append(binding)
    # `nonlocal` means the scope around, which has its own binding of the name.
    for scope_id, is_in_file in is_global.items():
        moved = by_scope.pop(scope_id, [])
        if is_in_file and moved:
            by_scope.setdefault(tree.root.id, []).extend(moved)
    tree.bound[name] = by_scope
    return by_scope


def parameters(function: Binding, name: str) -> set[Binding]:
    """Return the parameter of a function that has a name; an empty set if there is none."""
    bindings = bindings_of(function.tree, name).get(function.chain[-2].id, [])
    return {binding for binding in bindings if binding.kind == "parameter"}


def look_up(tree: Tree, chain: Chain, name: str) -> list[Binding]:
    """Return the bindings that a name refers to.

    Args:
        tree: The file.
        chain: The chain to the place where the name is used.
        name: The name.
    """
    by_scope = bindings_of(tree, name)
    for scope in scopes_of(chain) if by_scope else ():
        bindings = by_scope.get(scope.id, [])
        if scope.type == "class_definition":
            # The body of a class runs line by line: before a name is bound there, it means
            # one outside.
            start = chain[-1].start_byte
            bindings = [binding for binding in bindings if _end_of(binding) <= start]
        if bindings:
            return bindings
    return []


def _end_of(binding: Binding) -> int:
    """Return the byte after which a binding is valid in the body of a class."""
    node = binding.chain[-1]
    if binding.source.type in ("assignment", "function_definition", "class_definition"):
        node = binding.source
    return int(node.end_byte)


def name_outside(tree: Tree, chain: Chain, modules: Modules) -> str:
    """Return the module that has a name without a definition in the folder.

    Args:
        tree: The file of the name.
        chain: The chain to it.
        modules: The modules of the folder.
    """
    statement = innermost(chain, IMPORTS)
    # Of `os.path.join` the import of `os` decides.
    first = chain[-2]
    while first.child_count:
        first = first.children[0]
    if statement is None:
        for binding in look_up(tree, chain, text_of(first)):
            statement = innermost(binding.chain, IMPORTS)
    if statement is not None:
        field = statement.child_by_field_name
        source = field("module_name") or field("name")
        module = text_of(source).partition(" as ")[0]
        # A module of the folder may have an object from outside.
        if not module.startswith(".") and not modules.python(module, 0, tree.path):
            return module
    is_builtin = hasattr(builtins, text_of(first))
    if is_builtin:
        return "builtins"
    return "objects of builtins or of packages outside"


def bind(tree: Tree, chain: Chain) -> tuple[Any, Binding] | None:
    """Return the binding that a name makes, with its scope; None if it is only used."""
    above = chain[-2]
    if above.type in ("function_definition", "class_definition"):
        kind = above.type.partition("_")[0]
        if is_field(above, "name", chain[-1]):
            return _bound(tree, chain, kind, above)
        return None
    for make in (_bind_import, _bind_parameter, _bind_target, _bind_case):
        if result := make(tree, chain):
            return result
    return None


def _bound(
    tree: Tree, chain: Chain, kind: str, source: Any, scope: Any = None
) -> tuple[Any, Binding]:
    return scope or next(scopes_of(chain)), Binding(tree, chain, kind, source)


def _bind_import(tree: Tree, chain: Chain) -> tuple[Any, Binding] | None:
    above = chain[-2]
    if above.type == "aliased_import":
        is_bound = is_field(above, "alias", chain[-1])
    elif above.type == "dotted_name" and above.children[0].id == chain[-1].id:
        # `import a.b` binds `a`.
        is_import = chain[-3].type == "import_statement"
        is_bound = is_import or is_at(chain[:-1], "import_from_statement", "name")
    else:
        is_bound = False
    if is_bound:
        return _bound(tree, chain, "import", above)
    return None


def _bind_parameter(tree: Tree, chain: Chain) -> tuple[Any, Binding] | None:
    last = index = len(chain) - 2
    while chain[index].type in _STARS or (index < last and chain[index].type == "tuple_pattern"):
        index -= 1
    above, below = chain[index], chain[index + 1]
    if above.type == "typed_parameter":
        is_name = above.children[0].id == below.id
    else:
        is_default = above.type.endswith("default_parameter")
        is_name = is_default and is_field(above, "name", below)
    if is_name:
        index -= 1
    if chain[index].type not in ("parameters", "lambda_parameters"):
        return None
    return _bound(tree, chain, "parameter", chain[index + 1], chain[index - 1])


def _bind_target(tree: Tree, chain: Chain) -> tuple[Any, Binding] | None:
    target = find_target(chain)
    if target is None:
        return None
    kind, source = target
    # `:=` in a comprehension binds in the scope around it.
    skipped = _COMPREHENSIONS if source.type == "named_expression" else ()
    scope = next(scope for scope in scopes_of(chain) if scope.type not in skipped)
    return _bound(tree, chain, kind, source, scope)


def find_target(chain: Chain) -> tuple[str, Any] | None:
    """Return how the end of a chain is assigned; None if it is not.

    Returns:
        The kind of the assignment, and the node that determines the value. The kind is `part` if
        the name is one of several, and its value is unknown.
    """
    index = len(chain) - 2
    while chain[index].type in _PATTERNS:
        index -= 1
    above, below = chain[index], chain[index + 1]
    is_alone = index == len(chain) - 2
    if above.type == "as_pattern_target":
        return "as" if is_alone else "part", chain[index - 1]
    if above.type == "as_pattern":  # of a case
        if above.children[-1].id == below.id:
            return ("part", above)
        return None
    field = _TARGETS.get(above.type)
    if field is None or not is_field(above, field, below):
        return None
    if above.type in ("for_statement", "for_in_clause"):
        return "each" if is_alone else "part", above
    if is_alone:
        return above.type, above
    value = _value_at(above, chain[index + 1 :])
    if value is None:
        return ("part", above)
    return ("given", value)


def _value_at(assignment: Any, chain: Chain) -> Any:
    """Return the value of a name among several, if the values are a list of the same length."""
    right = assignment.child_by_field_name("right")
    if right is None or len(chain) != 2 or right.type not in ("expression_list", "tuple", "list"):
        return None
    names = chain[0].named_children
    values = right.named_children
    if len(names) != len(values) or any("splat" in node.type for node in (*names, *values)):
        return None
    return values[[name.id for name in names].index(chain[1].id)]


def _bind_case(tree: Tree, chain: Chain) -> tuple[Any, Binding] | None:
    above = chain[-2]
    if above.type == "splat_pattern":
        return _bound(tree, chain, "part", above)
    if above.type == "generic_type" and above.children[0].id == chain[-1].id:
        # `type Tree[T] = …`
        chain = (*chain[:-2], chain[-1])
        above = chain[-2]
    if above.type == "type":
        is_alias = is_at(chain[:-1], "type_alias_statement", "left")
        if is_alias:
            return _bound(tree, chain, "alias", chain[-3])
        return None
    if above.type != "dotted_name" or above.child_count != 1:
        return None
    is_case = chain[-3].type in ("case_pattern", "keyword_pattern")
    if is_case:
        return _bound(tree, chain, "part", above)
    return None
