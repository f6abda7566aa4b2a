"""Draw a diagnostic for people: the line of the text, carets below the span, and what to do.

Example::

    reply:2:9: error: the mark `@` is missing [missing-target-mark]
        2 | ::create a.py
          |         ^^^^^
            expected: @
            hint: write `@` before the path
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from .source import Source, Span

# Of a long line, this many characters are shown, the first of them this many before the span.
_MAX_WIDTH = 120
_MAX_BEFORE = 60
_MARGIN = 5  # columns of the line number
_INDENT = "        "


def draw_finding(
    headline: str, span: Span, source: Source, expected: Sequence[str], hint: str
) -> str:
    """Draw a diagnostic.

    Args:
        headline: The severity, the message and the code.
        span: The place in the text.
        source: The text.
        expected: What would be valid there; empty: no such line is drawn.
        hint: What to do; empty: no such line is drawn.

    Returns:
        Lines without a final newline. A blank line of the text is not drawn.
    """
    # Editors and terminals turn this form of a place into a link.
    place = f"{source.name}:{span.line}:{span.column}"
    lines = [f"{place}: {headline}"]
    lines += _draw_line(span, source)
    if expected:
        alternatives = ", ".join(expected)
        lines.append(f"{_INDENT}expected: {alternatives}")
    if hint:
        lines.append(f"{_INDENT}hint: {hint}")
    return "\n".join(lines)


def _draw_line(span: Span, source: Source) -> list[str]:
    """Return the line of the text and the carets below it."""
    text = source.line_text(span.line)
    start = span.column - 1
    length = span.end - span.start
    end = start + max(1, length)  # an empty span gets one caret
    left = max(0, start - _MAX_BEFORE)
    right = left + _MAX_WIDTH
    excerpt = text[left:right]
    if not excerpt.strip():
        return []
    number = str(span.line)
    number = number.rjust(_MARGIN)
    before = "…" if left else ""
    is_cut = len(text) > right
    after = "…" if is_cut else ""
    drawn = f"{number} | {before}{excerpt}{after}"

    # The carets begin below the span in a terminal: tabs stay tabs, as their width is unknown, and
    # wide characters become two blanks.
    padding = " " if left else ""
    for character in text[left:start]:
        if character == "\t":
            padding += "\t"
        else:
            padding += " " * column_width(character)
    marked = excerpt[start - left : end - left]  # a span of several lines ends with its first line
    widths = map(column_width, marked)
    width = max(1, sum(widths))
    carets = "^" * width
    blanks = " " * _MARGIN
    below = f"{blanks} | {padding}{carets}"
    return [drawn, below]


def column_width(character: str) -> int:
    """Return how many columns a terminal needs for a character.

    Args:
        character: One character.

    Returns:
        2 for wide characters of East Asia (Unicode Standard Annex 11), 0 for combining ones, else
        1.
    """
    if unicodedata.combining(character):
        return 0
    width = unicodedata.east_asian_width(character)
    if width in ("W", "F"):
        return 2
    return 1
