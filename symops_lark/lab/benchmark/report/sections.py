"""Records in sections: only records of one provenance and one model may share a table."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..comparison import Shown, compare_formats
from ..figures import Figure, by_format
from ..measures import MEASURES
from ..records import RESTS, Provenance, Record


@dataclass(frozen=True)
class Section:
    """The records of one provenance and model.

    A reader that crashes has rejected the reply: that is judged, and the record has phases beside
    its error.

    Attributes:
        provenance: The origin of the replies.
        model: The model of recorded replies; empty otherwise, because the provenance names it.
        records: The records that were judged.
        failed: The records without a reply, which cannot be judged.
    """

    provenance: Provenance
    model: str
    records: tuple[Record, ...]
    failed: tuple[Record, ...]

    @property
    def name(self) -> str:
        """The text beside every figure."""
        return f"{self.provenance}, {self.model}" if self.model else str(self.provenance)

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats, by name."""
        return tuple(sorted({record.case.format for record in (*self.records, *self.failed)}))

    @property
    def assumed(self) -> str:
        """How many of the rates of mistakes are assumed; empty if the profile does not have it."""
        return dict(self.provenance.detail).get(RESTS, "")

    @cached_property
    def tasks(self) -> Mapping[str, int]:
        """The number of tasks to which each format has replies."""
        tasks = {}
        for format, group in by_format(self.records):
            names = {record.case.task for record in group}
            tasks[format] = len(names)
        return tasks

    @cached_property
    def is_uneven(self) -> bool:
        """Whether not every format has replies to the same tasks and repetitions."""
        cases = []
        for _, group in by_format(self.records):
            cases.append({(record.case.task, record.case.repetition) for record in group})
        # A report without replies has no formats, which are not uneven.
        return cases != cases[:1] * len(cases)

    @cached_property
    def differences(self) -> tuple[int, list[Shown]]:
        """The number of comparisons of two formats, and the differences that they show."""
        return compare_formats(self.records)

    @cached_property
    def figures(self) -> Mapping[str, tuple[Figure, ...]]:
        """The figures of every measure; none if there are no replies."""
        return {name: tuple(measure(self.records)) for name, measure in MEASURES.items()}


def split(records: Iterable[Record]) -> list[Section]:
    """Return records sorted into sections: the same ones for any order of the records."""
    groups: dict[tuple[Any, ...], list[Record]] = defaultdict(list)
    for record in each_once(records):
        # The provenance of recorded replies is that of the data, which may be of several models.
        model = record.model if record.provenance.kind == "replayed" else ""
        provenance = record.provenance
        groups[provenance.kind, provenance.detail, model].append(record)
    return [_section(groups[key], key[-1]) for key in sorted(groups)]


def each_once(records: Iterable[Record]) -> list[Record]:
    """Return each case once, sorted; a record with a reply replaces one without."""
    best: dict[str, Record] = {}
    for record in sorted(records, key=_order):
        best.setdefault(record.key, record)
    return list(best.values())


def _order(record: Record) -> tuple[object, ...]:
    case = record.case
    return (
        case.format,
        case.task,
        case.repetition,
        record.key,
        # A reply, if there is one.
        not record.phases,
        # Two records of a case may differ in their times: the first text wins, not the first file.
        json.dumps(record.to_dict(), sort_keys=True),
    )


def _section(group: Sequence[Record], model: str) -> Section:
    records: list[Record] = []
    failed: list[Record] = []
    for record in _separate_versions(group):
        (records if record.phases else failed).append(record)
    return Section(
        # It is the same in the complete group.
        group[0].provenance,
        model,
        tuple(records),
        tuple(failed),
    )


def _separate_versions(group: Sequence[Record]) -> Iterator[Record]:
    """Yield records; formats that different readers or rules judged get different names."""
    versions = defaultdict(set)
    for record in group:
        versions[record.case.format].add((record.fingerprint, record.rules))
    for record in group:
        name = record.case.format
        if len(versions[name]) > 1:
            # Six digits of a hash are enough to distinguish the versions of one log.
            name = f"{name} ({record.fingerprint[:6]}, rules {record.rules[:6]})"
        yield replace(record, case=replace(record.case, format=name))


def reasons(failed: Iterable[Record]) -> list[tuple[str, str, int]]:
    """Return the reasons why there is no reply: format, reason, number."""
    counts: Counter[tuple[str, str]] = Counter()
    for record in failed:
        # Further lines are of one case, such as an address or a time.
        reason = record.error.partition("\n")[0]
        counts[record.case.format, reason] += 1
    return [(format, reason, count) for (format, reason), count in sorted(counts.items())]
