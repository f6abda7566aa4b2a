"""What a format or its reader breaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..figures import EVERY, Figure, by_format, by_language, came_right, each, share
from ..records import Record


def do_no_harm(records: Sequence[Record]) -> Iterator[Figure]:
    """Do no harm.

    The share of faultless replies that every phase leaves as they are, text and meaning, even the phases that are not
    needed for them.
    """
    for format, group in by_format(records):
        hits = each(group, lambda record: record.harmless)
        yield share(format, "left alone", hits, why="no reply is known as faultless")


def cascade(records: Sequence[Record]) -> Iterator[Figure]:
    """Cascades: one mistake spoils a neighbour.

    Of the replies with exactly one mistake that was made on purpose: the share in which an action that the mistake did
    not touch came out wrong or is missing.
    """
    for format, group in by_format(records):
        hits = each(group, lambda record: record.cascade)
        yield share(format, "a neighbour is spoilt", hits, why="no reply is known to have exactly one mistake")


def collisions(records: Sequence[Record]) -> Iterator[Figure]:
    """Delimiter collisions, by language.

    The share of replies with a content that holds a line which the format reads as a delimiter, and how many of these
    are right. A reply with files in several languages counts in each of them. Tasks that hold
    markup on purpose collide on purpose: compare formats, not this with the world.
    """
    for format, group in by_format(records):
        known = {EVERY: group, **by_language(group)}
        for part, some in known.items():
            hits = each(some, lambda record: record.collision)
            yield share(format, "collide", hits, axis="language", part=part)
        for part, some in known.items():
            hit = [record for record in some if record.collision]
            why = {"why": "no content collides"} if any(record.collision is False for record in some) else {}
            right = each(hit, lambda record: came_right(record.final))
            yield share(format, "right, of these", right, axis="language", part=part, **why)
