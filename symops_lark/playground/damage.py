"""Texts with mistakes in them: a document, written without one, is damaged as the benchmark damages its replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..compliance.faults import documents as faults
from ..compliance.faults.dialects import describe
from ..compliance.faults.draws import make
from ..compliance.faults.kinds import load_kinds
from ..compliance.faults.mistakes import Draft, applicable
from ..document import VITAL_NAMES, Action, Document, Skipped, Vitals
from ..grammar.dialect import Dialect

_LETTERS = {name: letter for letter, name in VITAL_NAMES.items()}


def list_kinds(dialect: Dialect) -> list[dict[str, str]]:
    """Return the kinds of mistake that can be made in a dialect: name and summary."""
    possible = {mistake.name for mistake in applicable(describe(dialect))}
    kinds = (kind for kind in load_kinds().values() if possible.intersection(kind.made_by))
    return [{"name": kind.name, "summary": kind.summary} for kind in kinds]


def writable(document: Document) -> faults.Document:
    """Return a document as the fault model writes it: without attributes, and without what was skipped."""
    return faults.Document(tuple(_section(each) for each in document.sections if not isinstance(each, Skipped)))


def _section(section: Any) -> faults.Section:
    match section:
        case Vitals():
            values = ((_LETTERS[name], value) for name, value in section.items() if name in _LETTERS)
            return faults.Vitals(tuple(values))
        case Action():
            return faults.Action(section.type, section.path, section.content, section.dependencies)
    written: faults.Section = section
    return written


def write_damaged(
    document: faults.Document, dialect: Dialect, kinds: Sequence[str], seed: int
) -> Mapping[str, str | dict[str, str]]:
    """Return the text of a document with mistakes of some kinds in it, and which mistake was made of each.

    Another `seed` makes them in other places or forms. A kind for which there is no place is not made.
    """
    damaged = make(Draft.of(document, describe(dialect)), kinds, str(seed))
    return {"text": damaged.text, "made": dict(zip(damaged.kinds, damaged.functions, strict=True))}
