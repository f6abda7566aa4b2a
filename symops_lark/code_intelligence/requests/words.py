"""Words that say the same, words that say the opposite, words that say little: data files, which users extend."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.text.yaml_file import YamlFile
from .folding import content_words, fold_text, has_word, word_pattern

_HERE = Path(__file__).parent


class WordsError(SymOpsError):
    """A file of words is wrong; the message says where."""


@dataclass(frozen=True, slots=True)
class Synonyms:
    """What may stand in code for a term; `unrelated` words hold a synonym by chance (author is no auth)."""

    terms: tuple[tuple[str, tuple[str, ...]], ...]
    unrelated: tuple[str, ...] = ()

    def __add__(self, other: Synonyms) -> Synonyms:
        """Return both."""
        return Synonyms((*self.terms, *other.terms), (*self.unrelated, *other.unrelated))

    def of(self, term: str) -> list[str]:
        """Return what may stand for a text: the synonyms of each term that it has."""
        folded = fold_text(term)
        found = [word for known, words in self.terms if has_word(folded, known) for word in words]
        return list(dict.fromkeys(map(fold_text, found)))


@dataclass(frozen=True, slots=True)
class Antonyms:
    """Groups of words of which one rules the others out."""

    groups: tuple[tuple[str, ...], ...]

    def __add__(self, other: Antonyms) -> Antonyms:
        """Return both."""
        return Antonyms((*self.groups, *other.groups))

    def find_clash(self, said: str, quote: str) -> tuple[str, str] | None:
        """Return a word that is said, and its opposite that was written instead; None if there is no such pair."""
        for group in self.groups:
            in_said, in_quote = _which(group, said), _which(group, quote)
            if in_quote and (new := [word for word in in_said if word not in in_quote]):
                return new[0], in_quote[0]
        return None


def _which(group: tuple[str, ...], text: str) -> list[str]:
    """Return the words of a group that a text has; what a longer one covers (未登録) holds no shorter one (登録)."""
    left, found = fold_text(text), []
    for word in sorted(group, key=len, reverse=True):
        left, count = word_pattern(word).subn("\0", left)
        found += [word] if count else []
    return found


def load_synonyms(path: str | Path) -> Synonyms:
    """Return the synonyms of a YAML file; raise `WordsError` with file, line and column if it is wrong."""
    file = YamlFile(path, "file of synonyms", WordsError, known=("synonyms", "unrelated"))
    file.check_keys((), ("synonyms",), ("unrelated",))
    terms = file.data["synonyms"]
    if not isinstance(terms, dict):
        raise file.fail(("synonyms",), "synonyms is a mapping from terms to lists of words")
    pairs = tuple((str(term), tuple(_list(file, ("synonyms", str(term)), listed))) for term, listed in terms.items())
    unrelated = _list(file, ("unrelated",), file.data.get("unrelated", []))
    return Synonyms(pairs, tuple(unrelated))


def load_antonyms(path: str | Path) -> Antonyms:
    """Return the antonyms of a YAML file; raise `WordsError` with file, line and column if it is wrong."""
    file = YamlFile(path, "file of antonyms", WordsError, known=("antonyms",))
    file.check_keys((), ("antonyms",))
    groups = file.data["antonyms"]
    if not isinstance(groups, list):
        raise file.fail(("antonyms",), "antonyms is a list of groups of words")
    made = []
    for number, group in enumerate(groups):
        words = _list(file, ("antonyms", str(number)), group)
        if len(words) < 2:
            raise file.fail(("antonyms", str(number)), "a group of opposites has two words or more")
        made.append(tuple(words))
    return Antonyms(tuple(made))


def _list(file: YamlFile, keys: tuple[str, ...], value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(word, str) and word.strip() for word in value):
        raise file.fail(keys, "a list of words is expected, quoted where YAML would read something else")
    return value


@cache
def _markup_words() -> tuple[str, ...]:
    words = our_file("markup_words")
    return (*words["ja"], *words["en"])


def speaks_of_markup(request: str) -> bool:
    """Return whether a request speaks of texts, or of how they look."""
    folded = fold_text(request)
    return any(has_word(folded, word) for word in _markup_words())


@cache
def our_file(name: str) -> dict[str, Any]:
    """Return what a file of words says that comes with the package."""
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
    """Return the words of a text that carry meaning, those that are written in ASCII as they stand in it, too."""
    weak, weak_runs = weak_words()
    words = content_words(weak_runs.sub(" ", fold_text(text)))
    return [word for word in words + list(filter(str.isascii, content_words(text))) if word not in weak]


@cache
def weak_words() -> tuple[frozenset[str], re.Pattern[str]]:
    """Return the words that carry no meaning alone: English ones, and a pattern of Japanese ones inside runs."""
    data = our_file("weak_words")
    japanese: Iterable[str] = sorted(data["ja"], key=len, reverse=True)
    return frozenset(data["en"]), re.compile("|".join(map(re.escape, japanese)))
