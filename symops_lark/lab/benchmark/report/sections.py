"""Records sorted into what may share a table: one provenance, and one model, each."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..comparison import Shown, compare_formats
from ..figures import Figure
from ..measures import MEASURES
from ..records import RESTS, Provenance, Record


@dataclass(frozen=True)
class Section:
    """The records of one provenance and model: those that were judged, and those that cannot be (`failed`).

    Only recorded replies are told apart by their `model`; the provenance of others names it. A reader that crashes has
    rejected the reply: that is judged, and the record has phases beside its error.
    """

    provenance: Provenance
    model: str
    records: tuple[Record, ...]
    failed: tuple[Record, ...]

    @property
    def name(self) -> str:
        """What is said beside every figure."""
        return f"{self.provenance}, {self.model}" if self.model else str(self.provenance)

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats, by name."""
        return tuple(sorted({record.case.format for record in (*self.records, *self.failed)}))

    @property
    def assumed(self) -> str:
        """How many of the rates are assumed by which mistakes were made; empty where no profile says so."""
        return dict(self.provenance.detail).get(RESTS, "")

    @cached_property
    def tasks(self) -> Mapping[str, int]:
        """The number of tasks to which each format has replies."""
        return Counter(format for format, _ in sorted({(r.case.format, r.case.task) for r in self.records}))

    @cached_property
    def is_uneven(self) -> bool:
        """Whether not every format has replies to the same tasks and repetitions."""
        cases: dict[str, set[tuple[str, int]]] = defaultdict(set)
        for record in self.records:
            cases[record.case.format].add((record.case.task, record.case.repetition))
        return len(set(map(frozenset, cases.values()))) > 1

    @cached_property
    def differences(self) -> tuple[int, list[Shown]]:
        """How many comparisons of two formats there are, and the differences that they show."""
        return compare_formats(self.records)

    @cached_property
    def figures(self) -> Mapping[str, tuple[Figure, ...]]:
        """The figures of every measure; none where there are no replies."""
        return {name: tuple(measure(self.records)) for name, measure in MEASURES.items()}


def split(records: Iterable[Record]) -> list[Section]:
    """Return records sorted into sections, the same ones for the same records in any order; each case is taken once."""
    groups: dict[tuple[str, tuple[tuple[str, str], ...], str], list[Record]] = defaultdict(list)
    for record in each_once(records):
        model = record.model if record.provenance.kind == "replayed" else ""
        groups[record.provenance.kind, record.provenance.detail, model].append(record)
    return [_section(groups[key], key[-1]) for key in sorted(groups)]


def each_once(records: Iterable[Record]) -> list[Record]:
    """Return each case once, one with a reply rather than one without, in an order of their own."""
    best: dict[str, Record] = {}
    for record in records:
        known = best.setdefault(record.key, record)
        if known is not record:
            best[record.key] = min(known, record, key=lambda r: (not r.phases, json.dumps(r.to_dict(), sort_keys=True)))
    return sorted(best.values(), key=lambda r: (r.case.format, r.case.task, r.case.repetition, r.key))


def _section(group: Sequence[Record], model: str) -> Section:
    named = _tell_versions_apart(group)
    return Section(
        group[0].provenance,
        model,
        tuple(record for record in named if record.phases),
        tuple(record for record in named if not record.phases),
    )


def _tell_versions_apart(group: Sequence[Record]) -> list[Record]:
    """Return formats that were judged by different readers or rules different names."""
    versions = defaultdict(set)
    for record in group:
        versions[record.case.format].add((record.fingerprint, record.rules))
    found = []
    for record in group:
        name = record.case.format
        if len(versions[name]) > 1:
            name = f"{name} ({record.fingerprint[:6]}, rules {record.rules[:6]})"
        found.append(replace(record, case=replace(record.case, format=name)))
    return found


def reasons(failed: Sequence[Record]) -> list[tuple[str, str, int]]:
    """Return why there is no reply: format, reason, number."""
    lines = Counter((record.case.format, (record.error.splitlines() or [""])[0]) for record in failed)
    return [(format, reason, count) for (format, reason), count in sorted(lines.items())]
