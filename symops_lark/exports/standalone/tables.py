"""The tables of an exported parser, and the dialect that they make."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...core.grammar.dialect import Dialect


def read_tables() -> dict[str, Any]:
    """Return the tables as `freeze` made them: each export writes this function itself, with its tables in it."""
    raise NotImplementedError("an export brings its tables")


def read_data(name: str) -> dict[str, Any]:
    """Return the data file of a name, as `bundle.data_files` made it: each export writes this function itself."""
    raise NotImplementedError("an export brings its data files")


@cache
def dialect() -> Dialect:
    """Return the dialect."""
    return Dialect.from_data(read_tables())
