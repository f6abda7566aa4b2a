"""Figures by what was asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..figures import Figure, by_format, by_language, is_accepted, is_exact, share
from ..records import Record

_SIZES = ((1, "1"), (3, "2 to 3"), (5, "4 to 5"), (10**9, "6 and more"))


def exact_by_language(records: Sequence[Record]) -> Iterator[Figure]:
    """Exact in the end, by language.

    The share of replies with a file in the language that come out exactly as they were meant. A reply with files in
    several languages counts in each of them.
    """
    for format, group in by_format(records):
        known = by_language(group)
        for name, some in known.items():
            hits = (is_exact(record.final) for record in some)
            yield share(format, "exact", hits, axis="language", part=name)
        if not known:
            yield share(format, "exact", (), axis="language")


def exact_by_size(records: Sequence[Record]) -> Iterator[Figure]:
    """Exact in the end, by size of the task.

    The share of replies that are accepted, and that come out exactly as they were meant, by the number of actions that
    were meant.
    """
    for format, group in by_format(records):
        least = 1
        for most, part in _SIZES:
            some = [record for record in group if least <= len(record.expected or ()) <= most]
            if some:
                accepted = (is_accepted(record.final) for record in some)
                yield share(format, "accepted", accepted, axis="actions", part=part)
                yield share(format, "exact", (is_exact(record.final) for record in some), axis="actions", part=part)
            least = most + 1
        if not any(record.expected for record in group):
            yield share(format, "exact", (), axis="actions")
