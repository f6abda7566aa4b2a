"""Split a text into words to search for: identifiers, their parts, and pairs of CJK letters."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_RUN = re.compile(r"[^\W\d]\w*")
_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\uac00-\ud7af"
# In `parseHTTPText2` the pieces are `parse`, `HTTP`, `Text` and `2`.
_PIECE = re.compile(
    rf"(?P<cjk>[{_CJK}]+)|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_{_CJK}A-Za-z]+|[0-9]+"
)
_MAX_LENGTH = 80  # characters of a word; longer runs are data


def words_of(text: str) -> set[str]:
    """Return the words of a text, in small letters."""
    words: set[str] = set()
    for run in set(_RUN.findall(text)):
        # Chinese and Japanese have no spaces: there a long run is a sentence.
        if len(run) <= _MAX_LENGTH or not run.isascii():
            words.update(split_word(run))
    return words


@lru_cache(maxsize=200_000)
def split_word(run: str) -> tuple[str, ...]:
    """Return an identifier and its parts: `parseText` gives parsetext, parse and text."""
    run = unicodedata.normalize("NFKC", run)
    parts = [run.lower()]
    for piece in _PIECE.finditer(run):
        text = piece[0].lower()
        if not piece["cjk"] or len(text) == 1:
            parts.append(text)
        else:
            parts += [text[start : start + 2] for start in range(len(text) - 1)]
    return tuple(part for part in dict.fromkeys(parts) if len(part) <= _MAX_LENGTH)


def terms_of(text: str) -> list[str]:
    """Return the words of a question in its order, and only the parts of a long CJK run."""
    terms: list[str] = []
    for run in _RUN.findall(text):
        parts = split_word(run)
        terms += parts if len(parts) == 1 or run.isascii() else parts[1:]
    return list(dict.fromkeys(terms))
