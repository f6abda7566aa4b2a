"""The laws of a stream, checked on one text."""

from __future__ import annotations

from streams import cuts, stream

import symops_lark
from symops_lark import Document, ParseError, ProtocolError
from symops_lark.core.grammar.dialect import Dialect
from symops_lark.core.streaming import (
    ActionFinished,
    ActionStarted,
    ContentDelta,
    Event,
    Noticed,
    SectionParsed,
    assemble,
)
from symops_lark.core.streaming.doubts import DOUBTS


def check_order(events: list[Event]) -> None:
    """An action is started, has content, is finished; nothing but diagnostics comes between."""
    started, open_action = 0, False
    for event in events:
        match event:
            case ActionStarted():
                assert not open_action and event.index == started
                started, open_action = started + 1, True
            case ContentDelta() | ActionFinished():
                assert open_action and event.index == started - 1
                open_action = isinstance(event, ContentDelta)
            case SectionParsed():
                assert not open_action
    assert not open_action


def places(document: Document) -> list[tuple[object, object]]:
    return [(section.span, getattr(section, "content_span", None)) for section in document.sections]


def check(text: str, dialect: str | Dialect) -> None:
    """All laws of one text."""
    events, closed = stream([text], dialect)
    for keep, pieces in zip((False, True, True), cuts(text), strict=True):
        message, repeated = stream(pieces, dialect, keep=keep)
        if keep:
            assert message == events and repeated.to_dict() == closed.to_dict()
        else:  # without the text, nothing comes of the whole of it
            late = events[len(message) :]
            assert message == events[: len(message)]
            assert all(isinstance(event, Noticed) and event.diagnostic.code in DOUBTS for event in late)
    check_order(events)
    try:
        result = symops_lark.process(text, dialect)
    except ProtocolError as error:
        assert closed.result is None and str(closed.error) == str(error)
        assert closed.document is not None and closed.document.to_dict() == error.document.to_dict()
        assert closed.error is not None and closed.error.diagnostics == error.diagnostics
    else:
        assert closed.result is not None and closed.error is None
        assert closed.result == result and closed.result.to_dict() == result.to_dict()
    announced, document = assemble(events), closed.document
    try:
        strict = symops_lark.parse(text, dialect)
    except ParseError:
        assert document is not None
        final = [section for section in document.sections if not isinstance(section, symops_lark.Skipped)]
        assert bool(closed.differences) == (list(announced.sections) != final)
        return
    assert announced == strict and places(announced) == places(strict)
    assert closed.result is None or bool(closed.differences) == bool(closed.result.repairs)  # a fence taken off
    assert not any(isinstance(event, Noticed) for event in events)
    for event in events:
        if isinstance(event, ContentDelta):
            assert text[event.span.start : event.span.end] == event.text
            assert symops_lark.Source(text).span(event.span.start, event.span.end) == event.span
