"""Decide whether a text may have a section of a dialect, without reading it.

A reply in the format of another agent is mostly content, which no dialect reads. Patterns exclude
the dialects in the rest of it, at a tenth of the time that reading takes.
"""

from __future__ import annotations

from functools import lru_cache

from ..document import Document
from ..grammar.dialect import Dialect
from ..patterns.regexes import Pattern, compile_pattern, escape

_NO_LETTER = "(?![A-Za-z0-9_])"
_SIGNS = "[^A-Za-z0-9_\\n]"  # before a verb: marks, and the signs of Markdown
# Marks that begin few lines of prose.
_MARK = r"[ \t]*(?:[:：$＄?？!！]|>>|<<|\[[A-Z_]+\])"
_NAMED = rf"{_SIGNS}{{1,12}}[A-Za-z0-9_]+[^\n]{{0,20}}[@＠]"


def has_heads(text: str, dialects: tuple[Dialect, ...]) -> bool:
    """Return whether a line of a text is certainly the head of an action.

    Args:
        text: The text.
        dialects: The dialects.
    """
    pattern = _heads(dialects)
    return pattern.search(f"\n{text}\n") is not None


def has_signs_outside(text: str, document: Document, dialects: tuple[Dialect, ...]) -> bool:
    """Return whether a line outside of the actions of a document may be a section, even misspelled.

    It begins with a verb or with a mark that is rare in prose. A repair rule adds neither.

    Args:
        text: The text.
        document: The document in formats of other agents.
        dialects: The dialects.
    """
    pieces = []
    done = 0
    for action in document.actions:
        span = action.span
        pieces.append(text[done : span.start])
        done = max(done, span.end)
    pieces.append(text[done:])
    # The text before an action and the text after it are different lines.
    return has_signs("\n".join(pieces), dialects)


def has_signs(text: str, dialects: tuple[Dialect, ...]) -> bool:
    """Return whether a line of a text may be a section, even misspelled.

    Args:
        text: The text.
        dialects: The dialects.
    """
    pattern = _signs(dialects)
    return pattern.search(f"\n{text}") is not None


@lru_cache
def _heads(dialects: tuple[Dialect, ...]) -> Pattern:
    """Return the pattern of certain heads: a mark of actions and a verb, or the mark alone."""
    marks = {dialect.marks["action"] for dialect in dialects}
    spelled = map(escape, sorted(marks))
    alternatives = "|".join(spelled)
    verbs = _verbs(dialects)
    verb = f"(?:{verbs}){_NO_LETTER}"
    return compile_pattern(rf"\n[ \t]*(?:{alternatives})[ \t]*(?:{verb}|\n)")


@lru_cache
def _signs(dialects: tuple[Dialect, ...]) -> Pattern:
    """Return the pattern of lines that may be a section."""
    verbs = _verbs(dialects)
    verb = f"{_SIGNS}{{0,12}}(?i:{verbs}){_NO_LETTER}"
    return compile_pattern(rf"\n(?:{verb}|{_NAMED}|{_MARK})")


def _verbs(dialects: tuple[Dialect, ...]) -> str:
    """Return the alternation of all verbs of dialects."""
    verbs: set[str] = set()
    for dialect in dialects:
        verbs.update(dialect.all_verbs)
    return "|".join(map(escape, sorted(verbs)))
