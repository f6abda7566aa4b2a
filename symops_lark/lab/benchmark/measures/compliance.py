"""Whether a reply follows its format: phase by phase."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..figures import (
    UNKNOWN,
    Figure,
    after,
    by_format,
    came_right,
    each,
    each_after,
    is_accepted,
    phases_of,
    share,
)
from ..records import ASKING, Record


def compliance_by_phase(records: Sequence[Record]) -> Iterator[Figure]:
    """Compliance after each phase.

    The share of replies of which a valid document has come out by the end of the phase. After
    generation that is the strict reading of the raw reply. It says nothing on whether the document
    is what was meant: fidelity does.
    """
    for format, group in by_format(records):
        for phase in phases_of(group):
            hits = each_after(group, phase, is_accepted)
            yield share(format, "valid", hits, axis="after", part=phase)


def repair_success(records: Sequence[Record]) -> Iterator[Figure]:
    """What each later phase saves.

    Of the replies that were not valid before the phase: the share that is valid after it, and the
    share that is valid and right. The difference of the two is what the phase made valid, and
    wrong.
    """
    tests = {"valid": is_accepted, "valid and right": came_right}
    for format, group in by_format(records):
        phases = phases_of(group)
        for before, phase in pairwise(phases):
            # A phase works only on what the phases before it did not make valid.
            broken = [record for record in group if not is_accepted(after(record, before))]
            why = UNKNOWN
            if not broken:
                why = "no reply came to this phase"
            for name, test in tests.items():
                hits = each_after(broken, phase, test)
                yield share(format, name, hits, axis="phase", part=phase, why=why)
        # A table that just lacks a row would look as if the phase saved nothing.
        if ASKING not in phases and any(map(_has_asking, group)):
            yield share(
                format, "valid", (), axis="phase", part=ASKING, why="no model was asked again"
            )
        elif len(phases) < 2:
            why = "the format has no later phase"
            yield share(format, "valid", (), axis="phase", part="repaired", why=why)


def _has_asking(record: Record) -> bool:
    return any(row.phase == ASKING for row in record.measured)


def asked_as_assumed(records: Sequence[Record]) -> Iterator[Figure]:
    """Assumed: after asking again.

    What would be valid, and right, if a simulated writer who is asked again did as its profile
    says. This is assumed, not measured, so it is in no other figure: there, a simulated reply ends
    before it.
    """
    for format, group in by_format(records):
        # Asking again is the last phase, and the only one that can be assumed.
        assumed = [record for record in group if len(record.phases) > len(record.measured)]
        why = UNKNOWN
        if not assumed:
            why = "nothing is assumed"
        for name, test in {"valid": is_accepted, "right": came_right}.items():
            yield share(format, name, each_after(assumed, ASKING, test), why=why)


def well_formed(records: Sequence[Record]) -> Iterator[Figure]:
    """Well-formed cases, as aider counts them.

    The share of cases (a task, once) in which every reply was well formed as the model wrote it:
    valid after generation, and not asked for again; and the share of tasks of which every
    repetition was. The first answers to `percent_cases_well_formed` of aider's leaderboards: its
    cases in which no reply, over two tries and all questions, had an edit that could not be read.
    Its reader passes over prose around the edits, a strict one does not.
    """
    for format, group in by_format(records):
        cases = list(each(group, _is_well_formed))
        yield share(format, "well-formed cases", cases)
        # False is after True in this order, so one broken case decides for its task.
        tasks = dict(sorted(cases, reverse=True))
        yield share(format, "tasks always well formed", tasks.items())


def _is_well_formed(record: Record) -> bool:
    return record.attempts == 1 and is_accepted(after(record, "strict"))
