"""The things that names of Python mean, and how definitions in one file make them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..trees import Binding, Tree, innermost, text_of
from .scopes import find_target

_MAX_DEPTH = 40  # questions inside of each other: each takes several Python frames
_MAX_STEPS = 5_000  # questions for one use
_NO_CIRCLE = _MAX_DEPTH + 1
# Functions of Python that return their argument, an object that has it, or a part of it.
SAME = frozenset(("replace", "copy", "deepcopy"))
LISTS = frozenset(
    (
        "list",
        "tuple",
        "set",
        "frozenset",
        "sorted",
        "reversed",
        "iter",
        "filter",
        "enumerate",
        "zip",
        "chain",
        "deque",
    )
)
ITEM_GETTERS = frozenset(("get", "pop", "popleft", "setdefault", "popitem"))
PICKERS = frozenset(("next", "max", "min"))
# Decorators whose result is called as the function, and returns the same.
_FAITHFUL = frozenset(
    (
        "staticmethod",
        "classmethod",
        "abstractmethod",
        "overload",
        "override",
        "final",
        "deprecated",
        "wraps",
        "cache",
        "lru_cache",
        "contextmanager",
        "asynccontextmanager",
        "singledispatch",
    )
)
AROUND = frozenset(("class_definition", "function_definition", "lambda"))


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the index; a package without a file ends with a slash."""

    path: str


@dataclass(frozen=True, slots=True)
class Sort:
    """A thing that is not in the index, or unknown."""

    name: str


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class. Two are equal if the name of the class is at the same place."""

    place: tuple[str, int]
    of: Binding = field(compare=False)


@dataclass(frozen=True, slots=True)
class Lacking:
    """A member that a class does not have; an object of a subclass may have it."""

    place: tuple[str, int]


@dataclass(frozen=True, slots=True)
class Items:
    """An object that contains things."""

    of: frozenset[Any]


UNKNOWN = Sort("unknown")
OUTSIDE = Sort("outside")  # of a package that is not in the index
EITHER = Sort("either")  # a mark: one of several things, so none is certain
# Module | Binding | Instance | Items | Lacking | Sort. A binding of a class or function is that.
Thing = Any
Things = frozenset[Any]


def only(thing: Thing) -> Things:
    """Return a set with one thing."""
    return frozenset((thing,))


ONLY_UNKNOWN = only(UNKNOWN)
ONLY_OUTSIDE = only(OUTSIDE)


class Answers:
    """A cache of answers. Questions lead to others, deep or in circles: both are bounded."""

    def __init__(self) -> None:
        self.steps = 0  # since the caller set it to zero
        self._answers: dict[tuple[Any, ...], Things] = {}
        self._active: dict[tuple[Any, ...], int] = {}  # the depth of each open question
        # The depth of the outermost question that the current one has led back to.
        self._circle = _NO_CIRCLE

    def once(self, key: tuple[Any, ...], find: Callable[[], Things]) -> Things:
        """Return the answer to a question; it is computed only once."""
        if key in self._answers:
            return self._answers[key]
        if key in self._active:
            # A circle adds nothing to the answer of its first question.
            self._circle = min(self._circle, self._active[key])
            return frozenset()
        self.steps += 1
        depth = len(self._active)
        if depth > _MAX_DEPTH or self.steps > _MAX_STEPS:
            return ONLY_UNKNOWN
        outer = self._circle
        self._active[key] = depth
        self._circle = _NO_CIRCLE
        try:
            answer = find()
        finally:
            del self._active[key]
        # Inside a circle the answers are incomplete: only that of its first question is kept.
        if self._circle >= depth:
            self._answers[key] = answer
            self._circle = outer
        else:
            self._circle = min(outer, self._circle)
        return answer


def union(parts: Iterable[Things]) -> Things:
    """Return the things of all parts; `UNKNOWN` if there are none."""
    return frozenset[Any]().union(*parts) or ONLY_UNKNOWN


def is_class(thing: Thing) -> bool:
    """Return whether a thing is a class."""
    return isinstance(thing, Binding) and thing.kind == "class"


def is_function(thing: Thing) -> bool:
    """Return whether a thing is a function."""
    return isinstance(thing, Binding) and thing.kind == "function"


def instance_of(thing: Thing) -> Things:
    """Return an object of a thing, if that is a class."""
    if is_class(thing):
        return only(Instance(thing.place, thing))
    if thing is OUTSIDE:
        return ONLY_OUTSIDE
    return ONLY_UNKNOWN


def one_of(parts: Collection[Things]) -> Things:
    """Return the things of all parts.

    If several parts are known, none is certain: a check such as `isinstance` may leave only one.
    """
    things = union(parts)
    certain = [part for part in parts if part - {UNKNOWN, OUTSIDE}]
    if len(certain) > 1:
        return things | {EITHER}
    return things


def spread(thing: Thing) -> Things:
    """Return the things in a container, at any depth; of another thing, itself."""
    if not isinstance(thing, Items):
        return only(thing)
    return frozenset[Any]().union(*map(spread, thing.of))


def stars(tree: Tree) -> Iterator[Any]:
    """Yield the imports of all names at the root of a file."""
    if b"*" in tree.data:
        for node in tree.root.named_children:
            is_import = node.type == "import_from_statement"
            if is_import and node.named_children[-1].type == "wildcard_import":
                yield node


def returned(node: Any) -> Iterator[Any]:
    """Yield the expressions that a body returns, without those of functions in it."""
    for child in node.named_children:
        if child.type == "return_statement":
            yield from child.named_children[:1]
        elif child.type not in AROUND:
            yield from returned(child)


def binding_of(tree: Tree, definition: Any) -> Binding:
    """Return the binding of a class or function definition."""
    name = definition.child_by_field_name("name")
    kind = definition.type.partition("_")[0]
    return Binding(tree, tree.chain_to(name), kind, definition)


def attributes(cls: Binding, name: str) -> Iterator[Binding]:
    """Yield the assignments of an attribute of `self` in the methods of a class."""
    node = cls.chain[-2]
    for chain in cls.tree.chains(name):
        above = chain[-2]
        if above.type != "attribute" or above.children[-1].id != chain[-1].id:
            continue
        target = find_target(chain[:-1])
        holder = above.children[0]
        bodies = [body for body in chain if body.type in AROUND]
        if target is None or len(bodies) < 2 or holder.type != "identifier":
            continue
        cls_node, method = bodies[-2:]
        is_method = cls_node.id == node.id and method.type == "function_definition"
        if is_method and is_first(method, holder):
            yield Binding(cls.tree, chain, *target)


def is_first(function: Any, name: Any) -> bool:
    """Return whether a name is that of a function's first parameter."""
    for parameter in function.child_by_field_name("parameters").named_children:
        if parameter.type != "comment":
            if parameter.type != "identifier" and parameter.named_children:
                parameter = parameter.named_children[0]
            return text_of(parameter) == text_of(name)
    return False


