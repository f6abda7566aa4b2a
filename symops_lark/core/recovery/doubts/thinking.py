"""Read a reply without its sections of thinking, where that gives more.

Some tokens hide an action: in `<|channel|>final<|message|>::create @a.py` it does not begin a line.
Others leave drafts of actions beside the actions that are meant. The text with blanks in the place
of thinking and tokens (`discourse.view`) has neither.

Invariant: a content is a part of the reply, never blanks of the view (`test_thinking.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...discourse.view import find_hidden, read_view
from ...document import Action, Completeness, Document, Section, Skipped
from ...grammar.codes import THOUGHT
from ...grammar.dialect import Dialect
from ...strict.parser import parse_valid
from ...text.diagnostics import Diagnostic, Severity
from ...text.source import Source, Span
from .confidence import DOUBTED
from .nested_actions import find_doubts
from .skipping import skip
from .swallowed import mark_doubtful

_MESSAGE = "a section of thinking, or a token of a chat template, was left out"


def read_doubted(text: str, dialect: Dialect, read: Callable[[str], Document]) -> Document:
    """Return a document of any text whose doubtful actions are suspect.

    Args:
        text: The reply.
        dialect: The dialect to read in.
        read: Reads a text that does not parse.

    Returns:
        The document, with a diagnostic for each doubt. A valid text is not judged by its words.
    """
    document = parse_valid(text, dialect)
    if document is not None:
        return mark_doubtful(document, dialect)
    first = _mark_doubts(read(text), text, dialect)
    # The same object if nothing is hidden, or nothing is doubtful.
    view = view_of(text, first)
    if view is text:
        return first
    second = _mark_doubts(read(view), view, dialect)
    return choose_reading(first, second, text, view) or first


def _mark_doubts(document: Document, text: str, dialect: Dialect) -> Document:
    document, findings = find_doubts(document, text, dialect)
    diagnostics = (*document.diagnostics, *findings)
    return replace(document, diagnostics=diagnostics)


def view_of(text: str, document: Document) -> str:
    """Return a reply without thinking; the same text if there is none, or if nothing is doubtful.

    Args:
        text: The reply.
        document: Its first reading. No token counts inside the contents of its actions.
    """
    actions = document.actions
    if actions and all(map(_is_sure, actions)):
        return text
    return read_view(text, _contents(document))


def choose_reading(first: Document, second: Document, text: str, view: str) -> Document | None:
    """Return the reading of a view if it is better than the first one.

    It is if more actions are sure, or equally many of fewer.

    Args:
        first: The reading of the reply.
        second: The reading of its view.
        text: The reply.
        view: The view, which has the same length.

    Returns:
        The second reading, with the thinking as skipped text; None if the first one is better.
    """
    if _rank(second) <= _rank(first):
        return None
    # What is blank in the view is not blank in the reply.
    for action in second.actions:
        place = action.content_span or action.span
        original = text[place.start : place.end]
        if original != view[place.start : place.end]:
            return None
    return _with_skipped(second, find_hidden(text, _contents(first)), Source(text))


def _is_sure(action: Action) -> bool:
    is_complete = action.completeness is Completeness.COMPLETE
    return is_complete and action.confidence > DOUBTED


def _rank(document: Document) -> tuple[int, int]:
    """Return the number of sure actions, and minus the number of the other actions."""
    action_count = len(document.actions)
    sure_count = sum(map(_is_sure, document.actions))
    return sure_count, sure_count - action_count


def _contents(document: Document) -> list[Span]:
    return [action.content_span for action in document.actions if action.content_span]


def _with_skipped(document: Document, hidden: list[tuple[int, int]], source: Source) -> Document:
    """Return a document with the hidden parts as skipped text, each with a diagnostic."""
    sections: list[Section] = []
    for section in document.sections:
        if isinstance(section, Skipped):
            # The view has blanks there.
            start, end = section.span.start, section.span.end
            section = replace(section, text=source.text[start:end])
        sections.append(section)
    places = [section.span for section in sections]
    diagnostics = list(document.diagnostics)
    for start, end in hidden:
        span = source.span(start, end)
        note = Diagnostic(THOUGHT, _MESSAGE, span, Severity.NOTE)
        diagnostics.append(note)
        # Text around it may be skipped already.
        if not any(place.start < end and start < place.end for place in places):
            sections.append(skip(source, span, note))
    sections.sort(key=_start)
    diagnostics.sort(key=_start)
    return replace(document, sections=tuple(sections), diagnostics=tuple(diagnostics))


def _start(item: Section | Diagnostic) -> int:
    return item.span.start
