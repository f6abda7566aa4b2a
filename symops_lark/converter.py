"""From one dialect to another, through the document; what is lost on the way is announced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .diagnostics import Diagnostic, Severity
from .document import Action, Completeness, Document, Skipped
from .grammar import Dialect
from .parser import parse
from .renderer import render_and_read


@dataclass(frozen=True, slots=True)
class Converted:
    """A converted text, its document (spans lie in that text), and what the text does not say of the old one."""

    text: str
    document: Document
    losses: tuple[Diagnostic, ...] = ()


def convert(text_or_document: str | Document, source: str | Path | Dialect = "v1",
            target: str | Path | Dialect = "v2") -> Converted:  # fmt: skip
    """Convert a text of the dialect `source`, or a document of any, to the dialect `target`.

    Raises `ParseError` if the text is not in its dialect, `RenderError` if the target cannot say the document, and
    `GrammarError` if there is no such dialect. `losses` lie in the given text.
    """
    document = text_or_document if isinstance(text_or_document, Document) else parse(text_or_document, source)
    text, read = render_and_read(document, target)
    return Converted(text, read, tuple(_find_losses(document)))


def _find_losses(document: Document) -> Iterator[Diagnostic]:
    """Say what a document knows that no strict text can say."""
    for section in document.sections:
        if isinstance(section, Skipped):
            message = f"text that belongs to no section ({section.code}) is left out"
            yield Diagnostic("lost-text", message, section.span, Severity.WARNING)
        elif isinstance(section, Action):
            if section.confidence < 1.0:
                message = f"that {section.path} was read with confidence {section.confidence:.2f} is not said"
                yield Diagnostic("lost-confidence", message, section.span, Severity.NOTE)
            if section.completeness is not Completeness.COMPLETE:
                message = f"the content of {section.path} is {section.completeness}; the text presents it as complete"
                yield Diagnostic("lost-completeness", message, section.span, Severity.WARNING)
