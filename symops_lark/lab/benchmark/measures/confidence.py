"""Whether confidences can be believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import fsum

from ..figures import UNKNOWN, Figure, by_format, share
from ..records import Record

_EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.999, 1.0)


def calibration(records: Sequence[Record]) -> Iterator[Figure]:
    """Calibration of confidence.

    The actions of valid documents, sorted by the confidence that they were given: the mean of what was said in each
    bin, and the share of its actions that are right. Where the two agree, a confidence can be read as a probability;
    where more is right than was said, it is too modest.
    """
    for format, group in by_format(records):
        said = _said(group)
        for low, high in pairwise(_EDGES):  # an upper edge belongs to the next bin, but for the last
            inside = [each for each in said if low <= each[1] < high or each[1] == high == _EDGES[-1]]
            if inside:
                part, mean = f"{low:g} to {high:g}", fsum(confidence for _, confidence, _ in inside) / len(inside)
                yield Figure(format, "said", mean, len(inside), unit="number", axis="confidence", part=part)
                hits = ((task, right) for task, _, right in inside)
                yield share(format, "right", hits, axis="confidence", part=part)
        if not said:
            yield Figure(format, "right", None, 0, axis="confidence", why=UNKNOWN)


def brier_score(records: Sequence[Record]) -> Iterator[Figure]:
    """Brier score of confidence.

    The mean squared distance of the confidences of actions from what was true (1 right, 0 wrong): 0 is perfect; beside
    it that of one who always says the share of right actions, which a useful confidence stays below.
    """
    for format, group in by_format(records):
        said = _said(group)
        if not said:
            yield Figure(format, "Brier score", None, 0, unit="number", why=UNKNOWN)
            continue
        score = fsum((confidence - right) ** 2 for _, confidence, right in said) / len(said)
        base = sum(right for *_, right in said) / len(said)
        yield Figure(format, "Brier score", score, len(said), unit="number")
        yield Figure(format, "always the mean", base * (1 - base), len(said), unit="number")


def _said(records: Sequence[Record]) -> list[tuple[str, float, bool]]:
    """The task, the confidence and the truth of actions; of documents that were accepted only."""
    return [
        (record.case.task, action.confidence, action.right)
        for record in records
        if record.final and record.final.accepted
        for action in record.actions
        if action.right is not None
    ]
