"""Compare the sections that a stream announced with those of the final document.

Sections are paired by the line on which they begin. Positions, confidence and completeness are not
compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
from ..ground.json_objects import JsonObject
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
    differences: list[Difference] = []
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
