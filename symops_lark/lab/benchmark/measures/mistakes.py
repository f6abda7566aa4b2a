"""Repair rate by kind of mistake."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..figures import OUTCOMES, Figure, by_format, divide, each, ends_right, outcome_of, share
from ..records import Record

_WHY = "no mistakes were made on purpose"
_NUMBERS = (
    "none",
    "one",
    "two",
    "three and more",  # they are too rare for a bin each
)
# A task, and the number of its repetition.
Case = tuple[str, int]


def right_by_mistake(records: Sequence[Record]) -> Iterator[Figure]:
    """Right in the end, by the mistake made.

    Of the replies with the mistake: the share that is right, where it is the only one, and where
    there are others, which may be the ones that are not repaired. Cells of few replies have wide
    intervals: look at n before comparing.
    """
    for format, group in by_format(records):
        groups = defaultdict(list)
        for record in group:
            faults = record.faults or ()
            title = "with others"
            if len(faults) == 1:
                title = "alone"
            # A set: a mistake that was made twice in a reply counts once.
            for name in set(faults):
                groups[name, title].append(record)
        for name, title in sorted(groups):
            hits = each(groups[name, title], ends_right)
            yield share(format, title, hits, axis="mistake", part=name)
        if not groups:
            yield share(format, "alone", (), axis="mistake", why=_WHY)


def right_by_number_of_mistakes(records: Sequence[Record]) -> Iterator[Figure]:
    """Right in the end, by the number of mistakes made.

    The share of replies that are right, by how many mistakes were made in them.
    """
    for format, group in by_format(records):
        groups = defaultdict(list)
        for record in group:
            if record.faults is not None:
                count = len(record.faults)
                count = min(count, len(_NUMBERS) - 1)
                groups[count].append(record)
        for count in sorted(groups):
            title = _NUMBERS[count]
            hits = each(groups[count], ends_right)
            yield share(format, "right", hits, axis="mistakes", part=title)
        if not groups:
            yield share(format, "right", (), axis="mistakes", why=_WHY)


def right_on_the_same_mistakes(records: Sequence[Record]) -> Iterator[Figure]:
    """On the same mistakes, format by format.

    Not every mistake can be made in every format: a format without own marks is spared those that
    are made in marks. Of the tasks and repetitions in which every format has the very same
    mistakes, at least one: the outcomes of the replies.
    """
    groups = dict(by_format(records))
    why = _WHY
    faults_by_case = defaultdict(list)
    for record in records:
        faults = sorted(record.faults or ())
        faults_by_case[_case_of(record)].append(faults)
        if faults:
            # There are mistakes; if nothing is left below, no case has the same ones.
            why = "the formats have no such case"
    for format, group in groups.items():
        outcomes = []
        for record in group:
            rows = faults_by_case[_case_of(record)]
            faults = rows[0]
            # Every format must have a reply here, with the same mistakes.
            if faults and rows == [faults] * len(groups):
                outcome = outcome_of(record.final)
                outcomes.append((record.case.task, outcome))
        yield from divide(format, OUTCOMES, outcomes, why=why)


def _case_of(record: Record) -> Case:
    return record.case.task, record.case.repetition
