"""What names of Python may mean, and how definitions are made: what can be read off one file."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .python_scopes import find_target
from .trees import Binding, Tree, text_of

_DEEPEST = 40
_MOST_STEPS = 5_000
_NO_CIRCLE = _DEEPEST + 1
# Functions of the language whose results are what they are given, hold it, or are one of it.
SAME = frozenset(("replace", "copy", "deepcopy"))  # return what they are given
LISTS = frozenset(
    ("list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "filter", "enumerate", "zip", "chain", "deque")
)
TAKE = frozenset(("get", "pop", "popleft", "setdefault", "popitem"))  # one of what something holds
ONE = frozenset(("next", "max", "min"))
# Decorators whose result is called as the function is, and gives the same.
_FAITHFUL = frozenset((
    "staticmethod", "classmethod", "abstractmethod", "overload", "override", "final", "deprecated", "wraps",
    "cache", "lru_cache", "contextmanager", "asynccontextmanager", "singledispatch",
))  # fmt: skip
AROUND = frozenset(("class_definition", "function_definition", "lambda"))


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the index; a package without a file ends with a slash."""

    path: str


@dataclass(frozen=True, slots=True)
class Sort:
    """What is no thing of the index, or cannot be told."""

    name: str


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class; equal if the name of the class stands at the same place."""

    place: tuple[str, int]
    of: Binding = field(compare=False)


@dataclass(frozen=True, slots=True)
class Lacking:
    """A member that the class at a place has not; an object of a subclass may have it."""

    place: tuple[str, int]


@dataclass(frozen=True, slots=True)
class Items:
    """Something that holds things."""

    of: frozenset[Any]


UNKNOWN, OUTSIDE, EITHER = Sort("unknown"), Sort("outside"), Sort("either")
Thing = Any  # Module | Binding | Instance | Items | Sort; a binding of a class or function is that itself
Things = frozenset[Any]


class Answers:
    """What was found, by question. Questions lead to others, deep or in circles: both have bounds."""

    def __init__(self) -> None:
        self.steps = 0  # since somebody set it to zero
        self._known: dict[tuple[Any, ...], Things] = {}
        self._active: dict[tuple[Any, ...], int] = {}  # the depths of questions that are not answered yet
        self._circle = _NO_CIRCLE  # the depth of the outermost question that the current one led back to

    def once(self, key: tuple[Any, ...], find: Callable[[], Things]) -> Things:
        """Return the answer to a question, found when it is first asked."""
        if key in self._known:
            return self._known[key]
        if key in self._active:  # of what leads back here nothing more is learnt
            self._circle = min(self._circle, self._active[key])
            return frozenset()
        self.steps += 1
        depth, outer = len(self._active), self._circle
        if depth > _DEEPEST or self.steps > _MOST_STEPS:
            return frozenset((UNKNOWN,))
        self._active[key], self._circle = depth, _NO_CIRCLE
        try:
            found = find()
        finally:
            del self._active[key]
        # On the way round a circle something is missing in what is found: only its first question is answered.
        if self._circle >= depth:
            self._known[key] = found
            self._circle = outer
        else:
            self._circle = min(outer, self._circle)
        return found


def union(parts: Iterable[Things]) -> Things:
    """Return what is in any part; `UNKNOWN` if nothing is."""
    return frozenset(each for part in parts for each in part) or frozenset((UNKNOWN,))


def instance_of(value: Thing) -> Things:
    """Return an object of a class, if it is one."""
    if isinstance(value, Binding) and value.kind == "class":
        return frozenset((Instance(value.place, value),))
    return frozenset((OUTSIDE if value is OUTSIDE else UNKNOWN,))


def one_of(parts: Collection[Things]) -> Things:
    """Return what is in any part. A check that is not read, such as `isinstance`, may leave one: none is certain."""
    owned = [part for part in parts if part - {UNKNOWN, OUTSIDE}]
    return union(parts) | {EITHER} if len(owned) > 1 else union(parts)


def spread(value: Thing) -> Things:
    """Return what is in something, however deep; what is alone stays."""
    if not isinstance(value, Items):
        return frozenset((value,))
    return frozenset(each for held in value.of for each in spread(held))


def plain(node: Any) -> Any:
    """Return an annotation without what grammars put around it."""
    return node.named_children[0] if node.type == "type" and node.named_child_count else node


def stars(tree: Tree) -> Iterator[Any]:
    """Yield the imports of a file, not of its functions, that import all."""
    if b"*" in tree.data:
        for node in tree.root.named_children:
            if node.type == "import_from_statement" and node.named_children[-1].type == "wildcard_import":
                yield node


def returned(node: Any) -> Iterator[Any]:
    """Yield what a body returns; nothing that can be used, if it returns nothing or yields."""
    for child in node.named_children:
        if child.type == "return_statement":
            yield from child.named_children[:1]
        elif child.type not in AROUND:
            yield from returned(child)


def binding_of(tree: Tree, definition: Any) -> Binding:
    """Return the binding that a class or function definition makes."""
    name = definition.child_by_field_name("name")
    return Binding(tree, tree.chain_to(name), definition.type.partition("_")[0], definition)


def attributes(cls: Binding, name: str) -> Iterator[Binding]:
    """Yield where the methods of a class assign an attribute of `self`."""
    node = cls.chain[-2]
    for chain in cls.tree.chains(name):
        if chain[-2].type != "attribute" or chain[-2].children[-1].id != chain[-1].id:
            continue
        target, holder = find_target(chain[:-1]), chain[-2].children[0]
        around = [each for each in chain if each.type in AROUND]
        is_own = len(around) > 1 and around[-2].id == node.id and holder.type == "identifier"
        if target and is_own and around[-1].type == "function_definition" and is_first(around[-1], holder):
            yield Binding(cls.tree, chain, *target)


def is_first(function: Any, name: Any) -> bool:
    """Return whether a name is that of a function's first parameter."""
    listed = [each for each in function.child_by_field_name("parameters").named_children if each.type != "comment"]
    if not listed:
        return False
    first = listed[0] if listed[0].type == "identifier" else (listed[0].named_children or [listed[0]])[0]
    return text_of(first) == text_of(name)


