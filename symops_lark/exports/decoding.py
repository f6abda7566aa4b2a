"""Which grammar a provider of models is given, so that its replies are in a dialect."""

from __future__ import annotations

from pathlib import Path

from ..core.grammar.dialect import Dialect
from ..core.grammar.loading import load_grammar
from ..models.providers import find_constraint
from . import export


def load_grammar_for(provider: str, format: str | Path | Dialect) -> str:
    """Return the grammar of a dialect in the notation of a provider, as `load_model(…, grammar=…)` takes it.

    Raises `ModelError` if the provider takes no grammar, and `ExportError` if the dialect has what it cannot keep.
    """
    [text] = export(find_constraint(provider).notation, load_grammar(format)).values()
    return text
