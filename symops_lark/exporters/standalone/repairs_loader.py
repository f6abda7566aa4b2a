"""In place of the reading of rules: those of the dialect are in its tables."""

from __future__ import annotations

from collections.abc import Sequence

from ...grammar.dialect import Dialect
from ...repairs.rule import Rule


def load_rules(dialect: Dialect, folders: Sequence[str] = ()) -> tuple[Rule, ...]:
    """Return the rules in running order."""
    return tuple(Rule.from_data(row) for row in dialect.frozen("repairs"))
