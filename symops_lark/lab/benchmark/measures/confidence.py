"""Whether confidences are reliable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import fsum, inf

from ..figures import UNKNOWN, Figure, by_format, share
from ..records import Record

# The edges of the bins. Most confidences are near 1, so the bins are narrow there.
# An upper edge belongs to the next bin.
_EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.999, 1.0)


def calibration(records: Sequence[Record]) -> Iterator[Figure]:
    """Calibration of confidence.

    The actions of valid documents, sorted by the confidence that they were given: the mean of what
    was said in each bin, and the share of its actions that are right. Where the two agree, a
    confidence can be read as a probability; where more is right than was said, it is too modest.
    """
    for format, group in by_format(records):
        actions = _judged_actions(group)
        for low, high in pairwise(_EDGES):
            # The part names the bin, so it has the edge as it is written.
            part = f"{low:g} to {high:g}"
            if high == 1.0:
                high = inf  # nothing is above 1, which belongs to the last bin
            inside = [action for action in actions if low <= action[1] < high]
            n = len(inside)
            if n:
                tasks, confidences, rights = zip(*inside, strict=True)
                mean = fsum(confidences) / n
                yield Figure(format, "said", mean, n, unit="number", axis="confidence", part=part)
                hits = zip(tasks, rights, strict=True)
                yield share(format, "right", hits, axis="confidence", part=part)
        if not actions:
            yield Figure(format, "right", None, 0, axis="confidence", why=UNKNOWN)


def brier_score(records: Sequence[Record]) -> Iterator[Figure]:
    """Brier score of confidence.

    The mean squared distance of the confidences of actions from what was true (1 right, 0 wrong): 0
    is perfect; beside it that of one who always says the share of right actions, which a useful
    confidence stays below.
    """
    for format, group in by_format(records):
        actions = _judged_actions(group)
        n = len(actions)
        if not n:
            yield Figure(format, "Brier score", None, 0, unit="number", why=UNKNOWN)
            continue
        # `fsum`, so that the sum is the same for any order of the records.
        squares = [(confidence - right) ** 2 for _, confidence, right in actions]
        score = fsum(squares) / n
        # The best score of a constant confidence, p * (1 - p).
        base = sum(right for *_, right in actions) / n
        yield Figure(format, "Brier score", score, n, unit="number")
        yield Figure(format, "always the mean", base * (1 - base), n, unit="number")


def _judged_actions(records: Sequence[Record]) -> list[tuple[str, float, bool]]:
    """Return the task, the confidence and the truth of the actions of accepted documents."""
    # A rejected document has no actions that anyone would use.
    accepted = [record for record in records if record.final and record.final.accepted]
    return [
        (record.case.task, action.confidence, action.right)
        for record in accepted
        for action in record.actions
        if action.right is not None
    ]
