"""Whether a reply obeys its format: phase by phase."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..figures import Figure, after, by_format, came_right, each, is_accepted, phases_of, share
from ..records import ASKING, Record


def compliance_by_phase(records: Sequence[Record]) -> Iterator[Figure]:
    """Compliance after each phase.

    The share of replies of which a valid document has come out by the end of the phase. After generation that is the
    strict reading of the raw reply. It says nothing on whether the document is what was meant: fidelity does.
    """
    for format, group in by_format(records):
        for phase in phases_of(group):
            yield share(format, "valid", _valid(group, phase), axis="after", part=phase)


def repair_success(records: Sequence[Record]) -> Iterator[Figure]:
    """What each later phase saves.

    Of the replies that were not valid before the phase: the share that is valid after it, and the share that is valid
    and right. The difference of the two is what the phase made valid, and wrong.
    """
    for format, group in by_format(records):
        phases = phases_of(group)
        for before, phase in pairwise(phases):
            rest = [record for record in group if not is_accepted(after(record, before))]
            why = "no reply came to this phase"
            label = {"axis": "phase", "part": phase}
            yield share(format, "valid", _valid(rest, phase), why=why, **label)
            hits = each(rest, lambda record, phase=phase: came_right(after(record, phase)))  # type: ignore[misc]
            yield share(format, "valid and right", hits, **label, **({} if rest else {"why": why}))
        if ASKING not in phases and any(row.phase == ASKING for record in group for row in record.measured):
            yield share(format, "valid", (), axis="phase", part=ASKING, why="no model was asked again")
        elif len(phases) < 2:
            yield share(format, "valid", (), axis="phase", part="repaired", why="the format has no later phase")


def asked_as_assumed(records: Sequence[Record]) -> Iterator[Figure]:
    """Assumed: after asking again.

    What would be valid, and right, if a simulated writer who is asked again did as its profile says. No measurement
    stands behind this, so it is in no other figure: there, a simulated reply ends before it.
    """
    for format, group in by_format(records):
        rows = [(record.case.task, row) for record in group for row in record.phases if row not in record.measured]
        why = {} if rows else {"why": "nothing is assumed"}
        yield share(format, "valid", ((task, row.accepted) for task, row in rows), **why)
        yield share(format, "right", ((task, came_right(row)) for task, row in rows), **why)


def well_formed(records: Sequence[Record]) -> Iterator[Figure]:
    """Well-formed cases, as aider counts them.

    The share of cases (a task, once) in which every reply was well formed as the model wrote it: valid after
    generation, and not asked for again; and the share of tasks of which every repetition was. The first answers to
    `percent_cases_well_formed` of aider's leaderboards: its cases in which no reply, over two tries and all questions,
    had an edit that could not be read. Its reader passes over prose around the edits, a strict one does not.
    """
    for format, group in by_format(records):
        cases = [(r.case.task, is_accepted(after(r, "strict")) and r.attempts == 1) for r in group]
        broken = {task for task, well in cases if not well}
        yield share(format, "well-formed cases", cases)
        yield share(format, "tasks always well formed", ((task, task not in broken) for task in dict(cases)))


def _valid(records: Sequence[Record], phase: str) -> Iterator[tuple[str, bool | None]]:
    return each(records, lambda record: is_accepted(after(record, phase)))
