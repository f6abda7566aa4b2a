"""Which mistakes are put right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..figures import Figure, by_format, is_exact, share
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
            for title, found in (("alone", [r for r in some if len(r.faults or ()) == 1]),
                                 ("with others", [r for r in some if len(r.faults or ()) > 1])):  # fmt: skip
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
