"""What was said of a request is compared with it: a slot needs a quote from it, and must say what that says."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from .conjugation import NEGATIONS, english_stem, find_stems, negates
from .folding import find_span, fold_text, has_word
from .words import Antonyms, meanings, our_antonyms, our_file, our_synonyms

LONGEST = 2_000  # characters of a value
TOO_LONG = f"the value has more than {LONGEST:,} characters"


class SlotCheck(NamedTuple):
    """The value of a slot, or None and why; `span` is where the quote stands in the request.

    Reasons: `no_quote`, `quote_not_in_query`, `too_short`, `too_long`, `contradicts_quote`, `inconsistent_with_quote`.
    """

    value: str | None
    reason_code: str = ""
    message: str = ""
    span: tuple[int, int] | None = None


def validate_slot(
    slot: str,
    extracted: Mapping[str, Any] | None,
    raw_query: str,
    strict_seed: bool = False,
    antonyms: Antonyms | None = None,
) -> str | None:
    """Return the value of a slot, or None if the request does not say it (`check_slot` also says why).

    `strict_seed` is the rule of the source document to the letter: the quote stands in the request, character by
    character, and shares a word between blanks with the value, or holds it.
    """
    return check_slot(slot, extracted, raw_query, strict_seed, antonyms).value


def check_slot(
    slot: str,
    extracted: Mapping[str, Any] | None,
    raw_query: str,
    strict_seed: bool = False,
    antonyms: Antonyms | None = None,
) -> SlotCheck:
    """Return the value of a slot with the place of its quote, or why it is refused."""
    given = extracted if isinstance(extracted, Mapping) else {}
    value, quote = given.get("value"), given.get("quote")
    if not isinstance(quote, str) or not quote.strip() or not isinstance(value, str):
        return SlotCheck(None, "no_quote", f"{slot}: a value and a quote from the request are needed, as texts")
    if strict_seed:
        at = raw_query.find(quote)
        span = (at, at + len(quote)) if at >= 0 else None
    else:
        span = find_span(quote, raw_query)
    if span is None:
        return SlotCheck(None, "quote_not_in_query", f"{slot}: the request does not say {quote[:100]!r}")
    if strict_seed:
        words = set(value.lower().split()) & set(quote.lower().split())
        if value and (words or value.lower() in quote.lower()):
            return SlotCheck(value, span=span)
        return SlotCheck(None, "inconsistent_with_quote", f"{slot}: {value[:100]!r} is not what the quote says", span)
    if sum(map(str.isalnum, fold_text(value))) < 2:
        return SlotCheck(None, "too_short", f"{slot}: {value!r} says nothing", span)
    if len(value) > LONGEST:
        return SlotCheck(None, "too_long", f"{slot}: {TOO_LONG}", span)
    clash = (our_antonyms() if antonyms is None else antonyms).find_clash(value, quote)
    if clash:
        message = f"{slot}: {clash[0]!r} is the opposite of {clash[1]!r}, which the request says"
        return SlotCheck(None, "contradicts_quote", message, span)
    code, message = _explain_difference(value, quote)
    if code:
        return SlotCheck(None, code, f"{slot}: {message}", span)
    return SlotCheck(value, span=span)


def _explain_difference(value: str, quote: str) -> tuple[str, str]:
    """Return the code and the words for what a value says and its quote does not; empty ones if nothing."""
    if negates(value) is not negates(quote):
        return "contradicts_quote", f"of {value[:100]!r} and its quote {quote[:100]!r} one says that it is not so"
    if _squeeze(value) in _squeeze(quote):
        return "", ""
    met, unmet = _Comparison(value, quote).words()
    if unmet:
        return "inconsistent_with_quote", f"the quote {quote[:100]!r} does not say {unmet[0]!r}"
    if not met:
        return "inconsistent_with_quote", f"{value[:100]!r} shares no word with its quote {quote[:100]!r}"
    return "", ""


class _Comparison:
    """A value beside its quote: which of its content words the quote says, in whatever form."""

    def __init__(self, value: str, quote: str) -> None:
        self._value = value
        self._words = [word for word in meanings(value) if word not in NEGATIONS]
        self._written = set(meanings(quote))
        self._english = {english_stem(word) for word in self._written if word.isascii()}
        self._stems, self._kana = find_stems(quote)
        self._near = {*our_synonyms().of(quote), *_same_verbs(quote)}
        self._squeezed = _squeeze(quote)

    def words(self) -> tuple[int, list[str]]:
        """Return how many words are said, and those that are not."""
        met, unmet = 0, []
        for word in self._words:
            if self._is_met(word):
                met += 1
            else:
                unmet.append(word)
        more, others = self._conjugated()
        return met + more, unmet + others

    def _is_met(self, word: str) -> bool:
        if word in self._written or word in self._near:
            return True
        if word.isascii() and english_stem(word) in self._english:
            return True
        if any(_is_kanji(word, other) for other in self._written):
            return True
        near = {*our_synonyms().of(word), *_same_verbs(word)}
        return not near.isdisjoint(self._near | self._written)

    def _conjugated(self) -> tuple[int, list[str]]:
        """Return the same of verbs and adjectives, which are no runs of letters."""
        met, unmet = 0, []
        stems, kana = find_stems(self._value)
        covered: set[str] = set()
        for verb, group in _find_verbs(self._value):
            if not self._near.isdisjoint(group):
                covered.update(verb)
        for kanji in sorted({kanji for kanji, _ in stems}):
            rows = {(one, row) for one, row in stems if one == kanji}
            if kanji in covered or not rows.isdisjoint(self._stems):
                met += 1
            elif not any(kanji in word for word in (*self._words, *self._written)):
                unmet.append(kanji)
        for stem in kana:
            met += stem in self._squeezed or any(stem[:3] == other[:3] for other in self._kana)
        return met, unmet


@cache
def _verb_groups() -> tuple[tuple[str, ...], ...]:
    return tuple(map(tuple, our_file("verb_groups")["verb_groups"]))


def _same_verbs(text: str) -> list[str]:
    """Return the verbs that ask for the same as one of a text."""
    return [other for _, group in _find_verbs(text) for other in group]


def _find_verbs(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the verbs of a text that are in a group, each with its group."""
    folded = fold_text(text)
    stems, _ = find_stems(text)
    return [(verb, group) for group in _verb_groups() for verb in group if _has_verb(folded, stems, verb)]


def _has_verb(folded: str, stems: set[tuple[str, str]], verb: str) -> bool:
    if verb.isascii() or has_word(folded, verb):
        return has_word(folded, verb)
    mine, _ = find_stems(verb)
    # All kanji of the verb, and its last one in a fitting form: 取り除く is not 取る.
    kanji = "".join(sign for sign in verb if sign >= "\u3400")
    return bool(mine) and not mine.isdisjoint(stems) and all(sign in folded for sign in kanji)


def _is_kanji(word: str, other: str) -> bool:
    """Return whether one run of kanji holds the other."""
    return word[0] >= "\u3400" and other[0] >= "\u3400" and (word in other or other in word)


def _squeeze(text: str) -> str:
    return "".join(fold_text(text).split())
