"""Insert lines into a repaired text and keep the way back to the caller's text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..document import Document
from ..grammar.dialect import Dialect
from ..strict.parser import parse
from ..text.diagnostics import ParseError
from ..text.source import LineEndings, Source
from .edits import Edit, apply_edits
from .repaired import Repaired


def insert_lines(
    repaired: Repaired, lines: Sequence[tuple[int, str]], dialect: Dialect
) -> Repaired:
    """Return a repaired text with lines inserted, and parsed again.

    Args:
        repaired: The repaired text.
        lines: Pairs (offset in the repaired text, line with its line feed). The line comes after
            the line that holds the offset.
        dialect: The dialect to parse the new text in.

    Returns:
        The text with its repairs moved; its document is None if it does not parse strictly.
    """
    # Inserted lines end as most lines of the text do.
    ending = LineEndings(repaired.text).usual
    edits = []
    for offset, line in lines:
        line_end = repaired.text.find("\n", offset) + 1
        inserted = line.replace("\n", ending)
        if line_end:
            edits.append(Edit(line_end, line_end, inserted))
        else:  # the last line, which has no ending
            size = len(repaired)
            edits.append(Edit(size, size, ending + inserted))
    text, position_map = apply_edits(repaired.text, edits)
    source = Source(text)
    repairs = []
    for repair in repaired.repairs:
        start = position_map.to_new(repair.after.start)
        end = position_map.to_new(repair.after.end)
        repairs.append(replace(repair, after=source.span(start, end)))
    document: Document | None
    try:
        document = parse(text, dialect)
    except ParseError:
        document = None
    return Repaired(
        text,
        repaired.original,
        tuple(repairs),
        (*repaired.maps, position_map),
        repaired.completeness,
        document,
        repaired.lost,
    )
