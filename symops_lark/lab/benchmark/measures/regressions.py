"""What a format or its reader breaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

from ..figures import EVERY, UNKNOWN, Figure, by_format, by_language, each, ends_right, share
from ..records import Record


def do_no_harm(records: Sequence[Record]) -> Iterator[Figure]:
    """Do no harm.

    The share of faultless replies that every phase leaves as they are, text and meaning, even the
    phases that are not needed for them.
    """
    for format, group in by_format(records):
        # None if the reply has a mistake.
        hits = each(group, attrgetter("harmless"))
        yield share(format, "left alone", hits, why="no reply is known as faultless")


def cascade(records: Sequence[Record]) -> Iterator[Figure]:
    """Cascades: one mistake spoils a neighbour.

    Of the replies with exactly one mistake that was made on purpose: the share in which an action
    that the mistake did not touch came out wrong or is missing.
    """
    why = "no reply is known to have exactly one mistake"
    for format, group in by_format(records):
        hits = each(group, attrgetter("cascade"))
        yield share(format, "a neighbour is spoilt", hits, why=why)


def collisions(records: Sequence[Record]) -> Iterator[Figure]:
    """Delimiter collisions, by language.

    The share of replies with a content that holds a line which the format reads as a delimiter, and
    how many of these are right. A reply with files in several languages counts in each of them.
    Tasks that hold markup on purpose collide on purpose: compare formats, not this with the world.
    """
    for format, group in by_format(records):
        groups = {EVERY: group, **by_language(group)}
        for part, members in groups.items():
            hits = each(members, attrgetter("collision"))
            yield share(format, "collide", hits, axis="language", part=part)
        # All shares of one name are yielded in a row: reports make one table of each name.
        for part, members in groups.items():
            colliding = [record for record in members if record.collision]
            # False is known, None is not.
            why = UNKNOWN
            if any(record.collision is False for record in members):
                why = "no content collides"
            hits = each(colliding, ends_right)
            yield share(format, "right, of these", hits, axis="language", part=part, why=why)
