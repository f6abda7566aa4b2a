"""Figures by what was asked: the language and the size of a task."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ..figures import Figure, by_format, by_language, each, ends_right, ends_valid, share
from ..records import Record

# The most actions of each size; the last size has no limit.
_LIMITS = (1, 3, 5)
_SIZES = ("1", "2 to 3", "4 to 5", "6 and more")


def right_by_language(records: Sequence[Record]) -> Iterator[Figure]:
    """Right in the end, by language.

    The share of replies with a file in the language that are right. A reply with files in several
    languages counts in each of them.
    """
    for format, group in by_format(records):
        groups = by_language(group)
        for name, members in groups.items():
            hits = each(members, ends_right)
            yield share(format, "right", hits, axis="language", part=name)
        if not groups:
            yield share(format, "right", (), axis="language")


def right_by_size(records: Sequence[Record]) -> Iterator[Figure]:
    """Right in the end, by size of the task.

    The share of replies that are valid, and that are right, by the number of actions that were
    meant.
    """
    for format, group in by_format(records):
        # Replies without known actions have no size.
        groups: list[list[Record]] = [[] for _ in _SIZES]
        for record in group:
            if record.expected:
                size = bisect_left(_LIMITS, len(record.expected))
                groups[size].append(record)
        for part, members in zip(_SIZES, groups, strict=True):
            if members:
                valid = each(members, ends_valid)
                yield share(format, "valid", valid, axis="actions", part=part)
                right = each(members, ends_right)
                yield share(format, "right", right, axis="actions", part=part)
        if not any(groups):
            yield share(format, "right", (), axis="actions")
