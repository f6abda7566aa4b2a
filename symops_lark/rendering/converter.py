"""From one dialect to another, through the document; what is lost on the way is announced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..diagnostics import Diagnostic, Severity
from ..document import Action, Document, Skipped
from ..grammar.dialect import Dialect
from ..grammar.loading import load_dialect
from .renderer import render_and_read
from .writer import SHORTEST, RenderOptions


@dataclass(frozen=True, slots=True)
class Converted:
    """A converted text, its document (spans lie in that text), and what the text does not say of the old one."""

    text: str
    document: Document
    losses: tuple[Diagnostic, ...] = ()


def convert_document(document: Document, target: str | Path | Dialect, forms: RenderOptions | None = None) -> Converted:
    """Convert a document to the dialect `target`: see `symops_lark.convert`."""
    dialect = load_dialect(target)
    text, read = render_and_read(_leave_out(document, dialect), dialect, forms or SHORTEST)
    return Converted(text, read, tuple(_find_losses(document, dialect)))


def _leave_out(document: Document, dialect: Dialect) -> Document:
    """Leave out the numbers and attributes that a dialect has not."""
    changes: dict[str, Any] = {}
    if "numbers" not in dialect.forms:
        changes["number"] = None
    if "attributes" not in dialect.forms:
        changes["attributes"] = ()
    sections = tuple(replace(s, **changes) if isinstance(s, Action) else s for s in document.sections)
    return replace(document, sections=sections)


def _find_losses(document: Document, dialect: Dialect) -> Iterator[Diagnostic]:
    """Yield what a document knows that a strict text of the dialect cannot say."""
    for section in document.sections:
        if isinstance(section, Skipped):
            message = f"text that belongs to no section ({section.code}) is left out"
            yield Diagnostic("lost-text", message, section.span, Severity.WARNING)
        elif isinstance(section, Action):
            for code, message, severity in _find_lost(section, dialect):
                yield Diagnostic(f"lost-{code}", message, section.span, severity)


def _find_lost(action: Action, dialect: Dialect) -> Iterator[tuple[str, str, Severity]]:
    path = action.path
    if action.number is not None and "numbers" not in dialect.forms:
        yield "number", f"that {path} is action number {action.number} is not said", Severity.NOTE
    if action.attributes and "attributes" not in dialect.forms:
        names = ", ".join(name for name, _ in action.attributes)
        yield "attributes", f"the attributes of {path} are left out: {names}", Severity.WARNING
    if action.confidence < 1.0:
        yield "confidence", f"that {path} was read with confidence {action.confidence:.2f} is not said", Severity.NOTE
