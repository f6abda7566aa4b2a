"""Convert a document to another dialect, and report what is lost.

Example: v2 has no attributes, so `lost-attributes` (a warning) names those that are left out. What
only a reader of broken text knows, such as a confidence, is lost in every text: that is a note.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from ..document import VITAL_NAMES, Action, CustomSection, Document, Section, Skipped, Vitals
from ..grammar.dialect import Dialect
from ..grammar.loading import load_dialect
from ..text.diagnostics import Diagnostic, Severity
from .renderer import can_render, render_and_read
from .writer import SHORTEST, RenderOptions

_Loss = tuple[str, str, Severity]  # its code without `lost-`, its message, its severity
_Losses = list[_Loss]
_Pair = TypeVar("_Pair", tuple[str, str], tuple[str, float])


@dataclass(frozen=True, slots=True)
class Converted:
    """A converted document.

    Attributes:
        text: The canonical text in the new dialect.
        document: The document of that text; its spans refer to it.
        losses: What the text does not contain of the old document; spans refer to the old text.
    """

    text: str
    document: Document
    losses: tuple[Diagnostic, ...] = ()


def convert_document(
    document: Document, target: str | Path | Dialect, forms: RenderOptions | None = None
) -> Converted:
    """Convert a document to another dialect: see `symops_lark.convert`.

    Args:
        document: The document.
        target: The dialect: its name, its grammar file, or itself.
        forms: Which of several forms to write. None: the shortest ones.

    Returns:
        The text, its document and the losses.

    Raises:
        RenderError: The dialect cannot express a section, even with losses.
        GrammarError: There is no such dialect.
    """
    dialect = load_dialect(target)
    sections = []
    losses = []
    for section in document.sections:
        fitting, section_losses = _fit(section, dialect)
        if fitting is not None:
            sections.append(fitting)
        for code, message, severity in section_losses:
            diagnostic = Diagnostic(f"lost-{code}", message, section.span, severity)
            losses.append(diagnostic)
    fitted = replace(document, sections=tuple(sections))
    options = forms or SHORTEST
    text, reparsed = render_and_read(fitted, dialect, options)
    return Converted(text, reparsed, tuple(losses))


def _fit(section: Section, dialect: Dialect) -> tuple[Section | None, _Losses]:
    """Return the part of a section that a dialect can express, None for nothing, and the losses."""
    match section:
        case Skipped():
            # It stays in the document, for its place; the renderer does not write it.
            message = f"text that belongs to no section ({section.code}) is left out"
            return section, [("text", message, Severity.WARNING)]
        case CustomSection() if section.name not in dialect.own_sections:
            message = f"the section {section.name} is left out: {dialect.name} has none"
            return None, [("section", message, Severity.WARNING)]
        case Vitals():
            return _fit_vitals(section, dialect)
        case Action():
            return _fit_action(section, dialect)
    return section, []


def _fit_vitals(vitals: Vitals, dialect: Dialect) -> tuple[Vitals | None, _Losses]:
    lost = _lost_vitals(vitals, dialect)
    if not lost:
        return vitals, []
    losses = []
    for name in lost:
        message = f"the vital {name} is left out: {dialect.name} has none"
        losses.append(("vital", message, Severity.WARNING))
    pairs = _without(vitals.values_by_name, lost)
    if not pairs:
        return None, losses  # vitals without values cannot be written in any dialect
    return replace(vitals, values_by_name=pairs), losses


def _lost_vitals(vitals: Vitals, dialect: Dialect) -> list[str]:
    """Return the vitals that only other dialects have.

    The usual ones are never lost: every dialect has them, or its renderer refuses them.
    """
    lost = []
    for name in vitals:
        if name in VITAL_NAMES.values():
            continue
        vitals_alone = Vitals(((name, 0.5),))
        sample = Document((vitals_alone,))
        if not can_render(sample, dialect):
            lost.append(name)
    return lost


def _fit_action(action: Action, dialect: Dialect) -> tuple[Action, _Losses]:
    path = action.path
    losses: _Losses = []
    own_arguments = dialect.own.get("arguments", ())
    lost = []
    if "attributes" not in dialect.forms:
        lost = [name for name, _ in action.attributes if name not in own_arguments]
    if action.number is not None and "numbers" not in dialect.forms:
        # A note: the order of the actions says the same.
        message = f"the number {action.number} of the action {path} is left out"
        losses.append(("number", message, Severity.NOTE))
        action = replace(action, number=None)
    if lost:
        names = ", ".join(lost)
        message = f"the attributes of {path} are left out: {names}"
        losses.append(("attributes", message, Severity.WARNING))
        attributes = _without(action.attributes, lost)
        action = replace(action, attributes=attributes)
    if action.edits:
        action, edit_losses = _fit_edits(action)
        losses += edit_losses
    if action.confidence < 1.0:
        message = f"the confidence {action.confidence:.2f} of the action {path} is left out"
        losses.append(("confidence", message, Severity.NOTE))
    return action, losses


def _fit_edits(action: Action) -> tuple[Action, _Losses]:
    """Return an action whose content has its edits: a dialect has nothing else for them."""
    # Imported here: most documents have none.
    from ..edits.hunks import Unreadable, settle
    from ..edits.notations import blocks
    from ..edits.reading import UnreadableEdit, read_edit
    from ..edits.replacements import hunks_of, show_replacements

    content = show_replacements(action.edits)
    fitted = replace(action, content=content, edits=())
    try:
        reading = read_edit(content, action.path)
        # A text in a line, all places of a text, and the marks of blocks in a text cannot be said.
        if reading == settle(blocks.KIND, hunks_of(action.edits), ()):
            return fitted, []
    except (Unreadable, UnreadableEdit):
        pass
    message = (
        f"the edits of {action.path} are written as search/replace blocks, of which each replaces "
        "complete lines at one place"
    )
    return fitted, [("edits", message, Severity.WARNING)]


def _without(pairs: Iterable[_Pair], lost: Collection[str]) -> tuple[_Pair, ...]:
    """Return the pairs whose names are not lost."""
    remaining = []
    for pair in pairs:
        name, _ = pair
        if name not in lost:
            remaining.append(pair)
    return tuple(remaining)
