"""Words that mean the same, the opposite, or little. They are in data files, which users extend."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.text.yaml_file import YamlFile
from .folding import content_words, fold_text, has_word, word_pattern

_HERE = Path(__file__).parent
Group = tuple[str, ...]


class WordsError(SymOpsError):
    """A file of words is wrong; the message begins with `file:line:column:`."""


@dataclass(frozen=True, slots=True)
class Synonyms:
    """Words of code for the terms of requests.

    Attributes:
        terms: Each term with its words.
        unrelated: Words that contain another word by chance, as `author` contains `auth`.
    """

    terms: tuple[tuple[str, Group], ...]
    unrelated: Group = ()

    def __add__(self, other: Synonyms) -> Synonyms:
        """Return both together."""
        return Synonyms(terms=self.terms + other.terms, unrelated=self.unrelated + other.unrelated)

    def of(self, text: str) -> list[str]:
        """Return the words of code for all terms of a text, each once."""
        folded = fold_text(text)
        synonyms: dict[str, None] = {}
        for term, words in self.terms:
            if has_word(folded, term):
                synonyms |= dict.fromkeys(map(fold_text, words))
        return list(synonyms)


@dataclass(frozen=True, slots=True)
class Antonyms:
    """Words that rule each other out.

    Attributes:
        groups: Groups of such words.
    """

    groups: tuple[Group, ...]

    def __add__(self, other: Antonyms) -> Antonyms:
        """Return both together."""
        return Antonyms(self.groups + other.groups)

    def find_clash(self, value: str, quote: str) -> tuple[str, str] | None:
        """Return a word of a value, and its opposite in the quote; None if there is none."""
        for group in self.groups:
            quote_words = _find_words(group, quote)
            if not quote_words:
                continue
            # A value may have both words: the quote then has one of them, too.
            for word in _find_words(group, value):
                if word not in quote_words:
                    return word, quote_words[0]
        return None


def _find_words(group: Group, text: str) -> list[str]:
    """Return the words of a group that a text has: a longer one (未登録) hides a shorter (登録)."""
    remainder = fold_text(text)
    words = []
    for word in sorted(group, key=len, reverse=True):
        pattern = word_pattern(word)
        remainder, count = pattern.subn("\0", remainder)
        if count:
            words.append(word)
    return words


def load_synonyms(path: str | Path) -> Synonyms:
    """Return the synonyms of a YAML file.

    Args:
        path: The file.

    Raises:
        WordsError: It is wrong.
    """
    # A project may add its own file: an unknown key is a typing error there.
    file = YamlFile(path, "file of synonyms", WordsError, known=("synonyms", "unrelated"))
    file.check_keys((), ("synonyms",), ("unrelated",))
    terms = file.data["synonyms"]
    if not isinstance(terms, dict):
        raise file.fail(("synonyms",), "synonyms is a mapping from terms to lists of words")
    pairs = []
    for key, value in terms.items():
        term = str(key)
        words = _check_words(file, ("synonyms", term), value)
        pairs.append((term, words))
    values = file.data.get("unrelated", [])
    unrelated = _check_words(file, ("unrelated",), values)
    return Synonyms(tuple(pairs), unrelated)


def load_antonyms(path: str | Path) -> Antonyms:
    """Return the antonyms of a YAML file.

    Args:
        path: The file.

    Raises:
        WordsError: It is wrong.
    """
    file = YamlFile(path, "file of antonyms", WordsError, known=("antonyms",))
    file.check_keys((), ("antonyms",))
    values = file.data["antonyms"]
    if not isinstance(values, list):
        raise file.fail(("antonyms",), "antonyms is a list of groups of words")
    groups = []
    for number, value in enumerate(values):
        keys = ("antonyms", str(number))
        group = _check_words(file, keys, value)
        if len(group) < 2:
            raise file.fail(keys, "a group of opposites has two words or more")
        groups.append(group)
    return Antonyms(tuple(groups))


def _check_words(file: YamlFile, keys: Group, value: object) -> Group:
    words = value if isinstance(value, list) else [None]
    for word in words:
        # YAML reads `no` as false, and `1` as a number.
        if not isinstance(word, str) or not word.strip():
            message = "a list of words is expected, quoted where YAML would read something else"
            raise file.fail(keys, message)
    return tuple(words)


def speaks_of_markup(request: str) -> bool:
    """Return whether a request is about texts, or how they look."""
    folded = fold_text(request)
    languages = our_file("markup_words")
    words = languages["ja"] + languages["en"]
    return any(has_word(folded, word) for word in words)


@cache
def our_file(name: str) -> dict[str, Any]:
    """Return the data of a file of words that comes with the package."""
    return YamlFile(_HERE / f"{name}.yaml", "file of words").data


@cache
def our_synonyms() -> Synonyms:
    """Return the synonyms that come with the package."""
    return load_synonyms(_HERE / "synonyms.yaml")


@cache
def our_antonyms() -> Antonyms:
    """Return the antonyms that come with the package."""
    return load_antonyms(_HERE / "antonyms.yaml")


def meanings(text: str) -> list[str]:
    """Return the words of a text that carry meaning; ASCII words also without the folding."""
    weak, weak_runs = weak_words()
    folded = fold_text(text)
    words = content_words(weak_runs.sub(" ", folded))
    # Folding joins the humps of `parseText`, which `content_words` splits.
    words += filter(str.isascii, content_words(text))
    return [word for word in words if word not in weak]


@cache
def weak_words() -> tuple[frozenset[str], re.Pattern[str]]:
    """Return the English words that carry no meaning alone, and a pattern of Japanese ones."""
    data = our_file("weak_words")
    # The longest first: a pattern takes the first that fits.
    japanese = sorted(data["ja"], key=len, reverse=True)
    pattern = "|".join(map(re.escape, japanese))
    return frozenset(data["en"]), re.compile(pattern)
