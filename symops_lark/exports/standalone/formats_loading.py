"""The formats of other agents in exports, whose tables are at hand."""

from __future__ import annotations

from functools import cache

from ...core.formats.loading import Format, make_formats
from .tables import read_data


@cache
def formats() -> dict[str, Format]:
    """Return the formats by name."""
    return make_formats(read_data("formats")["formats"])


def load_format(name: str) -> Format:
    """Return a format by its name."""
    if name not in formats():
        raise ValueError(f"there is no format {name}; there are {', '.join(sorted(formats()))}")
    return formats()[name]
