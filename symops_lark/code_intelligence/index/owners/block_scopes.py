"""What binds a name in JavaScript, TypeScript, Go, Rust and Java: their scopes are blocks, so that one table does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .trees import Binding, Chain, Tree, is_field, text_of

_ROOTS = ("program", "source_file")
_SCOPES = frozenset((
    *_ROOTS, "statement_block", "function_declaration", "function_expression", "generator_function",
    "arrow_function", "generator_function_declaration", "method_definition", "class_body",
    "for_statement", "for_in_statement", "catch_clause", "method_declaration", "func_literal", "block",
    "if_statement", "expression_switch_statement", "type_switch_statement", "communication_case",
    "expression_case", "interface_body", "enum_body", "constructor_declaration", "lambda_expression",
    "enhanced_for_statement", "try_with_resources_statement", "function_item", "closure_expression",
    "match_arm", "if_expression", "for_expression", "declaration_list",
))  # fmt: skip
DEFINES = frozenset((  # what has its own name in the field `name`
    "function_declaration", "generator_function_declaration", "class_declaration", "class",
    "method_definition", "abstract_class_declaration", "abstract_method_signature", "method_signature",
    "function_signature", "interface_declaration", "type_alias_declaration", "enum_declaration",
    "internal_module", "module", "public_field_definition", "property_signature", "method_declaration",
    "method_elem", "type_spec", "type_alias", "field_declaration", "constructor_declaration",
    "record_declaration", "annotation_type_declaration", "enum_constant", "function_item",
    "function_signature_item", "struct_item", "union_item", "enum_item", "enum_variant", "trait_item",
    "type_item", "associated_type", "const_item", "static_item", "mod_item", "macro_definition",
    "function_expression",
))  # fmt: skip
_MEMBERS = frozenset((  # of those, what is not bound as a name of its own
    "method_definition", "abstract_method_signature", "method_signature", "public_field_definition",
    "method_elem", "property_signature", "field_declaration", "constructor_declaration",
    "enum_variant",
))  # fmt: skip
_BINDERS = {
    "variable_declarator": "name", "required_parameter": "pattern", "optional_parameter": "pattern",
    "formal_parameters": "", "arrow_function": "parameter", "catch_clause": "parameter", "for_in_statement": "left",
    "import_clause": "", "namespace_import": "", "import_require_clause": "", "import_specifier": "alias",
    "type_parameter": "name",
    "parameter_declaration": "name", "short_var_declaration": "left", "range_clause": "left", "var_spec": "name",
    "const_spec": "name", "formal_parameter": "name", "lambda_expression": "parameters", "inferred_parameters": "",
    "enhanced_for_statement": "name", "catch_formal_parameter": "name", "resource": "name", "parameter": "pattern",
    "let_declaration": "pattern", "for_expression": "pattern", "closure_parameters": "", "match_pattern": "",
    "let_condition": "pattern",
}  # fmt: skip
_PATTERNS = {  # and the field that names stand in
    "array_pattern": "", "object_pattern": "", "pair_pattern": "value", "object_assignment_pattern": "left",
    "assignment_pattern": "left", "rest_pattern": "", "expression_list": "", "tuple_pattern": "",
    "tuple_struct_pattern": "!type", "struct_pattern": "!type", "field_pattern": "", "ref_pattern": "",
    "mut_pattern": "", "captured_pattern": "", "or_pattern": "", "slice_pattern": "", "reference_pattern": "",
}  # fmt: skip
_AFTERWARDS = frozenset(("short_var_declaration", "let_declaration"))
IMPORTS = frozenset(("import_clause", "namespace_import", "import_require_clause", "import_specifier"))


def look_up(tree: Tree, chain: Chain) -> list[Binding]:
    """Return what binds the name at the end of a way, as it is seen there; nothing if the file does not."""
    table = _bindings_of(tree, text_of(chain[-1]))
    if table:
        for node in reversed(chain[:-1]):
            if bound := [each for each in table.get(node.id, ()) if not _is_before(chain[-1], each)]:
                return bound
    return []


def _is_before(node: Any, binding: Binding) -> bool:
    """Return whether a name is used before a statement of Go or Rust has bound it: `key := f(key)` uses another."""
    is_itself = node.id == binding.chain[-1].id
    return not is_itself and binding.source.type in _AFTERWARDS and node.start_byte < binding.source.end_byte


def bindings_at_root(tree: Tree, name: str) -> list[Binding]:
    """Return what binds a name for a whole file."""
    return _bindings_of(tree, name).get(tree.root.id, [])


def _bindings_of(tree: Tree, name: str) -> dict[int, list[Binding]]:
    known = tree.bound.get(name)
    if known is None:
        known = {}
        for chain in tree.chains(name):
            for scope, binding in _bind(tree, chain):
                known.setdefault(scope.id, []).append(binding)
        tree.bound[name] = known
    return known


def _bind(tree: Tree, chain: Chain) -> Iterator[tuple[Any, Binding]]:
    node, above = chain[-1], chain[-2]
    if above.type in DEFINES:
        if node.type != "field_identifier" and above.type not in _MEMBERS and is_field(above, "name", node):
            place = len(chain) - (2 if above.type in ("function_expression", "class") else 3)
            yield _scope_of(chain[: place + 1]), Binding(tree, chain, "definition", above)
        return
    place = len(chain) - 2
    while chain[place].type in _PATTERNS and _is_in(chain[place], _PATTERNS[chain[place].type], chain[place + 1]):
        place -= 1
    holder, below = chain[place], chain[place + 1]
    field = _BINDERS.get(holder.type)
    if holder.type == "import_specifier" and holder.child_by_field_name("alias") is None:
        field = "name"
    if field is None or not _is_in(holder, field, below):
        return
    if tree.language == "rust" and text_of(node)[:1].isupper():
        return  # a constant in a pattern
    kind = "import" if holder.type in IMPORTS else "local"
    yield _scope_of(chain[: place + 1]), Binding(tree, chain, kind, holder)


def _is_in(node: Any, field: str, child: Any) -> bool:
    if field.startswith("!"):
        return not is_field(node, field[1:], child)
    return not field or is_field(node, field, child)


def _scope_of(chain: Chain) -> Any:
    return next((node for node in reversed(chain) if node.type in _SCOPES), chain[0])
