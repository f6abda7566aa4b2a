"""From one dialect to another, through the document; what is lost on the way is announced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ..diagnostics import Diagnostic, Severity
from ..document import VITAL_NAMES, Action, CustomSection, Document, Section, Skipped, Vitals
from ..grammar.dialect import Dialect
from ..grammar.loading import load_dialect
from .renderer import can_render, render_and_read
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
    """Leave out what a dialect has no words for."""
    sections: list[Section] = []
    for section in document.sections:
        if isinstance(section, Action):
            lost = set(_lost_attributes(section, dialect))
            kept = tuple(pair for pair in section.attributes if pair[0] not in lost)
            number = section.number if "numbers" in dialect.forms else None
            sections.append(replace(section, number=number, attributes=kept))
        elif isinstance(section, Vitals):
            lost = set(_lost_vitals(section, dialect))
            kept_vitals = tuple(pair for pair in section.values_by_name if pair[0] not in lost)
            if kept_vitals or not lost:
                sections.append(replace(section, values_by_name=kept_vitals))
        elif not isinstance(section, CustomSection) or section.name in dialect.own_sections:
            sections.append(section)
    return replace(document, sections=tuple(sections))


def _lost_attributes(action: Action, dialect: Dialect) -> list[str]:
    """Return the attributes of an action that a dialect has no words for."""
    own = dialect.own.get("arguments", ())
    return [name for name, _ in action.attributes if "attributes" not in dialect.forms and name not in own]


def _lost_vitals(vitals: Vitals, dialect: Dialect) -> list[str]:
    """Return the vitals that only other dialects have: the usual ones are lost nowhere, or refused."""
    own = (name for name in vitals if name not in VITAL_NAMES.values())
    return [name for name in own if not can_render(Document((Vitals(((name, 0.5),)),)), dialect)]


def _find_losses(document: Document, dialect: Dialect) -> Iterator[Diagnostic]:
    """Yield what a document knows that a strict text of the dialect cannot say."""
    for section in document.sections:
        if isinstance(section, Skipped):
            message = f"text that belongs to no section ({section.code}) is left out"
            yield Diagnostic("lost-text", message, section.span, Severity.WARNING)
        elif isinstance(section, CustomSection) and section.name not in dialect.own_sections:
            message = f"the section {section.name} is left out: {dialect.name} has none"
            yield Diagnostic("lost-section", message, section.span, Severity.WARNING)
        elif isinstance(section, Vitals):
            for name in _lost_vitals(section, dialect):
                message = f"the vital {name} is left out: {dialect.name} has none"
                yield Diagnostic("lost-vital", message, section.span, Severity.WARNING)
        elif isinstance(section, Action):
            for code, message, severity in _find_lost(section, dialect):
                yield Diagnostic(f"lost-{code}", message, section.span, severity)


def _find_lost(action: Action, dialect: Dialect) -> Iterator[tuple[str, str, Severity]]:
    path = action.path
    if action.number is not None and "numbers" not in dialect.forms:
        yield "number", f"that {path} is action number {action.number} is not said", Severity.NOTE
    if lost := _lost_attributes(action, dialect):
        names = ", ".join(lost)
        yield "attributes", f"the attributes of {path} are left out: {names}", Severity.WARNING
    if action.confidence < 1.0:
        yield "confidence", f"that {path} was read with confidence {action.confidence:.2f} is not said", Severity.NOTE
