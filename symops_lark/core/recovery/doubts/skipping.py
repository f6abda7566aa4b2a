"""Leave text out of a document.

Invariant: no text is left out without a diagnostic that lies on it and reports it.
"""

from __future__ import annotations

from ...document import Section, Skipped
from ...grammar.mistakes import Mistake
from ...text.diagnostics import Diagnostic, Severity
from ...text.source import Source, Span


def skip(source: Source, span: Span, finding: Diagnostic) -> Skipped:
    """Return a part of a text as a section without a meaning.

    No other function makes skipped text, so it always has a diagnostic.

    Args:
        source: The caller's text.
        span: The part that is left out.
        finding: The diagnostic that reports it. It lies on the part, and the caller adds it to the
            diagnostics of the document.

    Returns:
        The skipped text, which has the code of the diagnostic.
    """
    return Skipped(source.text[span.start : span.end], finding.code, span)


def skip_between(
    source: Source,
    start: int,
    end: int,
    mistake: Mistake,
    sections: list[Section],
    findings: list[Diagnostic],
) -> None:
    """Leave out the text between two sections; blanks around it belong to nothing.

    Args:
        source: The caller's text.
        start: The offset after the section above.
        end: The offset of the section below.
        mistake: The reason why the text is left out.
        sections: The skipped text is added to them.
        findings: A note about it is added to them.
    """
    text = source.text[start:end]
    bare = text.strip()
    if not bare:
        return
    first = start + text.index(bare[0])
    span = source.span(first, first + len(bare))
    note = mistake.diagnose(span, Severity.NOTE)
    findings.append(note)
    sections.append(skip(source, span, note))
