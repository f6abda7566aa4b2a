"""Judge whether a call shows what a slot says: the target, or the observed issue.

Invariants
    1. Only what a call found in files that are older than the session counts (`Call.found`).
    2. An issue counts in a home file of the target alone: a file that defines or uses something that
       is related to the target, or that is named after it; of markup one that has all its words.
    3. What the request itself says needs one of its words in the code. What was found by looking
       needs a quote of the code, or all its words in one file.

Known weaknesses
    A model that quotes real code of the target and invents the rest is believed. The evidence is a part
    of the session's record (`symops gate why`), so that a person can compare.
"""

from __future__ import annotations

import re

from ..requests.folding import content_words, fold_text
from ..requests.frame import QueryFrame
from ..requests.relatedness import is_related
from ..requests.words import Synonyms, weak_words
from .events import Call, Found
from .record import State
from .write_gate import is_markup

_DEFINING = ("find_definitions", "get_symbols", "get_function_at_line", "add_explored_files")
# 'Incorrect username.', `raise LoginError`, 「見つかりません」
_QUOTED = re.compile(r"""['"`「『]([^'"`」』]{6,200})['"`」』]""")


class Judge:
    """Compares calls with what a session says of its request."""

    def __init__(self, state: State, frame: QueryFrame, synonyms: Synonyms) -> None:
        self._state, self._frame, self._synonyms = state, frame, synonyms

    def is_of_target(self, value: str, call: Call) -> bool:
        """Return whether a call found something that is related to a target, or all words of it."""
        words = self._words(value)
        for path, found in call.found.items():
            if any(self._related(value, name) for name in (path, *found.names)):
                return True
            if words and self._has_all(words, found):
                return True
        return False

    def is_about(self, value: str, call: Call) -> bool:
        """Return whether a call found an issue in a home file of the target."""
        homes = [found for path, found in call.found.items() if self._is_home(path)]
        if self._is_stated(value):
            words = self._words(value)
            in_code = [word for word in words if self._in_code(word)]
            return any(not in_code or self._has_any(in_code, found) for found in homes)
        quotes = [fold_text(quote) for quote in _QUOTED.findall(value) if _is_long(quote)]
        for found in homes:
            folded = fold_text(found.text)
            if any(quote in folded for quote in quotes):
                return True
            if (words := self._words(value)) and self._has_all(words, found):
                return True
        return False

    def _is_stated(self, value: str) -> bool:
        """Return whether the request itself says an issue."""
        quote = self._frame.slot_quotes.get("observed_issue", "")
        return bool(quote) and _squeeze(value) in _squeeze(quote)

    def _is_home(self, path: str) -> bool:
        target = self._frame.target_feature
        if not target:
            return False
        stem = path.rpartition("/")[2].partition(".")[0]
        return self._related(target, stem) or any(self._makes_home(call, path, target) for call in self._state.calls)

    def _makes_home(self, call: Call, path: str, target: str) -> bool:
        found = call.found.get(path)
        if not call.ok or found is None:
            return False
        if is_markup(path):  # nothing is defined there: the words of the target do
            words = self._words(target)
            return bool(words) and self._has_all(words, found)
        if call.tool == "find_references":
            return self._related(target, str(call.params.get("symbol", "")))
        return call.tool in _DEFINING and any(self._related(target, name) for name in found.names)

    def _words(self, value: str) -> list[str]:
        weak = weak_words()[0]
        return [word for word in content_words(value) if word not in weak]

    def _in_code(self, word: str) -> bool:
        """Return whether code may have a word: code is English, or a synonym of the word is."""
        return word.isascii() or bool(self._synonyms.of(word))

    def _has_all(self, words: list[str], found: Found) -> bool:
        return all(self._has_any([word], found) for word in words)

    def _has_any(self, words: list[str], found: Found) -> bool:
        folded = fold_text(f"{found.text} {' '.join(found.names)}")
        for word in words:
            if word in folded or _singular(word) in folded:
                return True
            if any(synonym in folded for synonym in self._synonyms.of(word)):
                return True
        return False

    def _related(self, term: str, symbol: str) -> bool:
        return is_related(term, symbol, self._synonyms)


def _is_long(quote: str) -> bool:
    """Return whether a quote is more than a word, which any file may have by chance."""
    return len(quote.split()) > 1 or not quote.isascii()


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _squeeze(text: str) -> str:
    return "".join(fold_text(text).split())
