"""What the grammars for constrained decoding cannot keep of a dialect: refused, or said beforehand."""

from __future__ import annotations

from typing import NamedTuple

from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.ground.errors import ExportError
from ..core.patterns.regexes import compile_pattern
from .automaton import Automaton
from .features import find_definition, find_features, find_nested_rule, show_place
from .language import NotRegular, find_language
from .subset import FEATURES


class Obstacle(NamedTuple):
    """What no grammar for constrained decoding can keep: where it stands in the whole grammar, its name, and why.

    `code` is that of the feature, or empty where the whole language is the reason.
    """

    start: int
    name: str
    reason: str
    code: str = ""


def find_obstacle(dialect: WrittenDialect) -> Obstacle | None:
    """Return the first thing that cannot be kept, if there is one."""
    for code, start in find_features(dialect):
        feature = FEATURES[code]
        if feature.refused:
            return Obstacle(start, feature.name, f"{feature.refused}; {feature.hint}", code)
    try:
        find_language(dialect)
    except NotRegular as error:
        name = error.terminal or find_nested_rule(dialect) or "document"
        return Obstacle(find_definition(dialect, name), name, str(error))
    return None


def require_language(
    dialect: WrittenDialect, export: str, well_formed: bool = False, paths: tuple[str, ...] = (), lead_in: bool = False
) -> Automaton:
    """Return the language of a dialect; raise `ExportError` with the place of what cannot be kept.

    `well_formed`, `paths` and `lead_in` are those of `find_language`.
    """
    found = find_obstacle(dialect)
    if found is not None:
        place = show_place(dialect, found.start)
        raise ExportError(f"{place}: the export {export} cannot keep {found.name}: {found.reason}")
    patterns = {row[0]: row[1] for row in dialect.table("lalr")["terminals"]}
    for path in paths:
        if compile_pattern(patterns.get("PATH", r"\Z")).fullmatch(path) is None:
            raise ExportError(f"{path!r} is not a path in {dialect.name}: no text could name it")
    try:
        return find_language(dialect, well_formed, paths, lead_in)
    except (NotRegular, ValueError) as error:
        raise ExportError(f"the export {export} cannot keep well-formed texts of {dialect.name}: {error}") from None


def find_losses(dialect: WrittenDialect) -> tuple[str, ...]:
    """Return what means less in the exported grammar than in the dialect, a sentence each, with its place."""
    return tuple(
        f"{show_place(dialect, start)}: {FEATURES[code].name}: {FEATURES[code].narrowed}"
        for code, start in find_features(dialect)
        if FEATURES[code].narrowed
    )
