"""What was said of a request is compared with it: a slot needs a quote from it, and must say what that says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .folding import find_span, fold_text
from .words import Antonyms, meanings, our_antonyms

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
    if not _says_the_same(value, quote):
        message = f"{slot}: {value[:100]!r} shares no word with its quote {quote[:100]!r}"
        return SlotCheck(None, "inconsistent_with_quote", message, span)
    return SlotCheck(value, span=span)


def _says_the_same(value: str, quote: str) -> bool:
    """Return whether the quote holds the value, or a word of it that carries meaning."""
    if "".join(fold_text(value).split()) in "".join(fold_text(quote).split()):
        return True
    said, written = meanings(value), meanings(quote)
    return any(word == other or _is_kanji(word, other) for word in said for other in written)


def _is_kanji(word: str, other: str) -> bool:
    """Return whether one run of kanji holds the other."""
    return word[0] >= "\u3400" and other[0] >= "\u3400" and (word in other or other in word)
