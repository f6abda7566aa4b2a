"""How a finding is drawn for a person: the line of the text, carets below what is meant, and what to do."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from .source import Source, Span


def draw_finding(said: str, span: Span, source: Source, expected: Sequence[str], hint: str) -> str:
    """Return `name:line:column: ` and what is said, the line, carets below the span, what was expected, the hint."""
    lines = [f"{source.name}:{span.line}:{span.column}: {said}"]
    shown = source.line_text(span.line)
    begin, stop = span.column - 1, span.column - 1 + max(1, span.end - span.start)
    left = max(0, begin - 60)
    window = shown[left : left + 120]
    margin = f"{span.line:>5} | "
    if window.strip():
        lead = "".join("\t" if c == "\t" else " " * column_width(c) for c in window[: begin - left])
        marked = window[begin - left : stop - left]
        lines.append(margin + ("…" if left else "") + window + ("…" if len(shown) > left + 120 else ""))
        carets = "^" * max(1, sum(map(column_width, marked)))
        lines.append(" " * 6 + "| " + (" " if left else "") + lead + carets)
    if expected:
        lines.append("        expected: " + ", ".join(expected))
    if hint:
        lines.append("        hint: " + hint)
    return "\n".join(lines)


def column_width(character: str) -> int:
    """Return how many columns a terminal gives a character: two for East Asian wide ones, none for what combines."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
