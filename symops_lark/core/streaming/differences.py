"""The result of a stream that was closed, and how it differs from what the stream announced.

Sections are paired by the line on which they begin. Positions, confidence and completeness are not
compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..document import (
    Action,
    CustomSection,
    Document,
    ErrorNote,
    Question,
    Section,
    Skipped,
    Thought,
    Vitals,
)
from ..ground.json_objects import JsonObject, read_object, write_object
from ..result import ProtocolError, Reason, Result, TraceStep
from ..text.diagnostics import Diagnostic
from ..text.source import Span, cut, size

_MAX_SHOWN = 60  # characters of a text in a message: it stays on one line of a terminal


@dataclass(frozen=True, slots=True)
class Difference(JsonObject):
    """A difference between the events of a stream and the document of the whole text.

    Attributes:
        kind: `not-in-document`, `not-announced` or `changed`.
        message: The difference in words.
        span: The position of the announced section; of the document's section if none was
            announced.
    """

    kind: str
    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class StreamResult:
    """The result of the whole text, and its differences from the events.

    Attributes:
        result: The result that `process` returns for the whole text. None if there is an `error`,
            or if the text was not kept.
        differences: The sections that were announced in another way than the result has them. Empty
            for a valid text, unless a Markdown fence was removed from a content.
        error: The error that `process` raises for the whole text; None if it raises none.
    """

    result: Result | None
    differences: tuple[Difference, ...] = ()
    error: ProtocolError | None = None

    @property
    def document(self) -> Document | None:
        """The document of the result, or the best partial one; None if the text was not kept."""
        if self.result is not None:
            return self.result.document
        return self.error.document if self.error is not None else None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        data = write_object(self, "result", "differences")
        if self.error is None:
            return {**data, "error": None}
        partial = write_object(self.error, "document", "diagnostics", "trace", "reason")
        return {**data, "error": str(self.error), "partial": partial}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> StreamResult:
        """Return the result that `to_dict` wrote.

        Args:
            data: The JSON object.

        Raises:
            SymOpsError: A member is missing or invalid; the message begins with its keys.
        """
        members = read_object(_Fields, data, exact=False)
        partial = members.partial or _Partial(Document())
        error = None
        if members.error is not None:
            error = ProtocolError(
                members.error, partial.document, partial.diagnostics, partial.trace, partial.reason
            )
        return cls(members.result, members.differences, error)


@dataclass(frozen=True, slots=True)
class _Partial:
    """The attributes of a `ProtocolError` in JSON."""

    document: Document
    diagnostics: tuple[Diagnostic, ...] = ()
    trace: tuple[TraceStep, ...] = ()
    reason: Reason = Reason.NO_SECTION


@dataclass(frozen=True, slots=True)
class _Fields:
    """The members of a `StreamResult` in JSON."""

    result: Result | None
    differences: tuple[Difference, ...] = ()
    error: str | None = None
    partial: _Partial | None = None


def find_differences(announced: Sequence[Section], document: Document) -> tuple[Difference, ...]:
    """Return the differences between announced sections and a document.

    Args:
        announced: The sections that the events give, in order.
        document: The document of the whole text. Its skipped text is not a section.

    Returns:
        The differences in the order of the text; empty if there are none.
    """
    final = [section for section in document.sections if not isinstance(section, Skipped)]
    if list(announced) == final:
        return ()
    differences = []
    here = there = 0  # the next section of each side: a merge of two lists, ordered by line
    while here < len(announced) or there < len(final):
        mine = announced[here] if here < len(announced) else None
        yours = final[there] if there < len(final) else None
        if yours is None or (mine is not None and mine.span.line < yours.span.line):
            assert mine is not None
            message = f"announced {_show(mine)}, which is not in the document"
            differences.append(Difference("not-in-document", message, mine.span))
            here += 1
        elif mine is None or yours.span.line < mine.span.line:
            message = f"the document has {_show(yours)}, which was not announced"
            differences.append(Difference("not-announced", message, yours.span))
            there += 1
        else:
            if mine != yours:
                differences.append(Difference("changed", _compare(mine, yours), mine.span))
            here += 1
            there += 1
    return tuple(differences)


def _compare(mine: Section, yours: Section) -> str:
    """Return a message about two sections that begin on the same line."""
    if isinstance(mine, Action) and isinstance(yours, Action) and _show(mine) == _show(yours):
        if mine.content != yours.content:
            return f"content of {mine.path} differs{_place(mine.content, yours.content)}"
        return f"{_show(mine)}: its dependencies, number or attributes differ"
    return f"announced {_show(mine)}; the document has {_show(yours)}"


def _place(mine: str | None, yours: str | None) -> str:
    """Return the end of a message: the first line in which two contents differ."""
    if mine is None or yours is None:
        return ": it was not announced" if mine is None else ": the document has none"
    # Endings are not compared: a line with another text explains more than one with another ending.
    announced = [line.rstrip("\r") for line in mine.split("\n")]
    final = [line.rstrip("\r") for line in yours.split("\n")]
    same_count = 0
    for left, right in zip(announced, final, strict=False):
        if left != right:
            break
        same_count += 1
    return f" from line {same_count + 1}"


def _show(section: Section) -> str:
    match section:
        case Action():
            return f"{section.type} {_cut(section.path)}"
        case Thought():
            return f"the thought {_cut(section.text)!r}"
        case Question():
            return f"the question {_cut(section.text)!r}"
        case ErrorNote():
            return f"the error {_cut(section.type)}"
        case Vitals():
            return "vitals"
        case CustomSection():
            return f"the section {section.name}"
    return "skipped text"


def _cut(text: str) -> str:
    return text if size(text) <= _MAX_SHOWN else cut(text, 0, _MAX_SHOWN) + "…"
