"""Compare the value of a slot with its quote from the request: both must mean the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from .conjugation import NEGATIONS, english_stem, find_stems, negates
from .folding import find_span, fold_text, has_word, squeeze
from .words import Antonyms, meanings, our_antonyms, our_file, our_synonyms

LONGEST = 2_000  # characters of a value
TOO_LONG = f"the value has more than {LONGEST:,} characters"
_MAX_SHOWN = 100  # characters of a value or quote in a message


class SlotCheck(NamedTuple):
    """The result of a check.

    Attributes:
        value: The value. None if it is refused.
        reason_code: `no_quote`, `quote_not_in_query`, `too_short`, `too_long`, `contradicts_quote`
            or `inconsistent_with_quote`; empty for an accepted value.
        message: The reason in words.
        span: The place of the quote in the request.
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
    """Return the value of a slot, or None if the request does not contain it.

    `check_slot` also gives the reason.

    Args:
        slot: The name of the slot, for messages.
        extracted: The value and its quote.
        raw_query: The request.
        strict_seed: Whether the quote must be in the request character by character, and must share
            a word between blanks with the value or contain it. Nothing else is compared then.
        antonyms: Words that rule each other out. None: those of the package.
    """
    return check_slot(slot, extracted, raw_query, strict_seed, antonyms).value


def check_slot(
    slot: str,
    extracted: object,
    raw_query: str,
    strict_seed: bool = False,
    antonyms: Antonyms | None = None,
) -> SlotCheck:
    """Return the value of a slot with the place of its quote, or the reason why it is refused.

    Args:
        slot: The name of the slot, for messages.
        extracted: The value and its quote.
        raw_query: The request.
        strict_seed: Whether to use the strict rule (`validate_slot`).
        antonyms: Words that rule each other out. None: those of the package.
    """
    pair = extracted if isinstance(extracted, Mapping) else {}
    value = pair.get("value")
    quote = pair.get("quote")
    if not isinstance(value, str) or not isinstance(quote, str) or not quote.strip():
        message = f"{slot}: a value and a quote from the request are needed, as texts"
        return SlotCheck(None, "no_quote", message)
    if strict_seed:
        # A pattern without special characters is a text.
        match = re.search(re.escape(quote), raw_query)
        span = match and match.span()
    else:
        span = find_span(quote, raw_query)
    if span is None:
        message = f"{slot}: the request does not say {_show(quote)}"
        return SlotCheck(None, "quote_not_in_query", message)
    if strict_seed:
        code, message = _compare_strictly(value, quote)
    else:
        code, message = _compare(value, quote, antonyms or our_antonyms())
    if code:
        return SlotCheck(None, code, f"{slot}: {message}", span)
    return SlotCheck(value, span=span)


def _compare_strictly(value: str, quote: str) -> tuple[str, str]:
    """Return the code and the message of a difference by the strict rule; empty ones if none."""
    value_words = value.lower().split()
    quote_words = quote.lower().split()
    shares_word = not set(value_words).isdisjoint(quote_words)
    if shares_word or (value and value.lower() in quote.lower()):
        return "", ""
    return "inconsistent_with_quote", f"{_show(value)} is not what the quote says"


def _compare(value: str, quote: str, antonyms: Antonyms) -> tuple[str, str]:
    """Return the code and the message of a difference in meaning; empty ones if there is none."""
    # Folded first: one letter may be several in its compatible form.
    if sum(map(str.isalnum, fold_text(value))) < 2:
        return "too_short", f"{value!r} says nothing"
    if len(value) > LONGEST:
        return "too_long", TOO_LONG
    clash = antonyms.find_clash(value, quote)
    if clash:
        word, opposite = clash
        message = f"{word!r} is the opposite of {opposite!r}, which the request says"
        return "contradicts_quote", message
    # The words of a negation are not compared: a model may deny in another way than the user.
    if negates(value) is not negates(quote):
        message = f"only one of {_show(value)} and its quote {_show(quote)} has a negation"
        return "contradicts_quote", message
    if squeeze(value) in squeeze(quote):
        return "", ""
    # A part of the request needs no comparison word by word.
    match_count, missing = _Comparison(value, quote).count()
    if missing:
        message = f"the quote {_show(quote)} does not say {missing[0]!r}"
        return "inconsistent_with_quote", message
    if not match_count:
        message = f"{_show(value)} shares no word with its quote {_show(quote)}"
        return "inconsistent_with_quote", message
    return "", ""


