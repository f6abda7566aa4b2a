"""In place of the reading of a recovery grammar's words: they are in the tables."""

from __future__ import annotations

from collections.abc import Mapping

from ...grammar.dialect import Dialect
from ...grammar.mistakes import Mistake, _thaw


def load_mistakes(dialect: Dialect) -> Mapping[str, Mistake]:
    """Return the mistakes by code."""
    return _thaw(dialect)
