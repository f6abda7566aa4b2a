"""Which mistakes are put right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..fidelity import State
from ..figures import Figure, by_format, is_exact, share, state_of
from ..records import Record

_WHY = "no mistakes were made on purpose"


def exact_by_mistake(records: Sequence[Record]) -> Iterator[Figure]:
    """Exact in the end, by the mistake made.

    Of the replies with the mistake: the share that comes out exactly as it was meant, where it is the only one, and
    where there are others, which may be what is not put right. Cells of few replies have wide intervals: look at n
    before comparing.
    """
    for format, group in by_format(records):
        names = sorted({name for record in group for name in record.faults or ()})
        for name in names:
            some = [record for record in group if name in (record.faults or ())]
            for title, found in (
                ("alone", [r for r in some if len(r.faults or ()) == 1]),
                ("with others", [r for r in some if len(r.faults or ()) > 1]),
            ):
                if found:
                    yield share(format, title, (is_exact(r.final) for r in found), axis="mistake", part=name)
        if not names:
            yield share(format, "alone", (), axis="mistake", why=_WHY)


def exact_by_number_of_mistakes(records: Sequence[Record]) -> Iterator[Figure]:
    """Exact in the end, by the number of mistakes made.

    The share of replies that come out exactly as they were meant, by how many mistakes were made in them.
    """
    for format, group in by_format(records):
        known = [(len(record.faults), is_exact(record.final)) for record in group if record.faults is not None]
        for least, title in enumerate(("none", "one", "two", "three and more")):
            hits = [hit for count, hit in known if count == least or (least == 3 and count > 3)]
            if hits:
                yield share(format, "exact", hits, axis="mistakes", part=title)
        if not known:
            yield share(format, "exact", (), axis="mistakes", why=_WHY)


def exact_on_the_same_mistakes(records: Sequence[Record]) -> Iterator[Figure]:
    """On the same mistakes, format by format.

    Not every mistake can be made in every format: a format without marks of its own is spared those that are made in
    marks. Of the tasks and repetitions in which every format has the very same mistakes, at least one: the share that
    comes out exactly as it was meant, that in which something is wrong with an alarm (a rejection is one), and that in
    which it is wrong without.
    """
    groups = dict(by_format(records))
    made: dict[tuple[str, int], list[tuple[str, ...]]] = {}
    for record in records:
        made.setdefault((record.case.task, record.case.repetition), []).append(tuple(sorted(record.faults or ())))
    same = {key for key, rows in made.items() if len(rows) == len(groups) and rows[0] and len(set(rows)) == 1}
    why = "the formats have no such case" if any(made_in for rows in made.values() for made_in in rows) else _WHY
    for format, group in groups.items():
        chosen = [record for record in group if (record.case.task, record.case.repetition) in same]
        states = [state for record in chosen if (state := state_of(record.final)) is not None]
        yield share(format, "exact", (state == State.EXACT for state in states), why=why)
        alarmed = (state not in (State.EXACT, State.WRONG) for state in states)
        yield share(format, "wrong with alarm", alarmed, why=why)
        yield share(format, "wrong without", (state == State.WRONG for state in states), why=why)
