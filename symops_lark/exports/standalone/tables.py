"""The tables of an exported parser, and the dialect that they make."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...core.grammar.dialect import Dialect


def read_tables() -> dict[str, Any]:
    """Return the tables from `freeze`. Each export defines this function with its tables.

    Raises:
        NotImplementedError: Always, because only an export has tables.
    """
    raise NotImplementedError("only an export has tables")


def read_data(name: str) -> dict[str, Any]:
    """Return a data file from `bundle.data_files`. Each export defines this function.

    Raises:
        NotImplementedError: Always, because only an export has data files.
    """
    raise NotImplementedError("only an export has data files")


@cache
def dialect() -> Dialect:
    """Return the dialect."""
    return Dialect.from_data(read_tables())
