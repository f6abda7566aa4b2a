"""What a stream announced and the whole text does not say, and the other way round.

Sections are paired by the line on which they begin. Places, confidence and completeness take no part in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..document import Action, CustomSection, Document, ErrorNote, Question, Section, Skipped, Thought, Vitals
from ..ground.json_objects import JsonObject
from ..text.source import Span, cut, size

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Difference(JsonObject):
    """One thing that the stream announced otherwise: `kind` is `not-in-document`, `not-announced` or `changed`.

    `span` is the place of the announced section, or of the document's if nothing was announced.
    """

    kind: str
    message: str
    span: Span


def find_differences(announced: Sequence[Section], document: Document) -> tuple[Difference, ...]:
    """Return what announced sections and a document say differently; skipped text is no section."""
    final = [section for section in document.sections if not isinstance(section, Skipped)]
    if list(announced) == final:
        return ()
    found: list[Difference] = []
    here = there = 0
    while here < len(announced) or there < len(final):
        mine = announced[here] if here < len(announced) else None
        yours = final[there] if there < len(final) else None
        if yours is None or (mine is not None and mine.span.line < yours.span.line):
            assert mine is not None
            message = f"announced {_show(mine)}, which is not in the document"
            found.append(Difference("not-in-document", message, mine.span))
            here += 1
        elif mine is None or yours.span.line < mine.span.line:
            message = f"the document has {_show(yours)}, which was not announced"
            found.append(Difference("not-announced", message, yours.span))
            there += 1
        else:
            if mine != yours:
                found.append(Difference("changed", _compare(mine, yours), mine.span))
            here, there = here + 1, there + 1
    return tuple(found)


def _compare(mine: Section, yours: Section) -> str:
    if isinstance(mine, Action) and isinstance(yours, Action) and _show(mine) == _show(yours):
        if mine.content != yours.content:
            return f"content of {mine.path} differs{_place(mine.content, yours.content)}"
        return f"{_show(mine)}: its dependencies, number or attributes differ"
    return f"announced {_show(mine)}; the document has {_show(yours)}"


def _place(mine: str | None, yours: str | None) -> str:
    """Return from which line two contents differ."""
    if mine is None or yours is None:
        return ": it was not announced" if mine is None else ": the document has none"
    ours, theirs = ([line.rstrip("\r") for line in text.split("\n")] for text in (mine, yours))
    same = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    return f" from line {same + 1}"


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
    return text if size(text) <= _SHOWN else cut(text, 0, _SHOWN) + "…"
