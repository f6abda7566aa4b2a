"""The words that a text can be found by: whole identifiers, the words that they are made of, pairs of CJK letters."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_RUN = re.compile(r"[^\W\d]\w*")
_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\uac00-\ud7af"
_PIECE = re.compile(rf"(?P<cjk>[{_CJK}]+)|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_{_CJK}A-Za-z]+|[0-9]+")
_LONGEST = 80  # longer runs are data


def words_of(text: str) -> set[str]:
    """Return the words of a text, folded."""
    found: set[str] = set()
    for run in set(_RUN.findall(text)):
        if len(run) <= _LONGEST or not run.isascii():
            found.update(split_word(run))
    return found


@lru_cache(maxsize=200_000)
def split_word(run: str) -> tuple[str, ...]:
    """Return an identifier, folded, and its parts: `parseText` is found by parsetext, parse and text."""
    run = unicodedata.normalize("NFKC", run)
    parts = [] if len(run) > _LONGEST else [run.lower()]
    for piece in _PIECE.finditer(run):
        text = piece[0].lower()
        if not piece["cjk"] or len(text) == 1:
            parts.append(text)
        else:
            parts += [text[place : place + 2] for place in range(len(text) - 1)]
    return tuple(dict.fromkeys(part for part in parts if len(part) <= _LONGEST))


def terms_of(text: str) -> list[str]:
    """Return what a question asks for, in its order: parts of identifiers rather than the whole of sentences."""
    found: list[str] = []
    for run in _RUN.findall(text):
        parts = split_word(run)
        found += parts if len(parts) == 1 or run.isascii() else parts[1:]
    return list(dict.fromkeys(found))
