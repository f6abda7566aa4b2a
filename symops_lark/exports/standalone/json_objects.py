"""In place of what reads annotations: each record has a table of its fields, with their names in JSON."""

from __future__ import annotations

from typing import Any

from .records import Record


class JsonObject(Record):
    """A record that is a JSON object of its fields, or of what `WRITTEN` names."""

    __slots__ = ()
    WRITTEN = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return write_object(self, *self.WRITTEN)


def write_object(value: Any, *names: str) -> dict[str, Any]:
    """Return a record as a JSON object: its fields, or those fields and properties that are named, in this order."""
    if names:
        return {name: _write(getattr(value, name)) for name in names}
    if not hasattr(value, "JSON"):  # the names of the fields are those in JSON
        return {name: _write(getattr(value, name)) for name in value.FIELDS}
    return {json: _write(getattr(value, name), pairs) for name, json, pairs in value.JSON}


def _write(value: Any, pairs: bool = False) -> Any:
    """Return a value as JSON; `pairs` says whether a tuple is one of names and values."""
    if isinstance(value, tuple | list):
        return {name: _write(each) for name, each in value} if pairs else [_write(each) for each in value]
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "FIELDS"):
        return write_object(value)
    return str(value) if isinstance(value, str) else value
