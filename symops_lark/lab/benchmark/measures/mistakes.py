"""Which mistakes are put right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..figures import OUTCOMES, Figure, by_format, came_right, each, outcome_of, share
from ..records import Record

_WHY = "no mistakes were made on purpose"


def right_by_mistake(records: Sequence[Record]) -> Iterator[Figure]:
    """Right in the end, by the mistake made.

    Of the replies with the mistake: the share that is right, where it is the only one, and where there are others,
    which may be what is not put right. Cells of few replies have wide intervals: look at n before comparing.
    """
    for format, group in by_format(records):
        names = sorted({name for record in group for name in record.faults or ()})
        for name in names:
            some = [record for record in group if name in (record.faults or ())]
            for title, is_alone in (("alone", True), ("with others", False)):
                if found := [record for record in some if (record.faults == (name,)) is is_alone]:
                    yield share(format, title, each(found, lambda r: came_right(r.final)), axis="mistake", part=name)
        if not names:
            yield share(format, "alone", (), axis="mistake", why=_WHY)


def right_by_number_of_mistakes(records: Sequence[Record]) -> Iterator[Figure]:
    """Right in the end, by the number of mistakes made.

    The share of replies that are right, by how many mistakes were made in them.
    """
    for format, group in by_format(records):
        known = [(len(r.faults), (r.case.task, came_right(r.final))) for r in group if r.faults is not None]
        for least, title in enumerate(("none", "one", "two", "three and more")):
            hits = [hit for count, hit in known if count == least or (least == 3 and count > 3)]
            if hits:
                yield share(format, "right", hits, axis="mistakes", part=title)
        if not known:
            yield share(format, "right", (), axis="mistakes", why=_WHY)


def right_on_the_same_mistakes(records: Sequence[Record]) -> Iterator[Figure]:
    """On the same mistakes, format by format.

    Not every mistake can be made in every format: a format without marks of its own is spared those that are made in
    marks. Of the tasks and repetitions in which every format has the very same mistakes, at least one: what became of
    the replies.
    """
    groups = dict(by_format(records))
    made: dict[tuple[str, int], list[tuple[str, ...]]] = {}
    for record in records:
        made.setdefault((record.case.task, record.case.repetition), []).append(tuple(sorted(record.faults or ())))
    same = {key for key, rows in made.items() if len(rows) == len(groups) and rows[0] and len(set(rows)) == 1}
    why = "the formats have no such case" if any(made_in for rows in made.values() for made_in in rows) else _WHY
    for format, group in groups.items():
        chosen = [record for record in group if (record.case.task, record.case.repetition) in same]
        found = [(record.case.task, outcome) for record in chosen if (outcome := outcome_of(record.final)) is not None]
        for name in OUTCOMES:
            yield share(format, name, [(task, outcome == name) for task, outcome in found], why=why)
