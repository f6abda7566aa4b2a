"""Whether confidences can be believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...measuring.statistics import brier, reliability
from ..figures import UNKNOWN, Figure, by_format
from ..records import Record

_EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.999, 1.0)


def calibration(records: Sequence[Record]) -> Iterator[Figure]:
    """Calibration of confidence.

    The actions of valid documents, sorted by the confidence that they were given: the mean of what was said in each
    bin, and the share of its actions that are right. Where the two agree, a confidence can be read as a probability;
    where more is right than was said, it is too modest.
    """
    for format, group in by_format(records):
        for found in reliability(_said(group), _EDGES):
            part = f"{found.low:g} to {found.high:g}"
            low, high = found.rate.interval or (None, None)
            n, k, tasks = found.rate.n, found.rate.k, found.rate.drawn
            yield Figure(format, "said", found.confidence, n, unit="number", axis="confidence", part=part)
            yield Figure(format, "right", found.rate.value, n, k, low, high, axis="confidence", part=part, tasks=tasks)
        if not _said(group):
            yield Figure(format, "right", None, 0, axis="confidence", why=UNKNOWN)


def brier_score(records: Sequence[Record]) -> Iterator[Figure]:
    """Brier score of confidence.

    The mean squared distance of the confidences of actions from what was true (1 right, 0 wrong): 0 is perfect; beside
    it that of one who always says the share of right actions, which a useful confidence stays below.
    """
    for format, group in by_format(records):
        pairs = [(confidence, right) for _, confidence, right in _said(group)]
        if not pairs:
            yield Figure(format, "Brier score", None, 0, unit="number", why=UNKNOWN)
            continue
        base = sum(right for _, right in pairs) / len(pairs)
        yield Figure(format, "Brier score", brier(pairs), len(pairs), unit="number")
        yield Figure(format, "always the mean", base * (1 - base), len(pairs), unit="number")


def _said(records: Sequence[Record]) -> list[tuple[str, float, bool]]:
    """The task, the confidence and the truth of actions; of documents that were accepted only."""
    return [
        (record.case.task, action.confidence, action.right)
        for record in records
        if record.final and record.final.accepted
        for action in record.actions
        if action.right is not None
    ]
