"""In place of the writing of documents: only the errors are written that say of an action that it is not whole."""

from __future__ import annotations

from ...document import ErrorNote
from ...grammar.dialect import Dialect
from ...rendering.writer import write_error


def write(section: ErrorNote, dialect: Dialect) -> str:
    """Write an error section."""
    return write_error(section, dialect)
