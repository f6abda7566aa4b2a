"""Refuse the features of a dialect that grammars for constrained decoding cannot express."""

from __future__ import annotations

from typing import NamedTuple

from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.ground.errors import ExportError
from ..core.patterns.regexes import compile_pattern
from .automata.automaton import Automaton
from .automata.language import find_language
from .automata.terminals import NotRegular
from .features import find_definition, find_features, find_nested_rule, show_place
from .subset import load_features


class Obstacle(NamedTuple):
    """Something that no grammar for constrained decoding can express.

    Attributes:
        start: Its offset in the complete grammar.
        name: Its name.
        reason: Why it cannot be expressed.
        code: The code of the feature; empty: the language as a whole is the reason.
    """

    start: int
    name: str
    reason: str
    code: str = ""


def find_obstacle(dialect: WrittenDialect) -> Obstacle | None:
    """Return the first obstacle; None if there is none."""
    for code, start in find_features(dialect):
        feature = load_features()[code]
        if feature.refused:
            return Obstacle(start, feature.name, f"{feature.refused}; {feature.hint}", code)
    # Features alone do not show whether rules nest.
    try:
        find_language(dialect)
    except NotRegular as error:
        name = error.terminal or find_nested_rule(dialect) or "document"
        return Obstacle(find_definition(dialect, name), name, str(error))
    return None


def require_language(
    dialect: WrittenDialect,
    export: str,
    well_formed: bool = False,
    paths: tuple[str, ...] = (),
    lead_in: bool = False,
) -> Automaton:
    """Return the language of a dialect.

    Args:
        dialect: The dialect.
        export: The name of the export, for messages.
        well_formed: As in `find_language`, like the next two.
        paths: The only paths that actions can name; empty: any path.
        lead_in: Whether lines without a mark can come before the text.

    Raises:
        ExportError: The dialect has an obstacle, whose place is in the message, or a path is
            invalid.
    """
    obstacle = find_obstacle(dialect)
    if obstacle is not None:
        place = show_place(dialect, obstacle.start)
        message = f"the export {export} cannot keep {obstacle.name}: {obstacle.reason}"
        raise ExportError(f"{place}: {message}")
    patterns = {row[0]: row[1] for row in dialect.table("lalr")["terminals"]}
    # A dialect without paths accepts none.
    pattern = compile_pattern(patterns.get("PATH", r"\Z"))
    for path in paths:
        if pattern.fullmatch(path) is None:
            raise ExportError(f"{path!r} is not a path in {dialect.name}: no text could name it")
    # Well-formed texts may need more states than a decoder can have, or there are none.
    try:
        return find_language(dialect, well_formed, paths, lead_in)
    except (NotRegular, ValueError) as error:
        message = f"the export {export} cannot keep well-formed texts of {dialect.name}: {error}"
        raise ExportError(message) from None
