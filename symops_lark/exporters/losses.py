"""What the grammars for constrained decoding cannot keep of a dialect: refused, or said beforehand."""

from __future__ import annotations

from ..grammar.compiler import WrittenDialect
from . import ExportError
from .automaton import Automaton
from .features import find_definition, find_features, find_nested_rule, show_place
from .language import NotRegular, find_language
from .subset import FEATURES


def require_language(dialect: WrittenDialect, export: str) -> Automaton:
    """Return the language of a dialect; raise `ExportError` with the place of what cannot be kept."""
    for code, start in find_features(dialect):
        feature = FEATURES[code]
        if feature.refused:
            reason = f"{feature.refused}; {feature.hint}"
            raise ExportError(f"{show_place(dialect, start)}: the export {export} cannot keep {feature.name}: {reason}")
    try:
        return find_language(dialect)
    except NotRegular as error:
        name = error.terminal or find_nested_rule(dialect) or "document"
        place = show_place(dialect, find_definition(dialect, name))
        raise ExportError(f"{place}: the export {export} cannot keep {name}: {error}") from None


def find_losses(dialect: WrittenDialect) -> tuple[str, ...]:
    """Return what means less in the exported grammar than in the dialect, a sentence each, with its place."""
    return tuple(
        f"{show_place(dialect, start)}: {FEATURES[code].name}: {FEATURES[code].narrowed}"
        for code, start in find_features(dialect)
        if FEATURES[code].narrowed
    )
