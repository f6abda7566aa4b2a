"""Select the records that are compared: by provenance, then by format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.ground.errors import SymOpsError
from .comparison import Pairing, pair
from .records import Record
from .report.sections import Section, split


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison.

    Attributes:
        name: Its name in messages.
        records: Its records.
        format: The format that the user chose; empty for none.
        provenance: A part of the name of the provenance that the user chose; empty for none.
    """

    name: str
    records: tuple[Record, ...]
    format: str = ""
    provenance: str = ""


def match(first: Side, second: Side) -> tuple[tuple[str, str], dict[str, Pairing]]:
    """Return the names of two provenances, and the pairs of each format by a title.

    Raises:
        SymOpsError: The provenances differ and were not both named, or there is nothing to pair.
    """
    left = _choose(first)
    right = _choose(second)
    # Simulated and live replies, for example, have different mistakes.
    if left.name != right.name and not (first.provenance and second.provenance):
        raise SymOpsError(
            "these are of different provenance, and their difference may be no more than that:\n"
            f"  {left.name}\n  {right.name}\n"
            f"to compare them anyway, name both: --first {left.name!r} --second {right.name!r}"
        )
    pairings = {}
    for title, (a, b) in _titles(first, second, left, right).items():
        pairing = pair(_records_of(left, a), _records_of(right, b))
        if pairing.pairs:
            pairings[title] = pairing
    if not pairings:
        raise SymOpsError(
            f"{first.name} and {second.name} have no task in common: there is nothing to pair"
        )
    return (left.name, right.name), pairings


def _choose(side: Side) -> Section:
    """Return the only section of a side that the user can mean."""
    sections = split(side.records)
    if not sections:
        raise SymOpsError(f"{side.name} has no records")
    problem = "has records of several provenances; name one of them"
    chosen = [section for section in sections if side.provenance in section.name]
    # An empty name is a part of every name, so a single section needs no choice.
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        problem = f"has no provenance with {side.provenance!r} in its name; there are"
    names = "\n".join(f"  {section.name}" for section in chosen or sections)
    raise SymOpsError(
        f"{side.name} {problem} (--first, --second; with decide, --provenance):\n{names}"
    )


def _titles(first: Side, second: Side, left: Section, right: Section) -> dict[str, tuple[str, str]]:
    """Return the pairs of formats that are compared, by their titles."""
    formats = _formats(first, left)
    other_formats = _formats(second, right)
    # One format on each side: they may differ.
    if len(formats) == len(other_formats) == 1:
        [a] = formats
        [b] = other_formats
        return {a if a == b else f"{a} and {b}": (a, b)}
    chosen = first.format or second.format
    if chosen:
        _check(chosen, first, left)
        _check(chosen, second, right)
        return {chosen: (chosen, chosen)}
    # Otherwise each format is compared with itself.
    common = [name for name in formats if name in other_formats]
    if not common:
        raise SymOpsError(
            f"no format is in both: {first.name} has {', '.join(formats)}; {second.name} has "
            f"{', '.join(other_formats)}; choose one of each: LOG:FORMAT"
        )
    return {name: (name, name) for name in common}


def _formats(side: Side, section: Section) -> Sequence[str]:
    if not side.format:
        return section.formats
    _check(side.format, side, section)
    return (side.format,)


def _check(format: str, side: Side, section: Section) -> None:
    if format not in section.formats:
        formats = ", ".join(section.formats)
        raise SymOpsError(f"{side.name} has no format {format!r}; it has {formats}")


def _records_of(section: Section, format: str) -> list[Record]:
    return [record for record in section.records if record.case.format == format]
