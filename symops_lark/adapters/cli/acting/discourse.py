"""What `symops check --explain-discourse` shows: who speaks in each part of a reply, and how."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....core.discourse.findings import describe
from ....core.discourse.passages import Passage
from ....core.discourse.reading import read_discourse
from ....core.document import Document
from ....core.recovery.doubts.unasked import find_utterances
from ..colours import paint
from ..visibility import visible_line

_SHOWN = 60  # characters of a passage


def read_passages(text: str, document: Document) -> tuple[Passage, ...]:
    """Return the passages of a reply, whose utterances are the actions of a document."""
    utterances, own = find_utterances(document)
    return read_discourse(text, utterances, own=own)


def show_passages(passages: tuple[Passage, ...], text: str) -> Iterator[str]:
    """Yield a line for each passage that is not blank, and a second one with the reason of a code."""
    yield paint("discourse", bold=True)
    for passage in passages:
        written = text[passage.span.start : passage.span.end]
        words = written.strip()
        if not words:
            continue
        blank, _, _ = written.partition(words)
        line = passage.span.line + blank.count("\n")
        facts = f"{passage.speaker:<9}  {passage.channel:<8}  turn {passage.turn}  {passage.stance:<11}"
        first, line_feed, _ = words.partition("\n")
        shown = visible_line(first[:_SHOWN])
        if line_feed or len(first) > _SHOWN:
            shown += " …"
        yield f"  line {line:<4} {facts}  {shown}"
        if passage.code:
            certainty = "by a token" if passage.certain else "by words"
            yield f"            {passage.code}, {certainty}: {visible_line(describe(passage, text))}"


def passages_as_json(passages: tuple[Passage, ...], text: str) -> list[dict[str, Any]]:
    """Return the passages as JSON objects, each with its reason in words."""
    return [
        {
            "span": passage.span,
            "speaker": passage.speaker,
            "channel": passage.channel,
            "turn": passage.turn,
            "stance": passage.stance,
            "code": passage.code,
            "why": describe(passage, text) if passage.code else "",
            "certain": passage.certain,
        }
        for passage in passages
    ]
