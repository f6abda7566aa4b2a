"""Texts compared regardless of width, case and blanks; words of natural language and of identifiers.

Law: a span that is found in a folded text points into the original one.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_CONTENT = re.compile(r"[a-z0-9_]+|[\u30a1-\u30fa\u30fc]{2,}|[\u3400-\u9fff\u3005]{2,}")
_IDENTIFIER = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ASCII_WORD = re.compile(r"[a-z0-9_' -]+\Z")


def fold_text(text: str) -> str:
    """Return a text in its compatible form, in small letters, each run of blanks as one blank."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def find_span(quote: str, text: str) -> tuple[int, int] | None:
    """Return where a quote stands in a text, regardless of width, case and blanks; None if it does not.

    The span covers whole characters with their combining marks, and begins and ends with what the quote does.
    """
    wanted = "".join(fold_text(quote).split())
    if not wanted:
        return None
    folded, starts, ends = _fold_by_cluster(text)
    at = folded.find(wanted)
    while at >= 0:
        first, last = at, at + len(wanted) - 1
        whole = (first == 0 or starts[first - 1] != starts[first]) and (
            last + 1 == len(folded) or starts[last + 1] != starts[last]
        )
        if whole:
            return starts[first], ends[last]
        at = folded.find(wanted, at + 1)
    return None


def split_identifier(name: str) -> list[str]:
    """Return the words of an identifier in small letters: `parseHTTPReply_v2` has parse, http, reply, v, 2."""
    return [word.lower() for word in _IDENTIFIER.findall(unicodedata.normalize("NFKC", name))]


def content_words(text: str) -> list[str]:
    """Return the words of a text that may carry meaning: ASCII words of two letters, runs of katakana, of kanji.

    An ASCII word that is an identifier comes with its parts.
    """
    pieces = re.findall(r"[A-Za-z0-9_]+", unicodedata.normalize("NFKC", text))
    parts = [part for piece in pieces for part in split_identifier(piece) if len(part) >= 2]
    return list(dict.fromkeys([word for word in _CONTENT.findall(fold_text(text)) if len(word) >= 2] + parts))


def has_word(folded: str, word: str) -> bool:
    """Return whether a folded text has a word: an ASCII one between boundaries, another one anywhere."""
    return bool(word_pattern(word).search(folded))


@lru_cache(maxsize=4096)
def word_pattern(word: str) -> re.Pattern[str]:
    """Return the pattern of a word in folded texts; English words also in their common forms (adds, added, adding)."""
    folded = fold_text(word)
    if not _ASCII_WORD.match(folded):
        return re.compile(re.escape(folded))
    stem = re.escape(folded.removesuffix("e")).replace(r"\ ", r"[ _-]?")
    ending = "(?:e|es|ed|ing|er)" if folded.endswith("e") else f"(?:s|es|ed|ing|er|{re.escape(folded[-1])}(?:ed|ing))?"
    return re.compile(rf"(?<![a-z]){stem}{ending}(?![a-z])")


def _fold_by_cluster(text: str) -> tuple[str, list[int], list[int]]:
    """Return a text folded without blanks, and for each of its characters where the original one begins and ends.

    What combines (marks, the halves of a Korean syllable, half-width voicing) is folded as one.
    """
    folded: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and _joins(text[end]):
            end += 1
        piece = "".join(fold_text(text[start:end]).split())
        folded.append(piece)
        starts += [start] * len(piece)
        ends += [end] * len(piece)
        start = end
    return "".join(folded), starts, ends


def _joins(character: str) -> bool:
    """Return whether a character may become one with what stands before it."""
    if character < "\u0300":
        return False
    plain = unicodedata.normalize("NFKC", character)
    return any(unicodedata.combining(c) or "\u1160" <= c <= "\u11ff" or unicodedata.category(c) == "Mc" for c in plain)
