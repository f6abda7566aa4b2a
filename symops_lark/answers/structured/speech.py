"""Judge whether the objects of a reply count: who speaks there, and whether they are asked for.

Examples, each with the code of the last object:

    {"step": 2}  User: thanks  {"step": 1}              invented-turn
    {"step": 2}  The old answer was {"step": 1}         not-asked
    {"step": 1}  {"step": 2}                            no code: see `is_announced`

Not here: which objects there are (`candidates`), which of them is chosen (`extraction`), and the
words and tokens (`core/discourse`).
"""

from __future__ import annotations

from bisect import bisect_left

from ...core.discourse.findings import describe
from ...core.discourse.reading import read_discourse
from ...core.discourse.stances import announces_answer
from ...core.text.source import Span
from .candidates import Candidate, Scan


def judge_candidates(text: str, candidates: list[Candidate]) -> None:
    """Give each candidate that does not count its code and its reason.

    Takes time linear in the length of the text.

    Args:
        text: The reply.
        candidates: Its candidates, in order. Lists and broken objects are not judged.
    """
    objects = {}  # by their start
    utterances = []
    unjudged = []
    for candidate in candidates:
        span = Span(candidate.start, candidate.end)
        # A block of code without an answer does not belong to the prose: the discourse knows that.
        if candidate.set_aside == "code":
            continue
        if candidate.is_list or candidate.fault or candidate.set_aside == "inside":
            unjudged.append(span)
        else:
            objects[span.start] = candidate
            utterances.append(span)
    if not utterances:
        return
    opaque = [*utterances, *unjudged]
    for passage in read_discourse(text, utterances, opaque=opaque, own=unjudged, announced=False):
        judged = objects.get(passage.span.start)
        if judged is not None and passage.code:
            judged.code = passage.code
            judged.reason = describe(passage, text)
            judged.is_certain = passage.certain


def is_announced(text: str, scan: Scan, start: int, end: int) -> bool:
    """Return whether a break or words separate an object from the one before it.

    Args:
        text: The reply.
        scan: The breaks of the reply.
        start: The offset after the earlier object.
        end: The offset of the later one.
    """
    if bisect_left(scan.breaks, start) < bisect_left(scan.breaks, end):
        return True
    # RE2 does not read half surrogates.
    between = text[start:end].encode(errors="replace").decode()
    return announces_answer(between)
