"""Separate tokens that a reply uses from those that it only mentions: quoted, or in inline code."""

from __future__ import annotations

from ..patterns.regexes import compile_pattern
from ..text.source import cut, size
from .tables import CLOSE, END

_MAX_BEFORE = 200  # characters before a token that may be inline code; a bound on the time
_BACKTICKS = compile_pattern("`+")
_FENCE = compile_pattern(r"[ \t]{0,3}(?:`{3,}|~{3,})[ \t]*")
_OPENING_QUOTES = ("“", "‘", "「", "『")
_QUOTES = ("'", '"')  # these also end a quotation
_BEFORE_QUOTATION = ("", " ", "\t", "\n", "(", "[")


def is_mentioned(text: str, start: int, end: int, kind: str) -> bool:
    """Return whether a token is not used.

    Args:
        text: The reply.
        start: Where the token begins.
        end: Where it ends.
        kind: Its kind.
    """
    line = _line_before(text, start)
    # Models write a token on the line that ends a block.
    if _FENCE.fullmatch(line):
        return False
    runs = _BACKTICKS.findall(line)
    is_inline_code = len(runs) % 2 == 1
    if is_inline_code or line.endswith(_OPENING_QUOTES) or _is_quoted(text, start, end, kind):
        return True
    # `<s>old</s>` is struck out in Markdown, and does not end a reply.
    token = text[start:end]
    if kind != END or not token.startswith("</"):
        return False
    opening = "<" + token[2:]
    return opening in line


def _is_quoted(text: str, start: int, end: int, kind: str) -> bool:
    """Return whether a token is right after a quotation mark that does not end a quotation."""
    quote = text[max(0, start - 1) : start]
    if quote not in _QUOTES:
        return False
    if cut(text, end, 1) == quote:
        return True
    # A quotation may be the last words of a section of thinking: `it says "no"</think>`.
    if kind == CLOSE:
        return False
    previous = text[max(0, start - 2) : start - 1]
    return previous in _BEFORE_QUOTATION


def _line_before(text: str, end: int) -> str:
    """Return the characters of a line before an offset, at most `_MAX_BEFORE`."""
    # In exported JavaScript an offset counts some characters twice.
    first = max(0, end - 2 * _MAX_BEFORE)
    first = max(first, text.rfind("\n", first, end) + 1)
    line = text[first:end]
    further = cut(line, 0, max(0, size(line) - _MAX_BEFORE))
    return line.removeprefix(further)
