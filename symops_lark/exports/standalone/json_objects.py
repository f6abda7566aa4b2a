"""Write records as JSON objects from tables of their fields, in place of annotations."""

from __future__ import annotations

from typing import Any

from .records import Record


class JsonObject(Record):
    """A record that is a JSON object of its fields, or of the fields that `WRITTEN` names."""

    __slots__ = ()
    WRITTEN = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the record as a JSON object."""
        return write_object(self, *self.WRITTEN)


def write_object(value: Any, *names: str) -> dict[str, Any]:
    """Return a record as a JSON object.

    Args:
        value: The record.
        names: The fields and properties to write, in this order; empty: all fields.
    """
    members: dict[str, Any] = {}
    if not names and hasattr(value, "JSON"):
        for name, json, pairs in value.JSON:
            members[json] = _write(getattr(value, name), pairs)
        return members
    # Without a table, the members have the names of the fields.
    for name in names or value.FIELDS:
        members[name] = _write(getattr(value, name))
    return members


def _write(value: Any, pairs: bool = False) -> Any:
    """Return a value as JSON; `pairs`: a tuple of names and values, which becomes an object."""
    if isinstance(value, tuple | list):
        if pairs:
            return {name: _write(member) for name, member in value}
        return [_write(member) for member in value]
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "FIELDS"):
        return write_object(value)
    # Members of enums become plain texts.
    return str(value) if isinstance(value, str) else value
