"""Find the actions of a broken reply that are not asked for now, by the reply's discourse.

Not here: documents that parse, which are never judged; and what discourse is (`core.discourse`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...discourse.findings import describe
from ...discourse.reading import read_discourse
from ...document import Action, CustomSection, Document, Skipped
from ...text.diagnostics import Diagnostic, Severity
from ...text.source import Span


def find_unasked(document: Document, text: str) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each action that the reply does not ask for now.

    Args:
        document: What was read; its spans are positions in `text`.
        text: The text that was read.
    """
    utterances, own = find_utterances(document)
    if not utterances:
        return
    starts = {span.start for span in utterances}
    for passage in read_discourse(text, utterances, own=own):
        if passage.code and passage.span.start in starts:
            message = describe(passage, text)
            yield Diagnostic(passage.code, message, passage.span, Severity.WARNING)


def find_utterances(document: Document) -> tuple[list[Span], list[Span]]:
    """Return the spans of the actions of a document, and those of its thoughts and questions."""
    utterances = []
    own = []
    end = 0
    for section in document.sections:
        span = section.span
        if isinstance(section, Skipped):
            continue
        if not isinstance(section, Action | CustomSection):
            own.append(span)
        # Actions of one line, as in JSON, may overlap.
        elif span.start >= end:
            utterances.append(span)
            end = span.end
    return utterances, own
