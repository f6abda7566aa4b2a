"""Whether what was meant has come out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..fidelity import State
from ..figures import ALARM, OUTCOMES, Figure, after, by_format, is_accepted, outcome_of, phases_of, share, state_of
from ..records import PhaseOutcome, Record

_ALARMED = {"more than was meant": State.SUPERSET, "other contents": State.PATHS_ONLY, "partly right": State.PARTIAL}


def fidelity_by_phase(records: Sequence[Record]) -> Iterator[Figure]:
    """Fidelity after each phase.

    What has become of the whole reply, against what was meant. Right: every action, and no other. Wrong with alarm:
    something is wrong, invented or lost, and an alarm says so. No answer: nothing valid came out. Wrong without alarm:
    something is wrong, invented or lost, and nothing says so. An alarm is a confidence below 0.9, a completeness other
    than complete, a warning or an error (a note is none), or that the format's own reader, such as `json.loads`,
    refuses the reply. Only what is right is a success.
    """
    for format, group in by_format(records):
        for phase in phases_of(group):
            found = [(record.case.task, outcome_of(after(record, phase))) for record in group]
            for name in OUTCOMES:
                hits = [(task, None if outcome is None else outcome == name) for task, outcome in found]
                yield share(format, name, hits, axis="after", part=phase)


def wrong_with_alarm(records: Sequence[Record]) -> Iterator[Figure]:
    """What is wrong with an alarm.

    Of the replies that are wrong with an alarm in the end: the share that brings all that was meant and more, the share
    that brings the right files with other contents, and the share of which some actions are right.
    """
    for format, group in by_format(records):
        known = any(outcome_of(record.final) for record in group)
        rows = [record for record in group if outcome_of(record.final) == ALARM]
        for name, state in _ALARMED.items():
            hits = [(record.case.task, state_of(record.final) == state) for record in rows]
            yield share(format, name, hits, **({"why": "nothing is wrong with an alarm"} if known else {}))


def wrong_actions(records: Sequence[Record]) -> Iterator[Figure]:
    """What is wrong in valid replies.

    The shares of valid replies, in the end, that have at least one invented action (it stands for none that was meant),
    at least one content that is not what was meant and raises no alarm, at least one lost action, or one that is lost
    where nothing says so. Invented and lost actions may have raised an alarm.
    """
    kinds: dict[str, Callable[[PhaseOutcome], bool]] = {
        "invented action": lambda row: bool(row.invented),
        "wrong content without alarm": lambda row: any("content" in text.rpartition(": ")[2] for text in row.silent),
        "lost action": lambda row: bool(row.lost),
        "lost action without alarm": lambda row: bool(row.unsaid),
    }
    for format, group in by_format(records):
        ends = [(record.case.task, row) for record in group if (row := record.final) and row.state is not None]
        for name, test in kinds.items():
            hits = [(task, test(row)) for task, row in ends if is_accepted(row)]
            yield share(format, name, hits, **({"why": "no reply was valid"} if ends else {}))
