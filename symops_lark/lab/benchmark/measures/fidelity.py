"""Whether the meant actions came out of a reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from ..fidelity import State
from ..figures import (
    ALARM,
    OUTCOMES,
    UNKNOWN,
    Figure,
    by_format,
    divide,
    each_after,
    outcome_of,
    phases_of,
    share,
    state_of,
)
from ..records import PhaseOutcome, Record

_ALARMED: dict[str, str] = {
    State.SUPERSET: "more than was meant",
    State.PATHS_ONLY: "other contents",
    State.PARTIAL: "partly right",
}
Test = Callable[[PhaseOutcome], Any]  # true if an outcome has the fault


def fidelity_by_phase(records: Sequence[Record]) -> Iterator[Figure]:
    """Fidelity after each phase.

    What has become of the whole reply, against what was meant. Right: every action, and no other.
    Wrong with alarm: something is wrong, invented or lost, and an alarm says so. No answer: nothing
    valid came out. Wrong without alarm: something is wrong, invented or lost, and nothing says so.
    An alarm is a confidence below 0.9, a completeness other than complete, a warning or an error
    (a note does not count), or that the format's own reader, such as `json.loads`, refuses the
    reply. Only what is right is a success.
    """
    for format, group in by_format(records):
        for phase in phases_of(group):
            outcomes = each_after(group, phase, outcome_of)
            yield from divide(format, OUTCOMES, outcomes, axis="after", part=phase)


def wrong_with_alarm(records: Sequence[Record]) -> Iterator[Figure]:
    """What is wrong with an alarm.

    Of the replies that are wrong with an alarm in the end: the share that brings all that was meant
    and more, the share that brings the right files with other contents, and the share of which some
    actions are right.
    """
    for format, group in by_format(records):
        why = UNKNOWN
        states = []
        for record in group:
            outcome = outcome_of(record.final)
            # Any outcome shows that it is known what was meant.
            if outcome:
                why = "nothing is wrong with an alarm"
            if outcome == ALARM:
                state = state_of(record.final) or ""
                states.append((record.case.task, _ALARMED[state]))
        yield from divide(format, _ALARMED.values(), states, why=why)


def wrong_actions(records: Sequence[Record]) -> Iterator[Figure]:
    """What is wrong in valid replies.

    The shares of valid replies, in the end, that have at least one invented action (it stands for
    none that was meant), at least one content that is not what was meant and raises no alarm, at
    least one lost action, or one that is lost where nothing says so. Invented and lost actions may
    have raised an alarm.
    """
    for format, group in by_format(records):
        why = UNKNOWN
        valid = []
        for record in group:
            row = record.final
            if row and row.state is not None:
                why = "no reply was valid"
                if row.accepted:
                    valid.append((record.case.task, row))
        for name, test in _FAULTS.items():
            hits = ((task, bool(test(row))) for task, row in valid)
            yield share(format, name, hits, why=why)


def _has_wrong_content(row: PhaseOutcome) -> bool:
    # A difference is written as `path: what differs`; a path may contain the word as well.
    return any("content" in text.rpartition(": ")[2] for text in row.silent)


_FAULTS: dict[str, Test] = {
    "invented action": attrgetter("invented"),
    "wrong content without alarm": _has_wrong_content,
    "lost action": attrgetter("lost"),
    "lost action without alarm": attrgetter("unsaid"),
}
