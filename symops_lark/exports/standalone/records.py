"""Define records, which take the place of dataclasses in exported parsers."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T", bound="Record")


class Record:
    """A value made of fields.

    Attributes:
        FIELDS: The names of the fields.
        COMPARED: The fields that decide whether two records are equal; empty: all fields.
    """

    # The subclasses have slots for their fields.
    __slots__ = ()
    FIELDS: tuple[str, ...]
    COMPARED = ()

    def key(self) -> tuple[Any, ...]:
        """Return the values that decide whether two records are equal."""
        names = self.COMPARED or self.FIELDS
        return tuple([getattr(self, name) for name in names])

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return False
        assert isinstance(other, Record)
        return other.key() == self.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def __repr__(self) -> str:
        fields = [f"{name}={getattr(self, name)!r}" for name in self.FIELDS]
        return f"{type(self).__name__}({', '.join(fields)})"


def replace(record: T, **changes: Any) -> T:
    """Return a record with other values in some fields."""
    # Records are never changed, because other objects may share them.
    for name in record.FIELDS:
        changes.setdefault(name, getattr(record, name))
    return type(record)(**changes)
