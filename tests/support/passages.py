"""Texts with marked utterances, for the tests of the discourse."""

from __future__ import annotations

from symops_lark import Source, Span
from symops_lark.core.discourse.passages import Passage
from symops_lark.core.discourse.reading import read_discourse

# An utterance in texts of tests. No reader looks into it, so any word will do.
ACT = "«act»"


def spans_of(text: str, word: str = ACT) -> list[Span]:
    """Return the places of a word."""
    source = Source(text)
    spans = []
    at = text.find(word)
    while at >= 0:
        spans.append(source.span(at, at + len(word)))
        at = text.find(word, at + len(word))
    return spans


def utterances_of(text: str, *, announced: bool = True) -> list[Passage]:
    """Return the passages of the utterances of a text."""
    spans = spans_of(text)
    passages = read_discourse(text, spans, announced=announced)
    utterances = [passage for passage in passages if passage.span in spans]
    assert len(utterances) == len(spans)
    return utterances


def codes_of(text: str, *, announced: bool = True) -> list[str]:
    """Return the codes of the utterances of a text."""
    return [passage.code for passage in utterances_of(text, announced=announced)]


def stances_of(text: str, *, announced: bool = True) -> list[str]:
    """Return the stances of the utterances of a text that do not count; "" for those that do."""
    passages = utterances_of(text, announced=announced)
    return [str(passage.stance) if passage.code else "" for passage in passages]
