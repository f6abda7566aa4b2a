"""Load the formats of other agents in exports, which contain their tables."""

from __future__ import annotations

from functools import cache

from ...core.formats.loading import Format, make_formats
from .tables import read_data


@cache
def formats() -> dict[str, Format]:
    """Return the formats by name."""
    # The tables have no trees, which only a writer needs.
    return make_formats(read_data("formats")["formats"])


def load_format(name: str) -> Format:
    """Return a format by its name.

    Raises:
        ValueError: There is no such format.
    """
    if name not in formats():
        names = ", ".join(sorted(formats()))
        raise ValueError(f"there is no format {name}; there are {names}")
    return formats()[name]
