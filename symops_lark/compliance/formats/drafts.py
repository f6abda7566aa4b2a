"""Documents of the package as those of the fault model, so that they can be written and damaged by it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from ...document import VITAL_NAMES, Action, Document, ErrorNote, Question, Thought, Vitals
from ...errors import RenderError
from ..faults import documents


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


_STYLE = documents.Style()
_LETTERS = {name: letter for letter, name in VITAL_NAMES.items()}


def translate(document: Document, style: documents.Style = _STYLE) -> documents.Document:
    """Return the same document for the fault model, without attributes and the messages of errors, which it has not."""
    return documents.Document(tuple(_translate(document, style)))


def _translate(document: Document, style: documents.Style) -> Iterator[documents.Section]:
    for section in document.sections:
        match section:
            case Thought() | Question() | ErrorNote():
                yield section
            case Vitals():
                yield documents.Vitals(tuple((_LETTERS[name], value) for name, value in section.items()))
            case Action():
                yield documents.Action(section.type, section.path, section.content, section.dependencies, style)
