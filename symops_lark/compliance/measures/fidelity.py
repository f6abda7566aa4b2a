"""Whether what was meant has come out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..fidelity import State
from ..figures import Figure, after, by_format, is_accepted, is_in, phases_of, share
from ..records import PhaseOutcome, Record


def fidelity_by_phase(records: Sequence[Record]) -> Iterator[Figure]:
    """Fidelity after each phase.

    What has become of the whole reply, against what was meant. Exact: every action, and no other. Superset: others
    beside them, with an alarm. Paths only: the right files, contents with an alarm. Partial: some of it, with an alarm
    on what is wrong or missing. Rejected: nothing came out. Wrong accepted: something is wrong or missing without an
    alarm. An alarm is a confidence below 0.9, a completeness other than complete, a warning or an error (a note is
    none), or that the format's own reader, such as `json.loads`, refuses the reply. Superset, paths only and partial
    are no successes; rejected never is.
    """
    for format, group in by_format(records):
        for phase in phases_of(group):
            for state in State:
                hits = (is_in(after(record, phase), state) for record in group)
                yield share(format, str(state).replace("-", " "), hits, axis="after", part=phase)


def wrong_actions(records: Sequence[Record]) -> Iterator[Figure]:
    """What is wrong in replies that were accepted.

    The shares of accepted replies, in the end, that have at least one false action (it stands for none that was
    meant), at least one content that is not what was meant and raises no alarm, that lack at least one action, or lack
    one where nothing says so. False and missing actions may have raised an alarm.
    """
    kinds: dict[str, Callable[[PhaseOutcome], bool]] = {
        "false action": lambda row: bool(row.invented),
        "content silently changed": lambda row: any("content" in text.rpartition(": ")[2] for text in row.silent),
        "action missing": lambda row: bool(row.missing),
        "missing without a word": lambda row: bool(row.unsaid),
    }
    for format, group in by_format(records):
        rows = [row for record in group if (row := record.final) and is_accepted(row) and row.state is not None]
        known = any(record.final and record.final.state is not None for record in group)
        for name, test in kinds.items():
            hits = map(test, rows)
            yield share(format, name, hits, **({"why": "no reply was accepted"} if known else {}))