def ancestors(cls: Binding, bases: Callable[[Binding], Iterable[Thing]]) -> Iterator[Binding]:
    """Yield a class and the classes that it comes from, each once; `bases` gives those in its heading."""
    waiting, visited = [cls], set()
    while waiting:
        each = waiting.pop()
        if each.place not in visited:
            visited.add(each.place)
            yield each
            waiting += [base for base in bases(each) if isinstance(base, Binding) and base.kind == "class"]


def first_argument(parameter: Binding, function: Any) -> Things:
    """Return what the first parameter of a function is: of a method its object, or its class."""
    chain = parameter.chain
    place = chain.index(function)
    above = [node for node in chain[:place] if node.type in AROUND]
    marks = decorators(chain[place - 1])
    if not above or above[-1].type != "class_definition" or "staticmethod" in marks:
        return frozenset((UNKNOWN,))
    cls = binding_of(parameter.tree, above[-1])
    return frozenset((cls,)) if "classmethod" in marks else instance_of(cls)


def decorators(definition: Any) -> list[str]:
    """Return the last names of the decorators of a definition."""
    if definition.type != "decorated_definition":
        return []
    marks = [text_of(child).lstrip("@").partition("(")[0] for child in definition.children if child.type == "decorator"]
    return [mark.strip().rpartition(".")[2] for mark in marks]


def returns_self(value: Thing) -> bool:
    """Return whether a function gives an object of the class that it is called on, which may be a subclass."""
    if not isinstance(value, Binding) or value.kind != "function":
        return False
    return text_of(value.chain[-2].child_by_field_name("return_type")) == "Self"


def is_enum_member(binding: Binding) -> bool:
    """Return whether a name that a class assigns is an object of that class: its heading names an `Enum` or `Flag`."""
    chain = binding.chain  # … class, block, statement, assignment, name
    if len(chain) < 5 or chain[-5].type != "class_definition":
        return False
    heading = text_of(chain[-5].child_by_field_name("superclasses"))
    return re.search(r"(?:Enum|Flag)\b", heading) is not None


def is_property(function: Binding) -> bool:
    """Return whether a method is called by its name alone."""
    return any(mark.endswith("property") for mark in decorators(function.chain[-3]))


def itself(thing: Binding) -> Things:
    """Return a class or function as a value; nothing for what has a value. A decorator may give something else."""
    if thing.kind == "class":
        return frozenset((thing,))
    if thing.kind != "function" or is_property(thing):
        return frozenset()
    is_replaced = not _FAITHFUL.issuperset(decorators(thing.chain[-3]))
    return frozenset((thing, UNKNOWN) if is_replaced else (thing,))


def same_attribute(given: Collection[Binding], inherited: Things) -> Things:
    """Return an attribute that a class assigns, with what a base declares: the same, unless its type is said again."""
    is_said_again = any(one.source.child_by_field_name("type") is not None for one in given)
    return inherited.union(given, {EITHER} if inherited and is_said_again else ())
