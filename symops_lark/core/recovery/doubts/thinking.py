"""Read a reply without its sections of thinking, where that gives more.

Some tokens hide an action: in `<|channel|>final<|message|>::create @a.py` it does not begin a line.
Others leave drafts of actions beside the actions that are meant. The text with blanks in the place
of thinking and tokens (`discourse.view`) has neither.

Invariant: a content is a part of the reply, never blanks of the view (`test_thinking.py`).
"""

from __future__ import annotations

from bisect import bisect_right
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
    # `read` is not asked for a view unless it can give more: it takes most of the time.
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
    """Return a reply without thinking; the same text if that cannot give more.

    It can if an action is doubtful, or if text follows a token on its line.

    Args:
        text: The reply.
        document: Its first reading. No token counts inside the contents of its actions.
    """
    view = read_view(text, _contents(document))
    actions = document.actions
    is_sure = bool(actions) and all(map(_is_sure, actions))
    if is_sure and view.count("\n") == text.count("\n"):
        return text
    return view


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
        content = view[place.start : place.end]
        if original != content:
            return None
    hidden = find_hidden(text, _contents(first))
    return _with_skipped(second, hidden, Source(text))


def _is_sure(action: Action) -> bool:
    is_complete = action.completeness is Completeness.COMPLETE
    return is_complete and action.confidence > DOUBTED


def _rank(document: Document) -> tuple[int, int]:
    """Return the number of sure actions, and minus the number of the other actions."""
    action_count = len(document.actions)
    sure_count = sum(map(_is_sure, document.actions))
    return sure_count, sure_count - action_count


def _contents(document: Document) -> list[Span]:
    """Return where no token counts: contents, and actions whose marks may be tokens themselves."""
    return [action.content_span or action.span for action in document.actions]


def _with_skipped(document: Document, hidden: list[tuple[int, int]], source: Source) -> Document:
    """Return a document of the view in the reply: its lines, and the hidden parts as skipped text.

    Args:
        document: The document. Its offsets are right; the view has more lines.
        hidden: The parts that the view leaves out, in order.
        source: The reply.
    """
    sections = [_in_reply(section, source) for section in document.sections]
    diagnostics = []
    for diagnostic in document.diagnostics:
        span = span_in(source, diagnostic.span)
        diagnostics.append(replace(diagnostic, span=span))
    ends = [section.span.end for section in sections]
    starts = [section.span.start for section in sections]
    for start, end in hidden:
        span = source.span(start, end)
        note = Diagnostic(THOUGHT, _MESSAGE, span, Severity.NOTE)
        diagnostics.append(note)
        # Text around it may be skipped already.
        following = bisect_right(ends, start)
        is_apart = following == len(starts) or starts[following] >= end
        if is_apart:
            sections.append(skip(source, span, note))
    # The hidden parts were added behind all sections.
    sections.sort(key=_start)
    diagnostics.sort(key=_start)
    return replace(document, sections=tuple(sections), diagnostics=tuple(diagnostics))


def span_in(source: Source, span: Span) -> Span:
    """Return a span of the view with its line and column in the reply."""
    return source.span(span.start, span.end)


def _in_reply(section: Section, source: Source) -> Section:
    span = span_in(source, section.span)
    if isinstance(section, Skipped):
        # The view has blanks there.
        return replace(section, span=span, text=source.text[span.start : span.end])
    if not isinstance(section, Action) or section.content_span is None:
        return replace(section, span=span)
    content_span = span_in(source, section.content_span)
    return replace(section, span=span, content_span=content_span)


def _start(item: Section | Diagnostic) -> int:
    return item.span.start
