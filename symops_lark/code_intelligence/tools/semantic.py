"""Search by meaning. The results are guesses; a backend only ranks them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from math import log
from typing import Protocol

from ..index import Index
from ..index.words import split_word, terms_of
from ..requests.words import our_synonyms
from .answers import Answer
from .query import match_any, rank

# Weights of words that are not in the text.
_SYNONYM = 0.7
_NEIGHBOR = 0.25
_MAX_TERMS = 40
_MAX_FILES = 20  # that give neighbors
_MAX_COMMON = 50  # words of names that are compared
_MAX_NEIGHBORS = 8
_FILES = f"SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT {_MAX_FILES}"
_FREQUENCY = "SELECT count(*) FROM names WHERE names MATCH ?"


class SemanticBackend(Protocol):
    """Finds code by the meaning of a text."""

    name: str

    def search(self, index: Index, text: str, path: str | None, limit: int | None) -> Answer:
        """Return an answer with items that have a `score`, the best first.

        Args:
            index: The index.
            text: The text.
            path: The folder or file. None: the whole folder of the index.
            limit: The most items.
        """
        ...


class WordBackend:
    """Searches for words, their synonyms, and their neighbors. It needs no model.

    Neighbors are words in names of files that have the words.

    Args:
        synonyms: Returns the synonyms of a text. None: those of the package.
    """

    name = "words"

    def __init__(self, synonyms: Callable[[str], Iterable[str]] | None = None) -> None:
        self._synonyms = synonyms or our_synonyms().of

    def search(self, index: Index, text: str, path: str | None, limit: int | None) -> Answer:
        """Return definitions and files for the words, their synonyms and their neighbors.

        Args:
            index: The index.
            text: The text.
            path: The folder or file. None: the whole folder of the index.
            limit: The most items.
        """
        weights = dict.fromkeys(terms_of(text)[:_MAX_TERMS], 1.0)
        for synonym in self._synonyms(text):
            for part in split_word(synonym):
                weights.setdefault(part, _SYNONYM)
        if not weights:
            return {}
        for neighbor in find_neighbors(index, weights):
            weights.setdefault(neighbor, _NEIGHBOR)
        return rank(index, weights, path, limit)


def find_neighbors(index: Index, words: Iterable[str]) -> list[str]:
    """Return words of names that are frequent in files with some words, and rare in others."""
    scores = {}
    with index.reading() as database:
        rows = database.execute(_FILES, (match_any(words),)).fetchall()
        numbers = [row[0] for row in rows]
        marks = ",".join("?" * len(numbers))
        sql = f"SELECT group_concat(name, ' ') FROM symbols WHERE file IN ({marks}) GROUP BY file"
        counts: Counter[str] = Counter()
        for (names,) in database.execute(sql, numbers):
            parts: set[str] = set()
            for name in set(names.split()):
                # The first part is the whole name.
                parts.update(part for part in split_word(name)[1:] if len(part) > 2)
            counts.update(parts)
        file_count = max(1, len(index.files))
        for word, count in counts.most_common(_MAX_COMMON):
            if count == 1:
                break
            [frequency] = database.execute(_FREQUENCY, (f'"{word}"',)).fetchone()
            rarity = log(1 + file_count / (1 + frequency))
            scores[word] = count / len(numbers) * rarity
    # Both sorts are stable.
    ranked = sorted(sorted(scores), key=scores.__getitem__, reverse=True)
    return ranked[:_MAX_NEIGHBORS]
