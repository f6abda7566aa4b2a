"""XGrammar's EBNF: what vLLM and SGLang constrain a model with by default."""

from __future__ import annotations

import json

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
    dialect: WrittenDialect,
    *,
    tolerant: bool,
    well_formed: bool = False,
    paths: tuple[str, ...] = (),
    lead_in: bool = False,
) -> dict[str, str]:
    """Return the grammar file, and the structural tag of a grammar with a lead-in."""
    rules = spell_rules(require_language(dialect, "xgrammar", well_formed, paths, lead_in))
    files = {f"{dialect.name}.ebnf": header(dialect, "xgrammar") + rules}
    if lead_in:
        # Servers that decode by structural tags take a grammar as the format of one.
        tag = {"type": "structural_tag", "format": {"type": "grammar", "grammar": rules}}
        files[f"{dialect.name}.structural_tag.json"] = json.dumps(tag, indent=2) + "\n"
    return files
