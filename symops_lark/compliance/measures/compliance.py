"""Whether a reply obeys its format: phase by phase."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from ..figures import Figure, after, by_format, is_accepted, is_exact, phases_of, share
from ..records import Record


def compliance_by_phase(records: Sequence[Record]) -> Iterator[Figure]:
    """Compliance after each phase.

    The share of replies of which a valid document has come out by the end of the phase. After generation that is the
    strict reading of the raw reply. It says nothing on whether the document is what was meant: fidelity does.
    """
    for format, group in by_format(records):
        for phase in phases_of(group):
            hits = (is_accepted(after(record, phase)) for record in group)
            yield share(format, "accepted", hits, axis="after", part=phase)


def repair_success(records: Sequence[Record]) -> Iterator[Figure]:
    """What each later phase saves.

    Of the replies that nothing had been accepted of before the phase: the share that is accepted after it, and the
    share that is accepted and exactly what was meant.
    """
    for format, group in by_format(records):
        phases = phases_of(group)
        for before, phase in pairwise(phases):
            rest = [record for record in group if not is_accepted(after(record, before))]
            why = "no reply came to this phase"
            label = {"axis": "phase", "part": phase}
            yield share(format, "accepted", (is_accepted(after(r, phase)) for r in rest), why=why, **label)
            hits = (is_exact(after(record, phase)) for record in rest)
            yield share(format, "accepted and exact", hits, **label, **({} if rest else {"why": why}))
        if len(phases) < 2:
            yield share(format, "accepted", (), axis="phase", part="repair", why="the format has no later phase")


def well_formed(records: Sequence[Record]) -> Iterator[Figure]:
    """Well-formed tasks, as aider counts them.

    The share of tasks in which every reply was well formed as the model wrote it: every repetition accepted after
    generation, and none of them asked for again. It answers to `percent_cases_well_formed` of aider's leaderboards,
    which counts the test cases in which no reply, over all tries, had an edit block that could not be read; there, each
    case has up to two tries, here as many as the run has repetitions.
    """
    for format, group in by_format(records):
        ordered = sorted(group, key=lambda record: record.case.task)
        tasks = [list(found) for _, found in groupby(ordered, key=lambda record: record.case.task)]
        hits = (all(is_accepted(after(r, "generation")) and r.attempts == 1 for r in task) for task in tasks)
        yield share(format, "well-formed tasks", hits)
