"""What an export cannot keep."""

from __future__ import annotations

from ..grammar.compiler import WrittenDialect
from .automaton import Automaton
from .language import find_language


def require_language(dialect: WrittenDialect, export: str) -> Automaton:
    """Return the language of a dialect."""
    return find_language(dialect)