def ancestors(cls: Binding, bases: Callable[[Binding], Iterable[Thing]]) -> Iterator[Binding]:
    """Yield a class and the classes that it is derived from, each once.

    `bases` returns the things in the heading of a class.
    """
    # In broken code a class may be derived from itself.
    queue = [cls]
    visited = set()
    while queue:
        ancestor = queue.pop()
        if ancestor.place not in visited:
            visited.add(ancestor.place)
            yield ancestor
            queue += filter(is_class, bases(ancestor))


def first_argument(parameter: Binding, function: Any) -> Things:
    """Return the value of the first parameter of a function: in a method, its object or class."""
    chain = parameter.chain
    index = chain.index(function)
    around = innermost(chain[:index], AROUND)
    names = decorators(chain[index - 1])
    if around is None or around.type != "class_definition" or "staticmethod" in names:
        return ONLY_UNKNOWN
    cls = binding_of(parameter.tree, around)
    if "classmethod" in names:
        return only(cls)
    return instance_of(cls)


def decorators(definition: Any) -> list[str]:
    """Return the last names of the decorators of a definition."""
    names = []
    if definition.type == "decorated_definition":
        for child in definition.children:
            if child.type == "decorator":
                name = text_of(child).lstrip("@").partition("(")[0]
                names.append(name.strip().rpartition(".")[2])
    return names


def returns_self(thing: Thing) -> bool:
    """Return whether a function returns an object of the class that it is called on."""
    if not is_function(thing):
        return False
    return text_of(thing.chain[-2].child_by_field_name("return_type")) == "Self"


def is_enum_member(binding: Binding) -> bool:
    """Return whether a name that a class assigns is an object of that class, an enum."""
    chain = binding.chain  # … class, block, statement, assignment, name
    if len(chain) < 5 or chain[-5].type != "class_definition":
        return False
    heading = text_of(chain[-5].child_by_field_name("superclasses"))
    return re.search(r"(?:Enum|Flag)\b", heading) is not None


def is_property(function: Binding) -> bool:
    """Return whether a method is called by its name alone."""
    return any(name.endswith("property") for name in decorators(function.chain[-3]))


def itself(thing: Binding) -> Things:
    """Return a class or function as a value; nothing if the binding has another value."""
    if thing.kind == "class":
        return only(thing)
    if thing.kind != "function" or is_property(thing):
        return frozenset()
    # Another decorator may replace the function.
    is_replaced = not _FAITHFUL.issuperset(decorators(thing.chain[-3]))
    if is_replaced:
        return frozenset((thing, UNKNOWN))
    return only(thing)


def same_attribute(assigned: Collection[Binding], inherited: Things) -> Things:
    """Return an attribute that a class assigns, together with its declaration in a base.

    They are the same attribute, unless the class declares its type again.
    """
    things = inherited.union(assigned)
    for binding in assigned:
        if inherited and binding.source.child_by_field_name("type") is not None:
            return things | {EITHER}
    return things
