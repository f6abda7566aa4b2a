"""Texts with mistakes in them: a document, written without one, is damaged as the benchmark damages its replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..compliance.faults import documents as faults
from ..compliance.faults.dialects import describe
from ..compliance.faults.draws import make
from ..compliance.faults.kinds import load_kinds
from ..compliance.faults.mistakes import Draft
from ..compliance.formats.drafts import USUAL
from ..grammar.dialect import Dialect


def list_kinds(dialect: Dialect, documents: Sequence[faults.Document]) -> list[dict[str, str]]:
    """Return the kinds of mistake that can be made in a dialect, in one of some documents: name and summary."""
    drafts = [_draft(document, dialect) for document in documents]
    kinds = (kind for kind in load_kinds().values() if any(make(draft, [kind.name], "").kinds for draft in drafts))
    return [{"name": kind.name, "summary": kind.summary} for kind in kinds]


def _draft(document: faults.Document, dialect: Dialect) -> Draft:
    sections = (replace(each, style=USUAL) if isinstance(each, faults.Action) else each for each in document.sections)
    return Draft.of(replace(document, sections=tuple(sections)), describe(dialect))


def write_damaged(
    document: faults.Document, dialect: Dialect, kinds: Sequence[str], seed: int
) -> Mapping[str, str | dict[str, str]]:
    """Return the text of a document with mistakes of some kinds in it, and which mistake was made of each.

    Another `seed` makes them in other places or forms. A kind for which there is no place is not made.
    """
    damaged = make(_draft(document, dialect), kinds, str(seed))
    return {"text": damaged.text, "made": dict(zip(damaged.kinds, damaged.functions, strict=True))}
