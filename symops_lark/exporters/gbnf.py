"""GBNF: what llama.cpp, and what is built on it, constrains a model with."""

from __future__ import annotations

from ..grammar.compiler import WrittenDialect
from .bnf import spell_rules
from .headers import header
from .losses import find_losses, require_language

__all__ = ["SUMMARY", "TOLERANT", "find_losses", "write"]
SUMMARY = "llama.cpp's grammar notation, for constrained decoding"
TOLERANT = False


def write(dialect: WrittenDialect, *, tolerant: bool) -> dict[str, str]:
    """Return the grammar file."""
    return {f"{dialect.name}.gbnf": header(dialect, "gbnf") + spell_rules(require_language(dialect, "gbnf"))}
