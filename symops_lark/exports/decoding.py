"""Load the grammar that makes a provider of models reply in a dialect."""

from __future__ import annotations

from pathlib import Path

from ..core.grammar.dialect import Dialect
from ..core.grammar.loading import load_grammar
from ..models.providers import find_constraint
from . import export


def load_grammar_for(provider: str, format: str | Path | Dialect) -> str:
    """Return the grammar of a dialect, for `load_model(…, grammar=…)`.

    Args:
        provider: The provider, which decides the notation.
        format: The dialect.

    Raises:
        ModelError: The provider accepts no grammar.
        ExportError: The notation cannot express the dialect.
    """
    notation = find_constraint(provider).notation
    # Such an export has one file.
    [text] = export(notation, load_grammar(format)).values()
    return text
