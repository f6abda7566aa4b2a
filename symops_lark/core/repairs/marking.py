"""Lines that are put into a repaired text, with the way back to the caller's text kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..grammar.dialect import Dialect
from ..strict.parser import parse
from ..text.diagnostics import ParseError
from ..text.source import LineEndings, Source
from .edits import Edit, apply_edits
from .repaired import Repaired


def insert_lines(repaired: Repaired, lines: Sequence[tuple[int, str]], dialect: Dialect) -> Repaired:
    """Return a repaired text with lines inserted, each behind the line of an offset, and read again."""
    ending, edits = LineEndings(repaired.text).usual, []
    for offset, line in lines:
        behind = repaired.text.find("\n", offset) + 1
        at = behind or len(repaired)
        edits.append(Edit(at, at, ("" if behind else ending) + line.replace("\n", ending)))
    text, position_map = apply_edits(repaired.text, edits)
    source = Source(text)
    repairs = (
        replace(made, after=source.span(position_map.to_new(made.after.start), position_map.to_new(made.after.end)))
        for made in repaired.repairs
    )
    try:
        document = parse(text, dialect)
    except ParseError:
        document = None
    maps = (*repaired.maps, position_map)
    return Repaired(text, repaired.original, tuple(repairs), maps, repaired.completeness, document, repaired.lost)
