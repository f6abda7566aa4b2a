"""Find the meaning of names of Python across files.

The sources are scopes, imports, classes, annotations and calls. No code is run. A meaning that
cannot be determined is `UNKNOWN`; one that is not in the index is `OUTSIDE`.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection, Iterable
from typing import Any

from ..packages.modules import Modules
from ..trees import Binding, Chain, Load, Tree, innermost, is_at, text_of
from .annotations import Annotations
from .imports import Imports
from .members import Members, arguments_of
from .scopes import IMPORTS, bind, bindings_of, parameters
from .things import (
    AROUND,
    ITEM_GETTERS,
    LISTS,
    ONLY_OUTSIDE,
    ONLY_UNKNOWN,
    OUTSIDE,
    PICKERS,
    SAME,
    UNKNOWN,
    Answers,
    Instance,
    Items,
    Lacking,
    Thing,
    Things,
    ancestors,
    binding_of,
    first_argument,
    instance_of,
    is_class,
    is_enum_member,
    is_first,
    is_function,
    itself,
    only,
    returned,
    returns_self,
    spread,
    union,
)

_PLAIN = frozenset(
    (
        "string",
        "concatenated_string",
        "integer",
        "float",
        "true",
        "false",
        "none",
        "dictionary",
        "ellipsis",
        "lambda",
        "dictionary_comprehension",
        "comparison_operator",
        "not_operator",
    )
)
_DISPLAYS = frozenset(("list", "tuple", "set", "expression_list"))
_MAX_ITEMS = 10  # of a display that are read: long ones have items of one kind
_COMPREHENSIONS = frozenset(("list_comprehension", "set_comprehension", "generator_expression"))
_WRAPPERS = frozenset(("await", "parenthesized_expression", "as_pattern", "with_item"))


class PythonNames:
    """Finds meanings in all files of Python."""

    def __init__(self, modules: Modules, load: Load) -> None:
        # All parts share one cache, so that circles through several of them are seen.
        self._answers = Answers()
        self._once = self._answers.once
        self._imports = Imports(modules, load, self._once)
        self._named = self._imports.named
        self._members = Members(self._imports, self._values)
        annotations = Annotations(self._once, self._values, self._meant, self._named)
        self._annotation = annotations.read

    def meant(self, tree: Tree, chain: Chain) -> Things:
        """Return the things that the name at the end of a chain may mean."""
        self._answers.steps = 0
        return self._meant(tree, chain)

    def mentioned(self, tree: Tree, chain: Chain, name: str) -> Things:
        """Return the things that a name in a string may mean: in an annotation or `__all__`.

        Args:
            tree: The file.
            chain: The chain to the string.
            name: The name.
        """
        self._answers.steps = 0
        return self._named(tree, chain, name)

    def overridden(self, tree: Tree, chain: Chain) -> Things:
        """Return the members of bases that a definition overrides."""
        self._answers.steps = 0
        around = innermost(chain[:-2], AROUND)
        if around is None or around.type != "class_definition":
            return frozenset()
        cls = binding_of(tree, around)
        return self._members.inherited(cls, text_of(chain[-1]))

    def descends(self, tree: Tree, chain: Chain, places: Collection[tuple[str, int]]) -> bool:
        """Return whether the class around a definition is derived from one of some classes.

        Args:
            tree: The file of the definition.
            chain: The chain to its name.
            places: The places of the names of the classes.
        """
        around = innermost(chain[:-2], ("class_definition",))
        if around is None:
            return False
        classes = ancestors(binding_of(tree, around), self._members.bases)
        return any(cls.place in places for cls in classes)

    # ---- names

    def _meant(self, tree: Tree, chain: Chain) -> Things:
        *_, above, node = chain
        name = text_of(node)
        if is_at(chain, "attribute", "attribute"):
            return self._members.of_things(
                self._values(tree, above.child_by_field_name("object")), name
            )
        is_first_child = above.children[0].id == node.id
        if is_first_child and above.type == "keyword_argument":
            return self._keyword(tree, chain, name)
        if is_first_child and above.type == "keyword_pattern":
            return ONLY_UNKNOWN
        if bound := bind(tree, chain):
            scope, binding = bound
            by_scope = bindings_of(tree, name)
            # With `global` the binding is at the root.
            bindings = by_scope.get(scope.id) or by_scope.get(tree.root.id)
            return self._imports.follow(bindings or [binding])
        if above.type == "dotted_name":
            return self._in_import(tree, chain, name)
        return self._named(tree, chain, name)

    def _in_import(self, tree: Tree, chain: Chain, name: str) -> Things:
        """Return the meaning of a name that an import mentions without binding it."""
        statement = innermost(chain[-5:-2], IMPORTS)
        if statement is None:  # in a pattern
            first = chain[-2].children[0]
            things = self._named(tree, chain, text_of(first))
            if first.id == chain[-1].id:
                return things
            return self._members.of_things(union(map(self._value, things)), name)
        source = statement.child_by_field_name("module_name")
        if source is not None and source.end_byte <= chain[-1].start_byte:
            return self._imports.exported_by(tree, statement, name)
        # A part of the name of a module: the folder or module up to there.
        start = (source or chain[-2]).start_byte
        path = tree.data[start : chain[-1].end_byte].decode("utf-8", "replace")
        return self._imports.module(tree, path)

    def _keyword(self, tree: Tree, chain: Chain, name: str) -> Things:
        """Return the parameters that a keyword argument may be passed to."""
        things = set()
        for value in self._values(tree, chain[-4].child_by_field_name("function") or chain[-1]):
            if not isinstance(value, Binding):
                things.add(UNKNOWN if value is UNKNOWN else OUTSIDE)
                continue
            makers = only(value)
            if is_class(value):
                makers = self._members.of_class(value, "__init__")
            functions = list(filter(is_function, makers))
            for function in functions:
                things |= parameters(function, name) or ONLY_UNKNOWN
            if not functions:  # a dataclass, whose fields are its arguments
                things |= self._members.of_things(only(value), name)
        return frozenset(things)

    # ---- values

    def _values(self, tree: Tree, node: Any) -> Things:
        """Return the values that an expression may have."""
        return self._once((tree.path, node.id), lambda: self._evaluate(tree, node))

    def _evaluate(self, tree: Tree, node: Any) -> Things:
        kind = node.type
        if kind in ("identifier", "attribute"):
            name = node if kind == "identifier" else node.child_by_field_name("attribute")
            return union(map(self._value, self._meant(tree, tree.chain_to(name))))
        if kind == "call":
            return self._call(tree, node)
        if kind in _PLAIN:
            return ONLY_OUTSIDE
        if kind in _DISPLAYS:
            items = [item for item in node.named_children[:_MAX_ITEMS] if item.type != "comment"]
            return only(Items(self._values_of_all(tree, items)))
        if kind in _COMPREHENSIONS:
            return only(Items(self._field(tree, node, "body")))
        if kind == "subscript":
            return union(map(_item_or_class, self._field(tree, node, "value")))
        if kind in ("conditional_expression", "boolean_operator"):
            children = node.named_children
            return self._values_of_all(tree, [children[0], children[-1]])
        if kind in _WRAPPERS and node.named_child_count:
            return self._values(tree, node.named_children[0])
        if kind == "named_expression":
            return self._field(tree, node, "value")
        return ONLY_UNKNOWN

    def _field(self, tree: Tree, node: Any, name: str) -> Things:
        """Return the values of the expression in a field of a node."""
        return self._values(tree, node.child_by_field_name(name))

    def _values_of_all(self, tree: Tree, nodes: Iterable[Any]) -> Things:
        return union([self._values(tree, node) for node in nodes])

    def _call(self, tree: Tree, node: Any) -> Things:
        called = node.child_by_field_name("function")
        name = text_of(called).rpartition(".")[2]
        functions = self._values(tree, called)
        if functions <= ONLY_OUTSIDE:
            return self._call_outside(tree, node, name)
        # A subclass inherits the method: the result is of the class of the object.
        if called.type == "attribute" and any(map(returns_self, functions)):
            return union(map(_as_instance, self._field(tree, called, "object")))
        # `items.pop()` returns an item, if `items` is a known container.
        if name in ITEM_GETTERS:
            return union(
                value.of if isinstance(value, Items) else self._result(value) for value in functions
            )
        results = union(map(self._result, functions))
        # Overloads.
        if len(functions) == 1:
            return results
        return results | ONLY_UNKNOWN

    def _call_outside(self, tree: Tree, node: Any, name: str) -> Things:
        """Return the values of a call of a function that is not in the index."""
        if name == "super":
            around = innermost(tree.chain_to(node), ("class_definition",))
            bases = self._members.bases(binding_of(tree, around)) if around is not None else ()
            return union(map(instance_of, bases))
        arguments = arguments_of(node.child_by_field_name("arguments"))
        count = len(arguments)
        # Only names: these functions may be imported from any module.
        if name == "cast" and count == 2:
            return self._annotation(tree, arguments[0])
        if arguments and name in LISTS:
            elements = [self._elements(self._values(tree, argument)) for argument in arguments]
            return only(Items(union(elements)))
        if arguments and name in SAME:
            return self._values(tree, arguments[0])
        if count == 1 and name in PICKERS:
            return self._elements(self._values(tree, arguments[0]))
        if count == 1 and name == "type":
            values = self._values(tree, arguments[0])
            return frozenset(
                value.of if isinstance(value, Instance) else UNKNOWN for value in values
            )
        # A class from outside, by convention: its objects have members from outside.
        is_builtin = isinstance(getattr(builtins, name, None), type)
        is_outside = is_builtin or name[:1].isupper() or name in ("len", "repr")
        if is_outside:
            return ONLY_OUTSIDE
        return ONLY_UNKNOWN

    def _result(self, value: Thing) -> Things:
        """Return the values of a call of a thing."""
        if is_class(value):
            return instance_of(value)
        if isinstance(value, Binding):
            return self._returns(value)
        if isinstance(value, Instance):
            return self._results_of(value, "__call__")
        if isinstance(value, Items):
            return only(value)
        return ONLY_UNKNOWN

    def _results_of(self, value: Instance, name: str) -> Things:
        """Return the values of a call of a method."""
        methods = self._members.of_class(value.of, name)
        return union(self._result(method) for method in methods if isinstance(method, Binding))

    def _returns(self, function: Binding) -> Things:
        if function.kind != "function":
            return ONLY_UNKNOWN
        tree, definition = function.tree, function.chain[-2]
        annotation = definition.child_by_field_name("return_type")
        if annotation is not None:
            return self._annotation(tree, annotation)
        body = definition.child_by_field_name("body")
        key = ("returns", *function.place)
        return self._once(key, lambda: self._values_of_all(tree, returned(body)))

    def _elements(self, values: Things) -> Things:
        """Return the things that a loop over some values yields."""
        return union(map(self._elements_of, values))

    def _elements_of(self, value: Thing) -> Things:
        if isinstance(value, Items):
            return value.of
        if isinstance(value, Instance):
            return self._elements(self._results_of(value, "__iter__"))
        return ONLY_UNKNOWN

    def _value(self, thing: Thing) -> Things:
        """Return the values of a thing that a name means."""
        if isinstance(thing, Binding):
            key = ("value", *thing.place)
            return itself(thing) or self._once(key, lambda: self._value_of_binding(thing))
        if isinstance(thing, Lacking):
            return ONLY_OUTSIDE
        return only(thing)

    def _value_of_binding(self, thing: Binding) -> Things:
        tree, source = thing.tree, thing.source
        match thing.kind:
            case "function":
                return self._returns(thing)
            case "parameter":
                return self._parameter(thing)
            case "assignment":
                return self._assigned(thing)
            case "named_expression":
                return self._field(tree, source, "value")
            case "given":
                return self._values(tree, source)
            case "each":
                return self._elements(self._field(tree, source, "right"))
            case "as":
                return self._entered(thing)
        # One of several names: its value is any of the values on the right.
        if source.type == "assignment":
            return union(map(spread, self._field(tree, source, "right")))
        if source.type in ("for_statement", "for_in_clause"):
            return union(map(spread, self._elements(self._field(tree, source, "right"))))
        return ONLY_UNKNOWN

    def _assigned(self, thing: Binding) -> Things:
        annotation = thing.source.child_by_field_name("type")
        right = thing.source.child_by_field_name("right")
        if annotation is None and is_enum_member(thing):
            return instance_of(binding_of(thing.tree, thing.chain[-5]))
        if annotation is None:
            if right is None:
                return ONLY_UNKNOWN
            return self._values(thing.tree, right)
        values = self._annotation(thing.tree, annotation)
        if right is None:
            return values
        # If the assigned object is of another class, the value may be of either.
        assigned = self._values(thing.tree, right)
        objects = frozenset(value for value in assigned if isinstance(value, Instance))
        if objects <= values:
            return values
        return values | objects | ONLY_UNKNOWN

    def _entered(self, thing: Binding) -> Things:
        """Return the values of `with … as` and `except … as`."""
        values = self._values(thing.tree, thing.source.children[0])
        if innermost(thing.chain[-4:], ("except_clause",)) is not None:
            return union(map(instance_of, values))
        return union(value.of if isinstance(value, Items) else only(value) for value in values)

    def _parameter(self, thing: Binding) -> Things:
        annotation = thing.source.child_by_field_name("type")
        if annotation is not None:
            values = self._annotation(thing.tree, annotation)
            has_star = any(node.type.endswith("splat_pattern") for node in thing.chain[-3:])
            if has_star:
                return only(Items(values))
            return values
        function = innermost(thing.chain, ("function_definition",))
        if function is None or not is_first(function, thing.chain[-1]):
            return ONLY_UNKNOWN
        return first_argument(thing, function)


def _item_or_class(value: Thing) -> Things:
    """Return the values of a thing with an index: of a generic class, the class."""
    if is_class(value):
        return only(value)
    if isinstance(value, Items):
        return value.of
    return ONLY_UNKNOWN


def _as_instance(value: Thing) -> Things:
    if isinstance(value, Instance):
        return only(value)
    return instance_of(value)
