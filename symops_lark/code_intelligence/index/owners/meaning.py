"""The meaning of a name at a place: certain and possible definitions, or another owner."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from .trees import Binding, Place, Sought, is_place_of, place_of

MEMBERS = frozenset(("method", "field"))
_OF_OBJECTS = MEMBERS | {"variable", "variant", "function", "class", "enum"}
# Parts that a name can have in a text, when its definition is unknown.
ROLES = {
    "member": "a member of a value",
    "key": "a member, or a key",
    "selected": "a member, or an embedded type",
    "name": "a name alone, not a member",
    "call": "a call of a method",
    "value": "a field, which is not called",
    "nested": "a class that is not imported",
    "macro": "the name of a macro",
    "variant": "a name alone, not a member",
}


class Elsewhere(NamedTuple):
    """The owner of a use that does not belong to the requested definitions.

    Attributes:
        kind: `definition` (another one of the index), `binding` (in the same file), `outside` (a
            package that is not in the folder) or `role` (a part that a requested definition cannot
            have).
        owner: Its place or its name.
    """

    kind: str
    owner: str


class Meaning(NamedTuple):
    """The meaning of a name at a place.

    Attributes:
        places: Definitions that it certainly means.
        perhaps: Definitions that it may mean.
        open: The role of other definitions that it may mean too; empty if there are none.
        instead: The owner, if it means none of these.
        around: The class that it is a member of: methods that override it may be meant.
        hidden: Whether the methods that it overrides may be meant as well.
    """

    places: tuple[Place, ...] = ()
    perhaps: tuple[Place, ...] = ()
    open: str = ""
    instead: Elsewhere | None = None
    around: str = ""
    hidden: bool = False

    def as_possible(self) -> Meaning:
        """Return the same meaning without certainty."""
        return self._replace(places=(), perhaps=self.places)

    def or_role(self, role: str) -> Meaning:
        """Return the meaning of a name that may also have a role."""
        # Two roles have no common name but `any`.
        return self._replace(open="any" if self.open else role)


def fits(definition: Sought, role: str) -> bool:
    """Return whether a definition can have a role."""
    kind = definition.kind
    is_within = bool(definition.within)
    match role:
        case "any":
            return True
        case "member":
            return kind in _OF_OBJECTS
        case "key":
            return kind in MEMBERS or (kind in _OF_OBJECTS and is_within)
        case "selected":
            # An embedded type of Go is a field with the name of the type.
            return kind not in ("function", "variable") or is_within
        case "name":
            return kind not in MEMBERS
        case "call":
            return kind == "method"
        case "value":
            return kind in ("field", "variant", "variable")
        case "nested":
            return is_within and kind not in MEMBERS
        case "macro":
            return kind == "macro"
        case "variant":
            # In Rust a variant can be imported: then it is a name alone.
            return kind not in MEMBERS and kind != "macro"
    return False


def surely(places: Collection[Place], around: str = "", *, kind: str = "definition") -> Meaning:
    """Return the meaning of a name whose definitions are certain.

    Args:
        places: The places of the definitions.
        around: The class that has them as members.
        kind: The kind of owner that they are for other definitions.
    """
    # With several places, the first one is named.
    path, line, _ = min(places)
    owner = Elsewhere(kind, f"{path}:{line}")
    return Meaning(tuple(places), instead=owner, around=around)


def of_bindings(bindings: Collection[Binding], definitions: Collection[Sought]) -> Meaning:
    """Return the meaning of a name with bindings, of which some may be definitions."""
    places = [place_of(binding.tree, binding.chain) for binding in bindings]
    # Of merged declarations, some may be in the index.
    if any(is_place_of(definitions, place) for place in places):
        return surely(places)
    return surely(places, kind="binding")


def outside(owner: str) -> Meaning:
    """Return the meaning of a name of a package that is not in the folder."""
    return Meaning(instead=Elsewhere("outside", owner))


def role(owner: str) -> Meaning:
    """Return the meaning of a name in a role that no requested definition can have."""
    return Meaning(instead=Elsewhere("role", owner))


def may_be(role: str) -> Meaning:
    """Return the meaning of a name with only a role."""
    return Meaning(open=role, instead=Elsewhere("role", ROLES.get(role, "a name")))
