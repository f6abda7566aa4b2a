"""Members of enums from the words of callers: `"refuse"` is `Decision.REFUSE`, and what is no member is refused.

Enums are compared by identity. A word that stayed a word would be none of them: what was to be refused would be done.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

E = TypeVar("E", bound=Enum)


def as_member(kind: type[E], value: object, what: str) -> E:
    """Return the member of an enum that a caller means.

    Args:
        kind: The enum.
        value: A member, or its value.
        what: What it is given for, in the words of the caller's code: `Policy.deleting`.

    Returns:
        The member.

    Raises:
        ValueError: There is no such member; the message lists those that there are.
    """
    if isinstance(value, kind):
        return value
    if not isinstance(value, bool):  # which would be a whole number
        for member in kind:
            if type(member.value) in type(value).__mro__ and member.value == value:
                return member
    known = ", ".join(str(member.value) for member in kind)
    shown = repr(value)
    raise ValueError(f"{what} is one of {known}, not {shown if len(shown) <= 80 else shown[:79] + '…'}")


def coerce_members(self: Any) -> None:
    """Turn the words in fields of a dataclass into the members of their enums: its `__post_init__`.

    Args:
        self: The dataclass.

    Raises:
        ValueError: A word is none of them.
    """
    own: Any = type(self)
    for name, kind, may_be_none in _enum_fields(own):
        value = getattr(self, name)
        if type(value) is not kind and not (value is None and may_be_none):
            object.__setattr__(self, name, as_member(kind, value, f"{own.__name__}.{name}"))


@cache
def _enum_fields(kind: Any) -> tuple[tuple[str, type[Enum], bool], ...]:
    found = []
    for name, hint in get_type_hints(kind).items():
        options = get_args(hint) or (hint,)
        enums = [each for each in options if isinstance(each, type) and issubclass(each, Enum)]
        if len(enums) == 1 and name in kind.__dataclass_fields__:
            found.append((name, enums[0], type(None) in options))
    return tuple(found)
