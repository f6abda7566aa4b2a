"""From one dialect to another, through the document; what is lost on the way is announced."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ..document import VITAL_NAMES, Action, CustomSection, Document, Section, Skipped, Vitals
from ..grammar.dialect import Dialect
from ..grammar.loading import load_dialect
from ..text.diagnostics import Diagnostic, Severity
from .renderer import can_render, render_and_read
from .writer import SHORTEST, RenderOptions

_Loss = tuple[str, str, Severity]  # its code, without `lost-`, and what is said of it


@dataclass(frozen=True, slots=True)
class Converted:
    """A converted text, its document (spans lie in that text), and what the text does not say of the old one."""

    text: str
    document: Document
    losses: tuple[Diagnostic, ...] = ()


def convert_document(document: Document, target: str | Path | Dialect, forms: RenderOptions | None = None) -> Converted:
    """Convert a document to the dialect `target`: see `symops_lark.convert`."""
    dialect = load_dialect(target)
    fitted = [(section, *_fit(section, dialect)) for section in document.sections]
    kept = tuple(section for _, section, _ in fitted if section is not None)
    text, read = render_and_read(replace(document, sections=kept), dialect, forms or SHORTEST)
    losses = (
        Diagnostic(f"lost-{code}", message, section.span, severity)
        for section, _, lost in fitted
        for code, message, severity in lost
    )
    return Converted(text, read, tuple(losses))


def _fit(section: Section, dialect: Dialect) -> tuple[Section | None, list[_Loss]]:
    """Return what a dialect can say of a section, None for nothing, and what a strict text of it cannot say."""
    match section:
        case Skipped():
            said = f"text that belongs to no section ({section.code}) is left out"
            return section, [("text", said, Severity.WARNING)]
        case CustomSection() if section.name not in dialect.own_sections:
            said = f"the section {section.name} is left out: {dialect.name} has none"
            return None, [("section", said, Severity.WARNING)]
        case Vitals():
            lost = _lost_vitals(section, dialect)
            kept = tuple(pair for pair in section.values_by_name if pair[0] not in lost)
            said = f"is left out: {dialect.name} has none"
            fitting = replace(section, values_by_name=kept) if kept or not lost else None
            return fitting, [("vital", f"the vital {name} {said}", Severity.WARNING) for name in lost]
        case Action():
            return _fit_action(section, dialect)
    return section, []


def _lost_vitals(vitals: Vitals, dialect: Dialect) -> list[str]:
    """Return the vitals that only other dialects have: the usual ones are lost nowhere, or refused."""
    own = (name for name in vitals if name not in VITAL_NAMES.values())
    return [name for name in own if not can_render(Document((Vitals(((name, 0.5),)),)), dialect)]


def _fit_action(action: Action, dialect: Dialect) -> tuple[Action, list[_Loss]]:
    path, losses = action.path, list[_Loss]()
    own = dialect.own.get("arguments", ())
    lost = [name for name, _ in action.attributes if "attributes" not in dialect.forms and name not in own]
    if action.number is not None and "numbers" not in dialect.forms:
        losses.append(("number", f"that {path} is action number {action.number} is not said", Severity.NOTE))
        action = replace(action, number=None)
    if lost:
        said = f"the attributes of {path} are left out: {', '.join(lost)}"
        losses.append(("attributes", said, Severity.WARNING))
        action = replace(action, attributes=tuple(pair for pair in action.attributes if pair[0] not in lost))
    if action.confidence < 1.0:
        said = f"that {path} was read with confidence {action.confidence:.2f} is not said"
        losses.append(("confidence", said, Severity.NOTE))
    return action, losses
