"""Write a grammar as one `.lark` file, with its imports and replaced definitions resolved."""

from __future__ import annotations

from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.grammar.compiling.statements import join
from .headers import header

SUMMARY = "one self-contained grammar for Lark"
KIND = "grammar"
ENGINE = "lark"
TOLERANT = False


def write(dialect: WrittenDialect, *, tolerant: bool) -> dict[str, str]:
    """Return the grammar file, by its name."""
    # The second value is the places of the statements.
    text, _ = join(dialect.statements)
    return {f"{dialect.name}.lark": header(dialect, "lark", "// ") + text}
