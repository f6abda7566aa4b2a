"""Searching by meaning: what is found are guesses. Backends rank; none of them decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from math import log
from typing import Any, Protocol

from ..index import Index
from ..index.words import split_word, terms_of
from ..requests.words import our_synonyms

_SYNONYM, _NEIGHBOUR = 0.7, 0.25  # what a word weighs that was not said
_TOP, _NEIGHBOURS = 20, 8


class SemanticBackend(Protocol):
    """Finds what may be meant by a text."""

    name: str

    def search(self, index: Index, text: str, path: str | None, limit: int | None) -> dict[str, Any]:
        """Return an answer whose items have a `score`, the best first."""
        ...


class WordBackend:
    """Adds synonyms, and the words that stand in names of the files where the words stand: no model is needed."""

    name = "words"

    def __init__(self, synonyms: Callable[[str], Iterable[str]] | None = None) -> None:
        self._synonyms = our_synonyms().of if synonyms is None else synonyms

    def search(self, index: Index, text: str, path: str | None, limit: int | None) -> dict[str, Any]:
        """Return definitions and files for the words, their synonyms and their neighbours."""
        from .query import rank

        weights = dict.fromkeys(terms_of(text)[:40], 1.0)
        for synonym in self._synonyms(text):
            for part in split_word(synonym):
                weights.setdefault(part, _SYNONYM)
        if not weights:
            return {}
        for neighbour in find_neighbours(index, weights):
            weights.setdefault(neighbour, _NEIGHBOUR)
        return rank(index, weights, path, limit)


def find_neighbours(index: Index, words: Iterable[str]) -> list[str]:
    """Return the words of names that are more frequent than elsewhere in files that have some of the words."""
    asked = " OR ".join(f'"{word}"' for word in words)
    with index.reading() as database:
        sql = f"SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT {_TOP}"
        near = [row[0] for row in database.execute(sql, (asked,))]
        if not near:
            return []
        marks = ",".join("?" * len(near))
        counts: Counter[str] = Counter()
        sql = f"SELECT group_concat(name, ' ') FROM symbols WHERE file IN ({marks}) GROUP BY file"
        for (names,) in database.execute(sql, near):
            counts.update({part for name in set(names.split()) for part in split_word(name)[1:] if len(part) > 2})
        files = max(1, len(index.files))
        scores = {}
        for word, count in counts.most_common(50):
            if count > 1:
                [(everywhere,)] = database.execute("SELECT count(*) FROM names WHERE names MATCH ?", (f'"{word}"',))
                scores[word] = count / len(near) * log(1 + files / (1 + everywhere))
    return sorted(scores, key=lambda word: (-scores[word], word))[:_NEIGHBOURS]
