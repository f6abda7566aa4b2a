"""Find the bindings of a name in JavaScript, TypeScript, Go, Rust and Java.

The scopes of these languages are blocks, so that one table is enough for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .trees import Binding, Chain, Tree, innermost, is_field, text_of

_SCOPES = frozenset(
    (
        "program",
        "source_file",
        "statement_block",
        "function_declaration",
        "function_expression",
        "generator_function",
        "arrow_function",
        "generator_function_declaration",
        "method_definition",
        "class_body",
        "for_statement",
        "for_in_statement",
        "catch_clause",
        "method_declaration",
        "func_literal",
        "block",
        "if_statement",
        "expression_switch_statement",
        "type_switch_statement",
        "communication_case",
        "expression_case",
        "interface_body",
        "enum_body",
        "constructor_declaration",
        "lambda_expression",
        "enhanced_for_statement",
        "try_with_resources_statement",
        "function_item",
        "closure_expression",
        "match_arm",
        "if_expression",
        "for_expression",
        "declaration_list",
    )
)
# Members are not bound: they are found by the object or type before a dot.
_MEMBERS = frozenset(
    (
        "method_definition",
        "abstract_method_signature",
        "method_signature",
        "public_field_definition",
        "method_elem",
        "property_signature",
        "field_declaration",
        "constructor_declaration",
        "enum_variant",
    )
)
# These nodes have the name that they define in the field `name`.
DEFINES = _MEMBERS | frozenset(
    (
        "function_declaration",
        "generator_function_declaration",
        "class_declaration",
        "class",
        "abstract_class_declaration",
        "function_signature",
        "interface_declaration",
        "type_alias_declaration",
        "enum_declaration",
        "internal_module",
        "module",
        "method_declaration",
        "type_spec",
        "type_alias",
        "record_declaration",
        "annotation_type_declaration",
        "enum_constant",
        "function_item",
        "function_signature_item",
        "struct_item",
        "union_item",
        "enum_item",
        "trait_item",
        "type_item",
        "associated_type",
        "const_item",
        "static_item",
        "mod_item",
        "macro_definition",
        "function_expression",
    )
)
# These nodes bind the names in a field of them; an empty field stands for all children.
_BINDERS = {
    # JavaScript and TypeScript
    "variable_declarator": "name",
    "required_parameter": "pattern",
    "optional_parameter": "pattern",
    "formal_parameters": "",
    "arrow_function": "parameter",
    "catch_clause": "parameter",
    "for_in_statement": "left",
    "import_clause": "",
    "namespace_import": "",
    "import_require_clause": "",
    "import_specifier": "alias",
    "type_parameter": "name",
    # Go
    "parameter_declaration": "name",
    "short_var_declaration": "left",
    "range_clause": "left",
    "var_spec": "name",
    "const_spec": "name",
    # Java
    "formal_parameter": "name",
    "lambda_expression": "parameters",
    "inferred_parameters": "",
    "enhanced_for_statement": "name",
    "catch_formal_parameter": "name",
    "resource": "name",
    # Rust
    "parameter": "pattern",
    "let_declaration": "pattern",
    "for_expression": "pattern",
    "closure_parameters": "",
    "match_pattern": "",
    "let_condition": "pattern",
}
# Patterns with names in a field of them; an exclamation mark excludes the field.
_PATTERNS = {
    "array_pattern": "",
    "object_pattern": "",
    "pair_pattern": "value",
    "object_assignment_pattern": "left",
    "assignment_pattern": "left",
    "rest_pattern": "",
    "expression_list": "",
    "tuple_pattern": "",
    "tuple_struct_pattern": "!type",
    "struct_pattern": "!type",
    "field_pattern": "",
    "ref_pattern": "",
    "mut_pattern": "",
    "captured_pattern": "",
    "or_pattern": "",
    "slice_pattern": "",
    "reference_pattern": "",
}
# In these statements of Go and Rust the names are not bound yet: `key := f(key)`.
_DELAYED = frozenset(("short_var_declaration", "let_declaration"))
IMPORTS = frozenset(
    ("import_clause", "namespace_import", "import_require_clause", "import_specifier")
)


def is_defined(chain: Chain) -> bool:
    """Return whether the end of a chain is the name of a definition."""
    return chain[-2].type in DEFINES and is_field(chain[-2], "name", chain[-1])


def look_up(tree: Tree, chain: Chain) -> list[Binding]:
    """Return the bindings that the name at the end of a chain refers to, in the same file."""
    # Most names of a text have no binding in it: then no scope is visited.
    by_scope = _bindings_of(tree, text_of(chain[-1]))
    for node in reversed(chain[:-1]) if by_scope else ():
        bindings = by_scope.get(node.id, ())
        valid = [binding for binding in bindings if not _is_before(chain[-1], binding)]
        if valid:
            return valid
    return []


def _is_before(node: Any, binding: Binding) -> bool:
    """Return whether a name is used before it is bound, so that it means another binding."""
    if node.id == binding.chain[-1].id or binding.source.type not in _DELAYED:
        return False
    return bool(node.start_byte < binding.source.end_byte)


def bindings_at_root(tree: Tree, name: str) -> list[Binding]:
    """Return the bindings of a name in the scope of a whole file."""
    return _bindings_of(tree, name).get(tree.root.id, [])


def _bindings_of(tree: Tree, name: str) -> dict[int, list[Binding]]:
    """Return the bindings of a name in a file, by the id of the scope."""
    if name not in tree.bound:
        by_scope: dict[int, list[Binding]] = {}
        for chain in tree.chains(name):
            for scope, binding in _bind(tree, chain):
                by_scope.setdefault(scope.id, []).append(binding)
        tree.bound[name] = by_scope
    return tree.bound[name]


def _bind(tree: Tree, chain: Chain) -> Iterator[tuple[Any, Binding]]:
    """Yield the binding of a name at its own place, with its scope."""
    *_, above, node = chain
    if above.type in DEFINES:
        is_name = node.type != "field_identifier" and is_field(above, "name", node)
        if is_name and above.type not in _MEMBERS:
            # An expression has its name only inside, a declaration in the scope around it.
            end = -1 if above.type in ("function_expression", "class") else -2
            yield _scope_of(chain[:end]), Binding(tree, chain, "definition", above)
        return
    # A pattern may be inside of other ones.
    index = len(chain) - 2
    while chain[index].type in _PATTERNS:
        if not _is_in(chain[index], _PATTERNS[chain[index].type], chain[index + 1]):
            break
        index -= 1
    binder = chain[index]
    field = _BINDERS.get(binder.type)
    if binder.type == "import_specifier" and binder.child_by_field_name("alias") is None:
        field = "name"
    if field is None or not _is_in(binder, field, chain[index + 1]):
        return
    if tree.language == "rust" and text_of(node)[:1].isupper():
        return  # a constant in a pattern
    kind = "import" if binder.type in IMPORTS else "local"
    yield _scope_of(chain[: index + 1]), Binding(tree, chain, kind, binder)


def _is_in(node: Any, field: str, child: Any) -> bool:
    if field.startswith("!"):
        return not is_field(node, field[1:], child)
    return not field or is_field(node, field, child)


def _scope_of(chain: Chain) -> Any:
    return innermost(chain, _SCOPES) or chain[0]
