"""What dataclasses are in exported parsers: classes with a table of their fields."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T", bound="Record")


class Record:
    """A value made of fields: equal to another of its class if what is compared of both is equal."""

    __slots__ = ()
    FIELDS: tuple[str, ...]
    COMPARED = ()  # names of fields: all of them, if none is named

    def key(self) -> tuple[Any, ...]:
        """Return what is compared."""
        return tuple([getattr(self, name) for name in self.COMPARED or self.FIELDS])

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Record) and other.key() == self.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def __repr__(self) -> str:
        shown = ", ".join([f"{name}={getattr(self, name)!r}" for name in self.FIELDS])
        return f"{type(self).__name__}({shown})"


def replace(record: T, **changes: Any) -> T:
    """Return a record with other values in some fields."""
    values = {name: getattr(record, name) for name in record.FIELDS}
    values.update(changes)
    return type(record)(**values)
