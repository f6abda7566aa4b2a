"""In place of what explains patterns of users: those of the tables were tried when they were made."""

from __future__ import annotations

from typing import Any

from ...grammar.dialect import Dialect
from ...regexes import compile_linear
from ...repairs.rule import Rule, fill_pattern


def compile_rule_pattern(pattern: str, dialect: Dialect, rule: Rule) -> Any:
    """Return a pattern of a rule with the dialect's marks in it."""
    return compile_linear(fill_pattern(pattern, dialect))
