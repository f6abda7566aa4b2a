"""Text that is left out of a document. Law: nothing is left out without a finding that lies on it and says so."""

from __future__ import annotations

from ...document import Section, Skipped
from ...grammar.mistakes import Mistake
from ...text.diagnostics import Diagnostic, Severity
from ...text.source import Source, Span


def skip(source: Source, span: Span, finding: Diagnostic) -> Skipped:
    """Return a stretch of a text as a section that says nothing.

    No other function makes skipped text, so none can be without a finding.

    Args:
        source: The caller's text.
        span: The stretch that is left out.
        finding: What says so. It lies on the stretch, and whoever calls this adds it to the findings of the document.

    Returns:
        The skipped text, which has the code of the finding.
    """
    return Skipped(source.text[span.start : span.end], finding.code, span)


def skip_between(
    source: Source, start: int, end: int, mistake: Mistake, sections: list[Section], findings: list[Diagnostic]
) -> None:
    """Leave out what stands between two sections, without the blanks around it; blanks alone are nothing.

    Args:
        source: The caller's text.
        start: The offset behind the section above.
        end: The offset of the section below.
        mistake: The reason why the text is left out.
        sections: The skipped text is added to them.
        findings: A note about it is added to them.
    """
    text = source.text[start:end]
    shown = text.strip()
    if not shown:
        return
    first = start + text.index(shown[0])
    span = source.span(first, first + len(shown))
    findings.append(mistake.diagnose(span, Severity.NOTE))
    sections.append(skip(source, span, findings[-1]))
