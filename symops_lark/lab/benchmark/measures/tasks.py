"""Figures by what was asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..figures import Figure, by_format, by_language, came_right, each, is_accepted, share
from ..records import Record

_SIZES = ((1, "1"), (3, "2 to 3"), (5, "4 to 5"), (10**9, "6 and more"))


def right_by_language(records: Sequence[Record]) -> Iterator[Figure]:
    """Right in the end, by language.

    The share of replies with a file in the language that are right. A reply with files in several languages counts in
    each of them.
    """
    for format, group in by_format(records):
        known = by_language(group)
        for name, some in known.items():
            yield share(format, "right", each(some, lambda r: came_right(r.final)), axis="language", part=name)
        if not known:
            yield share(format, "right", (), axis="language")


def right_by_size(records: Sequence[Record]) -> Iterator[Figure]:
    """Right in the end, by size of the task.

    The share of replies that are valid, and that are right, by the number of actions that were meant.
    """
    for format, group in by_format(records):
        least = 1
        for most, part in _SIZES:
            some = [record for record in group if least <= len(record.expected or ()) <= most]
            if some:
                yield share(format, "valid", each(some, lambda r: is_accepted(r.final)), axis="actions", part=part)
                yield share(format, "right", each(some, lambda r: came_right(r.final)), axis="actions", part=part)
            least = most + 1
        if not any(record.expected for record in group):
            yield share(format, "right", (), axis="actions")
