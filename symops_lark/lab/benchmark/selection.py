"""Which records are held against which: by provenance, then by format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.ground.errors import SymOpsError
from .comparison import Pairing, pair
from .records import Record
from .report.sections import Section, split


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: what it is called, its records, and what the user chose of them.

    `format` is the name of a format, `provenance` a part of the name of a provenance; empty where nothing was chosen.
    """

    name: str
    records: tuple[Record, ...]
    format: str = ""
    provenance: str = ""


def match(first: Side, second: Side) -> tuple[tuple[str, str], dict[str, Pairing]]:
    """Return the names of two provenances, and the pairs of each format (or of two) by a title.

    Raises `SymOpsError` for different provenances that were not both named, and where nothing can be paired.
    """
    one, other = _choose(first), _choose(second)
    if one.name != other.name and not (first.provenance and second.provenance):
        raise SymOpsError(
            f"these are of different provenance, and their difference may be no more than that:\n  {one.name}\n  "
            f"{other.name}\nto compare them all the same, name both: --first {one.name!r} --second {other.name!r}"
        )
    pairings = {title: pair(_of(one, a), _of(other, b)) for title, (a, b) in _titles(first, second, one, other).items()}
    found = {title: pairing for title, pairing in pairings.items() if pairing.pairs}
    if not found:
        raise SymOpsError(f"{first.name} and {second.name} have no task in common: there is nothing to pair")
    return (one.name, other.name), found


def _choose(side: Side) -> Section:
    """Return the one section that a side means."""
    sections = [section for section in split(side.records) if side.provenance in section.name]
    if len(sections) == 1:
        return sections[0]
    known = "\n".join(f"  {section.name}" for section in sections or split(side.records))
    if not known:
        raise SymOpsError(f"{side.name} has no records")
    what = f"has no provenance with {side.provenance!r} in its name; there are"
    what = "has records of several provenances; name one of them" if sections else what
    raise SymOpsError(f"{side.name} {what} (--first, --second; with decide, --provenance):\n{known}")


def _titles(first: Side, second: Side, one: Section, other: Section) -> dict[str, tuple[str, str]]:
    """Return which formats are held against each other."""
    left, right = _formats(first, one), _formats(second, other)
    if len(left) == len(right) == 1:
        a, b = left[0], right[0]
        return {a if a == b else f"{a} and {b}": (a, b)}
    if chosen := first.format or second.format:
        _check(chosen, first, one)
        _check(chosen, second, other)
        return {chosen: (chosen, chosen)}
    both = [name for name in left if name in right]
    if not both:
        raise SymOpsError(
            f"no format is in both: {first.name} has {', '.join(left)}; {second.name} has "
            f"{', '.join(right)}; choose one of each: LOG:FORMAT"
        )
    return {name: (name, name) for name in both}


def _formats(side: Side, section: Section) -> Sequence[str]:
    if side.format:
        _check(side.format, side, section)
        return (side.format,)
    return section.formats


def _check(format: str, side: Side, section: Section) -> None:
    if format not in section.formats:
        raise SymOpsError(f"{side.name} has no format {format!r}; it has {', '.join(section.formats)}")


def _of(section: Section, format: str) -> list[Record]:
    return [record for record in section.records if record.case.format == format]
