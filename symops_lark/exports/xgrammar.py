"""Write a dialect in the EBNF of XGrammar, the default engine of vLLM and SGLang."""

from __future__ import annotations

import json
from typing import Any

from ..core.grammar.compiling.compiler import WrittenDialect
from .gbnf import spell_rules
from .headers import header
from .losses import require_language

__all__ = ["ENGINE", "KIND", "SUMMARY", "TOLERANT", "write"]
SUMMARY = "XGrammar's EBNF, for constrained decoding in vLLM and SGLang"
KIND = "constraint"
ENGINE = "xgrammar"
TOLERANT = False


def write(dialect: WrittenDialect, *, tolerant: bool, **options: Any) -> dict[str, str]:
    """Return the grammar file, and a structural tag if there is a lead-in, by their names.

    Args:
        dialect: The dialect.
        tolerant: Not used: there is no tolerant form.
        options: The options of `require_language` for well-formed texts.
    """
    rules = spell_rules(require_language(dialect, "xgrammar", **options))
    files = {f"{dialect.name}.ebnf": header(dialect, "xgrammar") + rules}
    if options.get("lead_in"):
        # Servers that decode by structural tags accept a grammar as the format of a tag.
        tag = {"type": "structural_tag", "format": {"type": "grammar", "grammar": rules}}
        files[f"{dialect.name}.structural_tag.json"] = json.dumps(tag, indent=2) + "\n"
    return files
