"""Compare texts regardless of width, case and blanks; split texts and identifiers into words.

Invariant: a span that is found in a folded text points into the original one.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_CONTENT = re.compile(r"[a-z0-9_]{2,}|[\u30a1-\u30fa\u30fc]{2,}|[\u3400-\u9fff\u3005]{2,}")
_ASCII = re.compile(r"[A-Za-z0-9_]+")
_IDENTIFIER = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ASCII_WORD = re.compile(r"[a-z0-9_' -]+\Z")


def fold_text(text: str) -> str:
    """Return a text in its compatible form, in lower case, each run of blanks as one blank."""
    folded = _normalize(text).casefold()
    # Again: lower case can have another compatible form.
    return " ".join(_normalize(folded).split())


def squeeze(text: str) -> str:
    """Return a folded text without blanks."""
    return fold_text(text).replace(" ", "")


def find_span(quote: str, text: str) -> tuple[int, int] | None:
    """Return the place of a quote in a text, regardless of width, case and blanks.

    Args:
        quote: The quote.
        text: The text.

    Returns:
        The offsets of its start and end. The span covers whole characters with their combining
        marks. None if the text does not have the quote.
    """
    folded_quote = squeeze(quote)
    if not folded_quote:
        return None
    folded, starts, ends = _fold_by_cluster(text)
    # A bound after the last character, which also precedes the first: `starts[-1]`.
    starts.append(-1)
    first = folded.find(folded_quote)
    while first >= 0:
        after = first + len(folded_quote)
        # A quote may end inside of a character that folds to several.
        begins_whole = starts[first - 1] != starts[first]
        ends_whole = starts[after - 1] != starts[after]
        if begins_whole and ends_whole:
            return starts[first], ends[after - 1]
        first = folded.find(folded_quote, first + 1)
    return None


def split_identifier(name: str) -> list[str]:
    """Return the words of an identifier in lower case.

    `parseHTTPReply_v2` has parse, http, reply, v, 2.
    """
    parts = _IDENTIFIER.findall(_normalize(name))
    return list(map(str.lower, parts))


def content_words(text: str) -> list[str]:
    """Return the words of a text that may carry meaning.

    These are ASCII words of two letters, runs of katakana, and runs of kanji. An ASCII word that is
    an identifier comes with its parts.
    """
    words = _CONTENT.findall(fold_text(text))
    for identifier in _ASCII.findall(_normalize(text)):
        parts = split_identifier(identifier)
        words += [part for part in parts if len(part) >= 2]
    return list(dict.fromkeys(words))


def has_word(folded: str, word: str) -> bool:
    """Return whether a folded text has a word: an ASCII word whole, another one anywhere."""
    return word_pattern(word).search(folded) is not None


@lru_cache(maxsize=4096)
def word_pattern(word: str) -> re.Pattern[str]:
    """Return the pattern of a word in folded texts.

    English words are also found in their common forms: adds, added, adding.
    """
    folded = fold_text(word)
    if not _ASCII_WORD.match(folded):
        return re.compile(re.escape(folded))
    stem = re.escape(folded.removesuffix("e"))
    stem = stem.replace(r"\ ", r"[ _-]?")
    if folded.endswith("e"):
        ending = "(?:e|es|ed|ing|er)"
    else:
        # The last letter may be doubled: stop, stopped.
        last = re.escape(folded[-1])
        ending = f"(?:s|es|ed|ing|er|{last}(?:ed|ing))?"
    return re.compile(rf"(?<![a-z]){stem}{ending}(?![a-z])")


def _fold_by_cluster(text: str) -> tuple[str, list[int], list[int]]:
    """Return a text folded without blanks, with the start and end of each character's original.

    A character is folded together with those that combine with it: marks, the halves of a Korean
    syllable, half-width voicing.
    """
    pieces = []
    starts = []
    ends = []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and _joins(text[end]):
            end += 1
        piece = squeeze(text[start:end])
        pieces.append(piece)
        starts += [start] * len(piece)
        ends += [end] * len(piece)
        start = end
    return "".join(pieces), starts, ends


def _joins(character: str) -> bool:
    """Return whether a character may combine with the one before it."""
    # No character below combines: a short way for most texts.
    if character < "\u0300":
        return False
    for part in _normalize(character):
        is_korean_half = "\u1160" <= part <= "\u11ff"
        # Spacing marks (Mc) have the combining class 0.
        is_spacing = unicodedata.category(part) == "Mc"
        if is_korean_half or is_spacing or unicodedata.combining(part):
            return True
    return False


def _normalize(text: str) -> str:
    return unicodedata.normalize("NFKC", text)
