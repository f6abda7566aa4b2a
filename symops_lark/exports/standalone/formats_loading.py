"""The formats of other agents in exports, whose tables are at hand."""

from __future__ import annotations

from functools import cache

from ...core.formats.loading import Format, _read
from .tables import read_data


@cache
def formats() -> dict[str, Format]:
    """Return the formats by name."""
    by_name: dict[str, Format] = {}
    for data in read_data("formats")["formats"]:
        by_name[data["name"]] = _read(data)
    return by_name


def load_format(name: str) -> Format:
    """Return a format by its name."""
    return formats()[name]
