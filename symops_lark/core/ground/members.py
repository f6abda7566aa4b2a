"""Convert the words of callers to members of enums: "refuse" to `Decision.REFUSE`.

Enums are compared by identity. A word that stayed a word would be equal to no member, so an action
that a caller wants refused would be done. Any other word is therefore an error.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

E = TypeVar("E", bound=Enum)
_MAX_LABEL = 80  # characters of a wrong value in a message


def as_member(kind: type[E], value: object, what: str) -> E:
    """Return the member of an enum for a member or its value.

    Args:
        kind: The enum.
        value: A member, or its value.
        what: The name of the parameter or field in the error, such as "Policy.deleting".

    Returns:
        The member.

    Raises:
        ValueError: There is no such member; the message lists the members.
    """
    if isinstance(value, kind):
        return value
    # True equals 1, but True is never meant as the member with this value.
    if not isinstance(value, bool):
        for member in kind:
            # By class, too: 1.0 equals 1 and is not its value. Subclasses, such as a member of
            # another `StrEnum`, are accepted.
            classes = type(value).__mro__
            if type(member.value) in classes and member.value == value:
                return member
    values = ", ".join(str(member.value) for member in kind)
    label = repr(value)
    if len(label) > _MAX_LABEL:
        label = label[: _MAX_LABEL - 1] + "…"
    raise ValueError(f"{what} is one of {values}, not {label}")


def coerce_members(self: Any) -> None:
    """Replace words in the fields of a dataclass by members of their enums.

    It is for `__post_init__`. Fields with another annotation are not changed.

    Args:
        self: The dataclass; it may be frozen.

    Raises:
        ValueError: A value is not a member of its enum.
    """
    own: Any = type(self)
    for name, kind, may_be_none in _enum_fields(own):
        value = getattr(self, name)
        is_fine = type(value) is kind or (value is None and may_be_none)
        if not is_fine:
            member = as_member(kind, value, f"{own.__name__}.{name}")
            object.__setattr__(self, name, member)  # also in a frozen dataclass


# Resolving annotations is slow, and this runs whenever an object is made.
@cache
def _enum_fields(kind: Any) -> tuple[tuple[str, type[Enum], bool], ...]:
    """Return the fields of a dataclass that are enums: name, enum, whether None is allowed."""
    enum_fields = []
    hints = get_type_hints(kind)
    for name, hint in hints.items():
        options = get_args(hint) or (hint,)
        may_be_none = type(None) in options
        enums = [option for option in options if _is_enum(option)]
        if len(enums) == 1 and name in kind.__dataclass_fields__:
            enum_fields.append((name, enums[0], may_be_none))
    return tuple(enum_fields)


def _is_enum(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Enum)
