"""What a use of a name means: definitions that it surely means, which it may mean, or who owns it instead."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from .trees import Binding, Place, Sought, place_of

MEMBERS = frozenset(("method", "field"))
_OF_OBJECTS = frozenset(("method", "field", "variable", "variant", "function", "class", "enum"))


class Elsewhere(NamedTuple):
    """Who owns a use, and not what is sought.

    `kind` is `definition` (another one of the index), `binding` (in the same file), `outside` (a package that is not
    in the folder) or `role` (what a name at that place can never be); `what` names it.
    """

    kind: str
    what: str


class Meaning(NamedTuple):
    """What a name at a place means; with nothing that is open, what is not among its places has an owner."""

    places: tuple[Place, ...] = ()
    perhaps: tuple[Place, ...] = ()
    open: str = ""  # which definitions it may mean besides, by `ROLES`; empty: none
    instead: Elsewhere | None = None
    around: str = ""  # the class whose member it is: what overrides that may be meant
    hidden: bool = False  # whether what this class overrides may be meant as well


_FITS: dict[str, Callable[[Sought], bool]] = {
    "any": lambda one: True,
    "member": lambda one: one.kind in _OF_OBJECTS,
    "key": lambda one: one.kind in MEMBERS or (one.kind in _OF_OBJECTS and bool(one.within)),
    "selected": lambda one: one.kind not in ("function", "variable") or bool(one.within),
    "name": lambda one: one.kind not in MEMBERS,
    "call": lambda one: one.kind == "method",
    "value": lambda one: one.kind in ("field", "variant", "variable"),
    "nested": lambda one: bool(one.within) and one.kind not in MEMBERS,
    "macro": lambda one: one.kind == "macro",
    "variant": lambda one: one.kind not in MEMBERS and one.kind != "macro",
}
ROLES = {
    "member": "a member of a value",
    "key": "a member, or a key",
    "selected": "a member, or an embedded type",
    "name": "a name alone, which is no member",
    "call": "a call of a method",
    "value": "a field, which is not called",
    "nested": "a class that is not imported",
    "macro": "the name of a macro",
    "variant": "a name alone, which is no member",
}


def fits(one: Sought, asked: str) -> bool:
    """Return whether a definition is of a kind that is open."""
    return bool(asked) and _FITS[asked](one)


def surely(places: Collection[Place], around: str = "", *, asked: str = "", kind: str = "definition") -> Meaning:
    """Return the meaning of what surely is at places."""
    first = min(places)
    return Meaning(tuple(places), open=asked, instead=Elsewhere(kind, f"{first[0]}:{first[1]}"), around=around)


def of_bindings(bindings: Collection[Binding], known: Collection[Sought]) -> Meaning:
    """Return the meaning of what is bound in a file: definitions of the index, or bindings of that file alone."""
    places = [place_of(each.tree, each.chain) for each in bindings]
    is_known = any(one[:3] in places for one in known)
    return surely(places, kind="definition" if is_known else "binding")


def outside(what: str) -> Meaning:
    """Return the meaning of what a package has that is not in the folder."""
    return Meaning(instead=Elsewhere("outside", what))


def role(what: str) -> Meaning:
    """Return the meaning of a name that can be nothing that is sought."""
    return Meaning(instead=Elsewhere("role", what))


def may_be(asked: str) -> Meaning:
    """Return the meaning of a name of which nobody says what owns it."""
    return Meaning(open=asked, instead=Elsewhere("role", ROLES.get(asked, "a name")))