class _Comparison:
    """The content words of a value, and of its quote in all forms."""

    def __init__(self, value: str, quote: str) -> None:
        self._value = value
        self._words = [word for word in meanings(value) if word not in NEGATIONS]
        self._quote_words = set(meanings(quote))
        ascii_words = filter(str.isascii, self._quote_words)
        self._english = set(map(english_stem, ascii_words))
        self._stems, self._kana = find_stems(quote)
        self._related = _related_words(quote)
        self._squeezed = squeeze(quote)

    def count(self) -> tuple[int, list[str]]:
        """Return how many words of the value are in the quote, and the words that are not."""
        missing = [word for word in self._words if not self._has(word)]
        match_count = len(self._words) - len(missing)
        conjugated_count, conjugated = self._count_conjugated()
        return match_count + conjugated_count, missing + conjugated

    def _has(self, word: str) -> bool:
        if word in self._quote_words or word in self._related:
            return True
        if word.isascii() and english_stem(word) in self._english:
            return True
        # Compounds have no blanks: 検索 is a word of 検索機能.
        if any(_share_kanji(word, quote_word) for quote_word in self._quote_words):
            return True
        related = _related_words(word)
        return not related.isdisjoint(self._related | self._quote_words)

    def _count_conjugated(self) -> tuple[int, list[str]]:
        """Do the same for verbs and adjectives, which have several forms."""
        stems, kana = find_stems(self._value)
        # Kanji of verbs for which the quote has another verb of the same group.
        covered = ""
        for verb, group in _find_verbs(self._value):
            if not self._related.isdisjoint(group):
                covered += verb
        # One form may have several rows; one of them is enough.
        equal = {kanji for kanji, _ in stems & self._stems}
        match_count = 0
        missing = []
        # A kanji of a noun was compared with the noun.
        words = " ".join(self._words) + " ".join(self._quote_words)
        for kanji in sorted({kanji for kanji, _ in stems}):
            if kanji in covered or kanji in equal:
                match_count += 1
            elif kanji not in words:
                missing.append(kanji)
        # Three kana: endings of verbs in kana are not all known.
        beginnings = {word[:3] for word in self._kana}
        for word in kana:
            match_count += word in self._squeezed or word[:3] in beginnings
        return match_count, missing


def _related_words(text: str) -> set[str]:
    """Return the synonyms of a text, and the verbs that mean the same as one of it."""
    words = set(our_synonyms().of(text))
    for _, group in _find_verbs(text):
        words.update(group)
    return words


def _find_verbs(text: str) -> list[tuple[str, list[str]]]:
    """Return the verbs of a text that are in a group, each with its group."""
    folded = fold_text(text)
    stems, _ = find_stems(text)
    verbs = []
    for group in our_file("verb_groups")["verb_groups"]:
        verbs += [(verb, group) for verb in group if _has_verb(folded, stems, verb)]
    return verbs


def _has_verb(folded: str, stems: set[tuple[str, str]], verb: str) -> bool:
    if has_word(folded, verb):
        return True
    # An English verb has no stems.
    if verb.isascii():
        return False
    verb_stems, _ = find_stems(verb)
    if verb_stems.isdisjoint(stems):
        return False
    # All kanji of the verb, and its last one in a fitting form: 取り除く is not 取る.
    return all(sign in folded for sign in verb if _is_kanji(sign))


def _share_kanji(word: str, other: str) -> bool:
    """Return whether one run of kanji is part of the other."""
    if _is_kanji(word) and _is_kanji(other):
        return word in other or other in word
    return False


def _is_kanji(word: str) -> bool:
    return word[0] >= "\u3400"


def _show(text: str) -> str:
    return repr(text[:_MAX_SHOWN])
