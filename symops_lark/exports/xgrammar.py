"""XGrammar's EBNF: what vLLM and SGLang constrain a model with by default."""

from __future__ import annotations

from ..core.grammar.compiling.compiler import WrittenDialect
from .gbnf import spell_rules
from .headers import header
from .losses import find_losses, require_language

__all__ = ["ENGINE", "KIND", "SUMMARY", "TOLERANT", "find_losses", "write"]
SUMMARY = "XGrammar's EBNF, for constrained decoding in vLLM and SGLang"
KIND = "constraint"
ENGINE = "xgrammar"
TOLERANT = False


def write(
    dialect: WrittenDialect, *, tolerant: bool, well_formed: bool = False, paths: tuple[str, ...] = ()
) -> dict[str, str]:
    """Return the grammar file."""
    return {
        f"{dialect.name}.ebnf": header(dialect, "xgrammar")
        + spell_rules(require_language(dialect, "xgrammar", well_formed, paths))
    }
