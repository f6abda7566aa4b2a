"""Translate documents of the package into those of the fault model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import count

from ....core.document import Action, Document, ErrorNote, Question, Section, Thought, Vitals
from ....core.grammar.dialect import Dialect
from ....core.ground.errors import RenderError
from ..faults import documents
from ..faults.documents import Line

# Numbers are the only optional form that is used: in the others, fewer mistakes have a place.
USUAL = documents.Style(
    end_marks=False, long_fences=False, dependencies_on_lines=False, paths_on_lines=False
)
_MARKS = {Thought: "thought", documents.Action: "action", Question: "question", ErrorNote: "error"}


class Writer(ABC):
    """The part of a format that is the same for all."""

    @abstractmethod
    def write(self, document: Document) -> str:
        """Return a document as text; raises `RenderError` if the format cannot express it."""

    def refuse(self, document: Document) -> str:
        """Return what of a document the format cannot express; empty if it can express all."""
        try:
            self.write(document)
        except RenderError as error:
            return str(error)
        return ""


def translate(document: Document) -> documents.Document:
    """Return the same document for the fault model.

    The fault model has no attributes and does not write the messages of errors.
    """
    sections: list[documents.Section] = []
    for section in document.sections:
        if isinstance(section, Action):
            sections.append(
                documents.Action(
                    section.type, section.path, section.content, section.dependencies, USUAL
                )
            )
        elif isinstance(section, Thought | Vitals | Question | ErrorNote):
            sections.append(section)
    return documents.Document(tuple(sections))


def leave_out_unsaid(document: documents.Document, dialect: Dialect) -> documents.Document:
    """Return the document without sections, dependencies and vitals that the dialect cannot say."""
    marks = dialect.said_marks
    sections: list[documents.Section] = []
    for section in document.sections:
        if isinstance(section, Vitals):
            pairs = section.values_by_name
            if "vital" not in marks:
                pairs = tuple(pair for pair in pairs if pair[0] in marks)
            if pairs:
                sections.append(replace(section, values_by_name=pairs))
        elif _MARKS[type(section)] in marks:
            if isinstance(section, documents.Action):
                # A file without its content would be another action.
                if section.content is not None and "open" not in marks:
                    continue
                if "depends" not in marks:
                    section = replace(section, dependencies=())
            sections.append(section)
    return replace(document, sections=tuple(sections))


def lay_out_in_prose(
    document: Document, lay_out: Callable[[Action, int], Iterable[Line]]
) -> list[Line]:
    """Return the lines of a document whose format has only actions; the rest becomes prose.

    Args:
        document: The document.
        lay_out: Returns the lines of an action and its number, from 0.
    """
    lines: list[Line] = []
    numbers = count()
    for section in document.sections:
        if isinstance(section, Action):
            if lines:
                lines.append(Line("blank"))
            lines += lay_out(section, next(numbers))
            continue
        prose = _say_as_prose(section)
        if prose:
            # Adjacent paragraphs of prose are one thought.
            if lines and lines[-1].role != "thought":
                lines.append(Line("blank"))
            lines.append(Line("thought", prose))
    return lines


def _say_as_prose(section: Section) -> str:
    """Return a section other than an action as prose; vitals have none."""
    match section:
        case Thought(text):
            return text
        case Question(text, choices):
            return "\n- ".join((text, *choices))
        case ErrorNote(kind, target, message):
            place = f" in {target}" if target else ""
            reason = f": {message}" if message else ""
            return kind + place + reason
    return ""
