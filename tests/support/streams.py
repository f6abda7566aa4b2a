"""Ways to run a stream: whole, in pieces, and what it says after each of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

from symops_lark import NEED_TEXT, Document, StreamParser, StreamResult
from symops_lark.core.grammar.dialect import Dialect
from symops_lark.core.streaming import (
    ActionFinished,
    ActionStarted,
    ContentDelta,
    Event,
    Noticed,
    SectionContent,
    SectionFinished,
    SectionParsed,
    SectionStarted,
)


def stream(pieces: Iterable[str], dialect: str | Dialect = "v2", **options: bool) -> tuple[list[Event], StreamResult]:
    parser = StreamParser(dialect, **options)
    events = list(parser.events(pieces))
    return events, parser.close()


def said(document: Document) -> list[tuple[object, ...]]:
    """Return what a document's actions say, without where they are."""
    return [(action.type, action.path, action.content, action.edits) for action in document.actions]


def cuts(text: str) -> Iterator[Sequence[str]]:
    """Cut a text into single characters, in two at a random place, and into random pieces."""
    yield text
    rng = random.Random(repr(text))
    at = rng.randint(0, len(text))
    yield text[:at], text[at:]
    pieces, start = [], 0
    while start < len(text):
        stop = start + rng.choice((0, 1, 2, 7, 40))
        pieces.append(text[start:stop])
        start = stop
    yield pieces


def after(*pieces: str, dialect: str = "v2") -> list[str]:
    """Say what was announced after each piece, in short."""
    parser, visited = StreamParser(dialect), []
    for piece in pieces:
        parser.receive(piece)
        visited.append(" ".join(short(event) for event in drain(parser)))
    parser.close()
    visited.append(" ".join(short(event) for event in drain(parser)))
    return visited


def drain(parser: StreamParser) -> Iterator[Event]:
    while (event := parser.next_event()) is not NEED_TEXT:
        yield event


def short(event: Event) -> str:
    match event:
        case SectionParsed(section):
            return type(section).__name__.lower()
        case ActionStarted(_, action):
            return f"{action.type}({action.path})"
        case ContentDelta(_, text):
            return repr(text)
        case ActionFinished(_, completeness, _, place):
            return f"{completeness}{'' if place else ', no block'}"
        case SectionStarted(section):
            return section.name
        case SectionContent(text):
            return repr(text)
        case SectionFinished(completeness):
            return str(completeness)
        case Noticed(diagnostic):
            return f"[{diagnostic.code}]"
