"""Documents of the package as those of the fault model, so that they can be written and damaged by it."""

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


class Writer(ABC):
    """What all formats do alike."""

    @abstractmethod
    def write(self, document: Document) -> str:
        """Return a document as text; raises `RenderError` for what the format cannot say."""

    def refuse(self, document: Document) -> str:
        """Return what of a document the format cannot say; empty if it can say all."""
        try:
            self.write(document)
        except RenderError as error:
            return str(error)
        return ""


# Actions are numbered where they may be; other further forms are left out: in them fewer mistakes have a place.
USUAL = documents.Style(end_marks=False, long_fences=False, dependencies_on_lines=False, paths_on_lines=False)


def translate(document: Document) -> documents.Document:
    """Return the same document for the fault model, without attributes and the messages of errors, which it has not."""
    sections: list[documents.Section] = []
    for section in document.sections:
        if isinstance(section, Action):
            sections.append(documents.Action(section.type, section.path, section.content, section.dependencies, USUAL))
        elif isinstance(section, Thought | Vitals | Question | ErrorNote):
            sections.append(section)
    return documents.Document(tuple(sections))


def leave_out_unsaid(document: documents.Document, dialect: Dialect) -> documents.Document:
    """Return the document without what the dialect has no marks for: sections, dependencies, single vitals."""
    said = dialect.said_marks
    marks = {Thought: "thought", documents.Action: "action", Question: "question", ErrorNote: "error"}
    sections: list[documents.Section] = []
    for section in document.sections:
        if isinstance(section, Vitals):
            named = [pair for pair in section.values_by_name if "vital" in said or pair[0] in said]
            sections += [replace(section, values_by_name=tuple(named))] if named else []
        elif marks[type(section)] in said:
            if isinstance(section, documents.Action):
                # A file without its content would be another action.
                if section.content is not None and "open" not in said:
                    continue
                if "depends" not in said:
                    section = replace(section, dependencies=())
            sections.append(section)
    return replace(document, sections=tuple(sections))


def lay_out_in_prose(document: Document, lay_out: Callable[[Action, int], Iterable[Line]]) -> list[Line]:
    """Return the lines of a document in a format that says actions alone: all other sections are prose around them.

    Args:
        document: The document.
        lay_out: Returns the lines of an action and its number, from 0.
    """
    lines: list[Line] = []
    numbers = count()
    for section in document.sections:
        if isinstance(section, Action):
            lines += [Line("blank")] if lines else []
            lines += lay_out(section, next(numbers))
        elif said := _say_as_prose(section):
            lines += [Line("blank")] if lines and lines[-1].role != "thought" else []
            lines.append(Line("thought", said))
    return lines


def _say_as_prose(section: Section) -> str:
    """Return a section that is no action as prose; vitals have none."""
    match section:
        case Thought(text):
            return text
        case Question(text, choices):
            return "\n".join([text, *(f"- {choice}" for choice in choices)])
        case ErrorNote(kind, target, message):
            return f"{kind}{f' in {target}' if target else ''}{f': {message}' if message else ''}"
    return ""
