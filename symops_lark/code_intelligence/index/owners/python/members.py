"""Find the members of classes, objects and modules of Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..trees import Binding, Tree
from .imports import Imports
from .scopes import bindings_of
from .things import (
    ONLY_OUTSIDE,
    ONLY_UNKNOWN,
    OUTSIDE,
    Instance,
    Lacking,
    Module,
    Thing,
    Things,
    attributes,
    is_class,
    one_of,
    only,
    same_attribute,
)

_Places = frozenset[tuple[str, int]]


class Members:
    """Finds members.

    Args:
        imports: Follows imports.
        values: Returns the values of an expression: bases of a class are expressions.
    """

    def __init__(self, imports: Imports, values: Callable[[Tree, Any], Things]) -> None:
        self._imports = imports
        self._values = values

    def of_things(self, things: Things, name: str) -> Things:
        """Return the members of things that have a name."""
        return one_of({self._of_thing(thing, name) for thing in things})

    def _of_thing(self, thing: Thing, name: str) -> Things:
        if isinstance(thing, Module):
            return self._imports.exports(thing.path, name)
        if isinstance(thing, Instance):
            members = self.of_class(thing.of, name)
            if members - ONLY_OUTSIDE:
                return members
            # It may be an object of a subclass, which has members that the class does not have.
            return members | {Lacking(thing.place)}
        if is_class(thing):
            return self.of_class(thing, name)
        if isinstance(thing, Binding):
            return ONLY_OUTSIDE
        return only(thing)

    def of_class(self, cls: Binding, name: str, visited: _Places = frozenset()) -> Things:
        """Return the members of a class that have a name.

        Args:
            cls: The class.
            name: The name.
            visited: The classes derived from it that have led here.
        """
        if cls.place in visited:
            return frozenset()
        scope = cls.chain[-2].id
        bindings = bindings_of(cls.tree, name).get(scope)
        if bindings:
            return self._imports.follow(bindings)
        inherited = self.inherited(cls, name, visited)
        # Assignments to `self` in methods: their value may be that of a base.
        assigned = list(attributes(cls, name))
        if assigned:
            return same_attribute(assigned, inherited - ONLY_OUTSIDE - ONLY_UNKNOWN)
        # With `__getattr__` it may have any member that no base has.
        has_any = scope in bindings_of(cls.tree, "__getattr__")
        if has_any and inherited <= ONLY_OUTSIDE:
            return ONLY_UNKNOWN
        return inherited

    def inherited(self, cls: Binding, name: str, visited: _Places = frozenset()) -> Things:
        """Return the members of the first base that has a name.

        Args:
            cls: The class.
            name: The name.
            visited: The classes derived from it that have led here.

        Returns:
            The members; `OUTSIDE` if a base that is not in the index may have them.
        """
        visited |= {cls.place}
        is_outside = False
        for base in self.bases(cls):
            things = only(base)
            if is_class(base):
                things = self.of_class(base, name, visited)
            if things - ONLY_OUTSIDE - ONLY_UNKNOWN:
                return things
            is_outside = is_outside or OUTSIDE in things
        if is_outside:
            return ONLY_OUTSIDE
        # A class that is derived from this one and another may have it.
        return ONLY_UNKNOWN

    def bases(self, cls: Binding) -> Iterator[Thing]:
        """Yield the things in the heading of a class."""
        heading = cls.chain[-2].child_by_field_name("superclasses")
        for node in arguments_of(heading):
            yield from self._values(cls.tree, node)


def arguments_of(node: Any) -> list[Any]:
    """Return the positional arguments of a call, or the bases of a class."""
    children = () if node is None else node.named_children
    return [child for child in children if child.type not in ("keyword_argument", "comment")]
