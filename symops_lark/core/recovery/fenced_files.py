"""Read the fenced code of a reply that no grammar can read: each block is a file without a name.

Nothing else in this project invents anything, so this is done on request only. What is invented
says so: the path is `unnamed-1`, the attribute `name` is `invented`, the confidence 0.5.
"""

from __future__ import annotations

from ..document import Action, Document, Section
from ..grammar.codes import INVENTED_NAME
from ..grammar.mistakes import Mistake
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import Source
from .doubts.skipping import skip_between
from .lines.kinds import FENCE

CONFIDENCE = 0.5
NAME = "unnamed-{}"
_OUTSIDE = Mistake("outside-fences", "This text is outside of the fenced blocks; it is left out.")


def extract_fences(text: str, dialect: str = "") -> Document:
    """Return a document with an action for each closed Markdown fence.

    Args:
        text: The reply. All else in it is skipped text.
        dialect: The name of the document's dialect.
    """
    source = Source(text)
    sections: list[Section] = []
    findings: list[Diagnostic] = []
    done = number = 0
    # Of the open fence: its run, its language, and where its line and its content begin.
    opened: tuple[str, str, int, int] | None = None
    # Blocks that are not closed are left out: where they end is not known.
    for start in source.line_starts:
        stop = text.find("\n", start)
        stop, end = (len(text), len(text)) if stop < 0 else (stop, stop + 1)
        match = FENCE.fullmatch(text, start, stop)
        # Other lines belong to a block, or are left out.
        if match is None:
            continue
        run, language = match["run"], match["info"]
        # A fence with a language closes none: in an open block, it is content.
        if opened is None:
            opened = (run, language, start, end)
        elif not language and run[0] == opened[0][0] and len(run) >= len(opened[0]):
            _, language, first, inner = opened
            number += 1
            content = text[inner:start].removesuffix("\n").removesuffix("\r")
            attributes = (("name", "invented"), *((("language", language),) if language else ()))
            span = source.span(first, stop)
            skip_between(source, done, first, _OUTSIDE, sections, findings)
            sections.append(
                Action(
                    "create",
                    NAME.format(number),
                    content,
                    confidence=CONFIDENCE,
                    span=span,
                    content_span=source.span(inner, start),
                    attributes=attributes,
                )
            )
            # The reply does not ask for this file, so it is a warning.
            name = NAME.format(number)
            message = f"a fenced block was taken for a file; its name {name} is invented"
            findings.append(
                Diagnostic(
                    INVENTED_NAME,
                    message,
                    span,
                    Severity.WARNING,
                    hint="ask the model for the file's path, or give it one",
                )
            )
            done, opened = end, None
    # What follows the last block.
    skip_between(source, done, len(text), _OUTSIDE, sections, findings)
    return Document(tuple(sections), dialect, diagnostics=tuple(findings))
