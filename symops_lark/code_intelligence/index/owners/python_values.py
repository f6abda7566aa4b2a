"""What a name of Python means in the end, across files: by scopes, imports, classes, annotations and constructions.

Nothing is run. What cannot be told is `UNKNOWN`; what is no part of the index is `OUTSIDE`.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .modules import Modules
from .python_annotations import Annotations
from .python_scopes import bind, bindings_of, look_up, parameters
from .python_things import (
    AROUND,
    LISTS,
    ONE,
    OUTSIDE,
    SAME,
    TAKE,
    UNKNOWN,
    Answers,
    Instance,
    Items,
    Lacking,
    Module,
    Thing,
    Things,
    ancestors,
    attributes,
    binding_of,
    first_argument,
    instance_of,
    is_enum_member,
    is_first,
    itself,
    one_of,
    returned,
    returns_self,
    same_attribute,
    spread,
    stars,
    union,
)
from .trees import Binding, Chain, Tree, text_of

_PLAIN = frozenset((
    "string", "concatenated_string", "integer", "float", "true", "false", "none", "dictionary", "ellipsis", "lambda",
    "dictionary_comprehension", "comparison_operator", "not_operator",
))  # fmt: skip
_DISPLAYS = frozenset(("list", "tuple", "set", "expression_list"))
_GENERATED = frozenset(("list_comprehension", "set_comprehension", "generator_expression"))
_UNKNOWN, _OUTSIDE = frozenset((UNKNOWN,)), frozenset((OUTSIDE,))


class PythonNames:
    """Tells what names mean; `load` gives the tree of a path, or None."""

    def __init__(self, modules: Modules, load: Callable[[str], Tree | None]) -> None:
        self._modules, self._load = modules, load
        self._answers = Answers()
        self._once = self._answers.once
        self._annotation = Annotations(self._once, self._values, self._meant, self._named).read

    def meant(self, tree: Tree, chain: Chain) -> Things:
        """Return what the name at the end of a way means, with `UNKNOWN` if it may be others too."""
        self._answers.steps = 0
        return self._meant(tree, chain)

    def mentioned(self, tree: Tree, chain: Chain, name: str) -> Things:
        """Return what a name in a string means, in an annotation or in `__all__`; the way leads to the string."""
        self._answers.steps = 0
        return self._named(tree, chain, name)

    def overridden(self, tree: Tree, chain: Chain) -> Things:
        """Return what the bases of the class around a definition have by its name."""
        self._answers.steps = 0
        around = [node for node in chain[:-2] if node.type in AROUND]
        if not around or around[-1].type != "class_definition":
            return frozenset()
        cls = binding_of(tree, around[-1])
        return self._inherited(cls, text_of(chain[-1]), frozenset((cls.place,)))

    def descends(self, tree: Tree, chain: Chain, place: tuple[str, int]) -> bool:
        """Return whether the class around a definition comes from the class whose name is at a place."""
        around = [binding_of(tree, node) for node in chain[:-2] if node.type == "class_definition"]
        return any(cls.place == place for cls in ancestors(around[-1], self._bases)) if around else False

    # ---- names

    def _meant(self, tree: Tree, chain: Chain) -> Things:
        node, above = chain[-1], chain[-2]
        name = text_of(node)
        if above.type == "attribute" and above.child_by_field_name("attribute").id == node.id:
            return self._members(self._values(tree, above.child_by_field_name("object")), name)
        if above.type == "keyword_argument" and above.children[0].id == node.id:
            return self._keyword(tree, chain, name)
        if above.type == "keyword_pattern" and above.children[0].id == node.id:
            return _UNKNOWN
        if bound := bind(tree, chain):
            table = bindings_of(tree, name)
            found = table.get(bound[0].id) or table.get(tree.root.id) or [bound[1]]
            return self._follow_all(found)
        if above.type == "dotted_name":
            return self._of_import(tree, chain, name)
        return self._named(tree, chain, name)

    def _named(self, tree: Tree, chain: Chain, name: str) -> Things:
        if found := look_up(tree, chain, name):
            return self._follow_all(found)
        if stars := self._by_stars(tree, name):
            return stars
        return _OUTSIDE if hasattr(builtins, name) else _UNKNOWN

    def _of_import(self, tree: Tree, chain: Chain, name: str) -> Things:
        """Return what a name in an import statement means, where it binds nothing itself."""
        statement = next((node for node in chain[-3:-6:-1] if node.type.startswith("import_")), None)
        if statement is None:  # in a pattern
            first = chain[-2].children[0]
            whole = self._named(tree, chain, text_of(first))
            return whole if first.id == chain[-1].id else self._members(union(map(self._value, whole)), name)
        source = statement.child_by_field_name("module_name")
        if source is not None and source.end_byte <= chain[-1].start_byte:
            return self._exported_by(tree, statement, name)
        # A part of the name of a module: the folder or module up to there.
        begin = (source or chain[-2]).start_byte
        path = tree.data[begin : chain[-1].end_byte].decode("utf-8", "replace").replace(" ", "")
        module = path.lstrip(".")
        target = self._modules.python(module, len(path) - len(module), tree.path)
        return frozenset((Module(target),)) if target else _OUTSIDE

    def _keyword(self, tree: Tree, chain: Chain, name: str) -> Things:
        found: set[Thing] = set()
        for value in self._values(tree, chain[-4].child_by_field_name("function") or chain[-1]):
            if not isinstance(value, Binding):
                found.add(UNKNOWN if value is UNKNOWN else OUTSIDE)
                continue
            makers = self._member(value, "__init__", frozenset()) if value.kind == "class" else frozenset((value,))
            functions = [maker for maker in makers if isinstance(maker, Binding) and maker.kind == "function"]
            for function in functions:
                found |= parameters(function, name) or _UNKNOWN
            if not functions:  # a dataclass, whose fields are its arguments
                found |= self._members(frozenset((value,)), name)
        return frozenset(found)

    def _follow_all(self, bindings: Iterable[Binding]) -> Things:
        return frozenset[Any]().union(*map(self._follow, bindings))

    def _follow(self, binding: Binding) -> Things:
        """Return what a binding stands for, if it is an import, else itself."""
        if binding.kind != "import":
            return frozenset((binding,))
        return self._once(("import", *binding.place), lambda: self._import(binding))

    def _import(self, binding: Binding) -> Things:
        tree, chain, source = binding.tree, binding.chain, binding.source
        statement = next(node for node in reversed(chain) if node.type.startswith("import_"))
        asked = source.child_by_field_name("name") if source.type == "aliased_import" else source
        if statement.type == "import_from_statement":
            return self._exported_by(tree, statement, text_of(asked))
        name = text_of(asked) if source.type == "aliased_import" else text_of(chain[-1])
        found = self._modules.python(name, 0, tree.path)
        return frozenset((Module(found),)) if found else _OUTSIDE

    def _exported_by(self, tree: Tree, statement: Any, name: str) -> Things:
        module = self._module_of(tree, statement)
        return self._exports(module, name) if module else _OUTSIDE

    def _module_of(self, tree: Tree, statement: Any) -> str:
        text = text_of(statement.child_by_field_name("module_name")).replace(" ", "")
        name = text.lstrip(".")
        return self._modules.python(name, len(text) - len(name), tree.path)

    def _exports(self, module: str, name: str) -> Things:
        return self._once(("exports", module, name), lambda: self._find_export(module, name))

    def _find_export(self, module: str, name: str) -> Things:
        tree = None if module.endswith("/") else self._load(module)
        if tree is not None:
            if found := bindings_of(tree, name).get(tree.root.id):
                return self._follow_all(found)
            if stars := self._by_stars(tree, name):
                return stars
        below = self._modules.below(module, name)
        return frozenset((Module(below),)) if below else _UNKNOWN

    def _by_stars(self, tree: Tree, name: str) -> Things:
        found: set[Thing] = set()
        for chain in stars(tree):
            module = self._module_of(tree, chain)
            there = self._exports(module, name) if module and not name.startswith("_") else _UNKNOWN
            if there - _UNKNOWN - _OUTSIDE:
                return there
            found |= _UNKNOWN if not module else frozenset()
        return frozenset(found)

    # ---- members

    def _members(self, values: Things, name: str) -> Things:
        return one_of({self._member_of(value, name) for value in values})

    def _member_of(self, value: Thing, name: str) -> Things:
        if isinstance(value, Module):
            return self._exports(value.path, name)
        if isinstance(value, Instance):
            members = self._member(value.of, name, frozenset())
            # It may be an object of a subclass, which has what the class has not.
            return members if members - _OUTSIDE else members | {Lacking(value.place)}
        if isinstance(value, Binding):
            return self._member(value, name, frozenset()) if value.kind == "class" else _OUTSIDE
        return frozenset((value,))

    def _member(self, cls: Binding, name: str, seen: frozenset[Any]) -> Things:
        if cls.place in seen:
            return frozenset()
        node = cls.chain[-2]
        if own := bindings_of(cls.tree, name).get(node.id):
            return self._follow_all(own)
        found = self._inherited(cls, name, seen | {cls.place})
        if given := list(attributes(cls, name)):
            return same_attribute(given, found - _OUTSIDE - _UNKNOWN)
        if not found - _OUTSIDE and bindings_of(cls.tree, "__getattr__").get(node.id):
            return _UNKNOWN
        return found

    def _inherited(self, cls: Binding, name: str, seen: frozenset[Any]) -> Things:
        """Return what the first base that has a name has by it; `OUTSIDE` if a base of others may have it."""
        others: set[Thing] = set()
        for base in self._bases(cls):
            is_class = isinstance(base, Binding) and base.kind == "class"
            there = self._member(base, name, seen) if is_class else frozenset((base,))
            if there - _OUTSIDE - _UNKNOWN:
                return there
            others |= there
        return _OUTSIDE if OUTSIDE in others else _UNKNOWN  # by a class that has both, perhaps

    def _bases(self, cls: Binding) -> Iterator[Thing]:
        listed = cls.chain[-2].child_by_field_name("superclasses")
        for node in listed.named_children if listed is not None else ():
            if node.type not in ("keyword_argument", "comment"):
                yield from self._values(cls.tree, node)

    # ---- values

    def _values(self, tree: Tree, node: Any) -> Things:
        """Return what an expression may be."""
        return self._once((tree.path, node.id), lambda: self._evaluate(tree, node))

    def _evaluate(self, tree: Tree, node: Any) -> Things:
        kind = node.type
        if kind in ("identifier", "attribute"):
            named = node if kind == "identifier" else node.child_by_field_name("attribute")
            return union(self._value(each) for each in self._meant(tree, tree.chain_to(named)))
        if kind == "call":
            return self._call(tree, node)
        if kind in _PLAIN:
            return _OUTSIDE
        if kind in _DISPLAYS:
            parts = [self._values(tree, child) for child in node.named_children[:10] if child.type != "comment"]
            return frozenset((Items(union(parts)),))
        if kind in _GENERATED:
            return frozenset((Items(self._values(tree, node.child_by_field_name("body"))),))
        if kind == "subscript":
            return self._subscript(self._values(tree, node.child_by_field_name("value")))
        if kind in ("conditional_expression", "boolean_operator"):
            return union(self._values(tree, node.named_children[place]) for place in (0, -1))
        if kind in ("await", "parenthesized_expression", "as_pattern", "with_item"):
            return self._values(tree, node.named_children[0]) if node.named_child_count else _UNKNOWN
        if kind == "named_expression":
            return self._values(tree, node.child_by_field_name("value"))
        return _UNKNOWN

    def _subscript(self, values: Things) -> Things:
        classes = frozenset(each for each in values if isinstance(each, Binding) and each.kind == "class")
        return union((classes, *(each.of if isinstance(each, Items) else _UNKNOWN for each in values - classes)))

    def _call(self, tree: Tree, node: Any) -> Things:
        called = node.child_by_field_name("function")
        name = text_of(called).rpartition(".")[2]
        functions = self._values(tree, called)
        if functions <= _OUTSIDE:
            return self._call_outside(tree, node, name)
        if called.type == "attribute" and any(returns_self(value) for value in functions):
            holders = self._values(tree, called.child_by_field_name("object"))
            return union(frozenset((each,)) if isinstance(each, Instance) else instance_of(each) for each in holders)
        if name in TAKE:
            return union(each.of if isinstance(each, Items) else self._result(each) for each in functions)
        results = union(self._result(value) for value in functions)
        return results if len(functions) == 1 else results | _UNKNOWN  # overloads

    def _call_outside(self, tree: Tree, node: Any, name: str) -> Things:
        given = node.child_by_field_name("arguments")
        first = [child for child in given.named_children if child.type not in ("keyword_argument", "comment")]
        if name == "super":
            around = [node for node in tree.chain_to(node) if node.type == "class_definition"]
            bases = self._bases(binding_of(tree, around[-1])) if around else ()
            return union(instance_of(base) for base in bases)
        if name == "type" and len(first) == 1:
            values = self._values(tree, first[0])
            return frozenset(value.of if isinstance(value, Instance) else UNKNOWN for value in values)
        if name == "cast" and len(first) == 2:
            return self._annotation(tree, first[0])
        if first and name in SAME:
            return self._values(tree, first[0])
        if first and name in LISTS:
            return frozenset((Items(union(self._elements(self._values(tree, each)) for each in first)),))
        if len(first) == 1 and name in ONE:
            return self._elements(self._values(tree, first[0]))
        is_type = name[:1].isupper() or isinstance(getattr(builtins, name, None), type) or name in ("len", "repr")
        return _OUTSIDE if is_type else _UNKNOWN

    def _result(self, value: Thing) -> Things:
        if isinstance(value, Binding):
            return instance_of(value) if value.kind == "class" else self._returns(value)
        if isinstance(value, Instance):
            called = self._member(value.of, "__call__", frozenset())
            return union(self._result(each) for each in called if isinstance(each, Binding))
        if isinstance(value, Items):
            return frozenset((value,))
        return _UNKNOWN

    def _returns(self, function: Binding) -> Things:
        if function.kind != "function":
            return _UNKNOWN
        tree, definition = function.tree, function.chain[-2]
        said = definition.child_by_field_name("return_type")
        if said is not None:
            return self._annotation(tree, said)
        given = list(returned(definition.child_by_field_name("body")))
        return self._once(("returns", *function.place), lambda: union(self._values(tree, each) for each in given))

    def _elements(self, values: Things) -> Things:
        return union(self._elements_of(value) for value in values)

    def _elements_of(self, value: Thing) -> Things:
        if isinstance(value, Items):
            return value.of
        steps = self._member(value.of, "__iter__", frozenset()) if isinstance(value, Instance) else ()
        return union(self._elements(self._result(step)) for step in steps if isinstance(step, Binding))

    def _value(self, thing: Thing) -> Things:
        """Return what something that a name means is."""
        if not isinstance(thing, Binding):
            return _OUTSIDE if isinstance(thing, Lacking) else frozenset((thing,))
        return itself(thing) or self._once(("value", *thing.place), lambda: self._value_of_binding(thing))

    def _value_of_binding(self, thing: Binding) -> Things:
        tree, source = thing.tree, thing.source
        if thing.kind == "function":
            return self._returns(thing)
        if thing.kind == "parameter":
            return self._parameter(thing)
        if thing.kind == "assignment":
            said, right = source.child_by_field_name("type"), source.child_by_field_name("right")
            if said is not None:
                return self._annotated(tree, said, right)
            if is_enum_member(thing):
                return instance_of(binding_of(tree, thing.chain[-5]))
            return _UNKNOWN if right is None else self._values(tree, right)
        if thing.kind == "named_expression":
            return self._values(tree, source.child_by_field_name("value"))
        if thing.kind == "given":
            return self._values(tree, source)
        if thing.kind == "each":
            return self._elements(self._values(tree, source.child_by_field_name("right")))
        if thing.kind == "as":
            return self._entered(thing)
        if source.type in ("for_statement", "for_in_clause", "assignment"):
            values = self._values(tree, source.child_by_field_name("right"))
            return union(map(spread, values if source.type == "assignment" else self._elements(values)))
        return _UNKNOWN

    def _annotated(self, tree: Tree, annotation: Any, right: Any) -> Things:
        """Return what is annotated; where the value is an object of another class, it may be of either."""
        values = self._annotation(tree, annotation)
        if right is None:
            return values
        objects = frozenset(value for value in self._values(tree, right) if isinstance(value, Instance))
        return values if objects <= values else values | objects | _UNKNOWN

    def _entered(self, thing: Binding) -> Things:
        """Return what `with … as` and `except … as` give."""
        values = self._values(thing.tree, thing.source.children[0])
        if any(node.type == "except_clause" for node in thing.chain[-4:]):
            return union(instance_of(value) for value in values)
        return union(value.of if isinstance(value, Items) else frozenset((value,)) for value in values)

    def _parameter(self, thing: Binding) -> Things:
        said = thing.source.child_by_field_name("type")
        if said is not None:
            values = self._annotation(thing.tree, said)
            has_star = any(node.type.endswith("splat_pattern") for node in thing.chain[-3:])
            return frozenset((Items(values),)) if has_star else values
        function = next((node for node in reversed(thing.chain) if node.type == "function_definition"), None)
        if function is None or not is_first(function, thing.chain[-1]):
            return _UNKNOWN
        return first_argument(thing, function)
