"""What `process` warned about, told by the action that it concerns: the document carries it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping

from ...core.document import Document
from ...core.grammar.codes import DANGLING_DEPENDENCY
from ...core.text.diagnostics import Diagnostic, Severity


def find_warnings(document: Document, nowhere: Collection[int]) -> dict[int, tuple[Diagnostic, ...]]:
    """Return the warnings that stand on each action, by its number.

    `nowhere` are the actions with a dependency that does not exist.
    """
    actions = document.actions
    numbers = sorted(range(len(actions)), key=lambda at: (actions[at].span.start, -at))
    starts = [actions[at].span.start for at in numbers]
    found: dict[int, list[Diagnostic]] = {}
    for finding in document.diagnostics:
        place = bisect_right(starts, finding.span.start) - 1
        if place < 0 or finding.severity is not Severity.WARNING:
            continue
        number = numbers[place] + 1
        action = actions[number - 1]
        inside = finding.span.start < action.span.end or finding.span.start == action.span.start
        # The tree knows whether a dependency exists.
        if inside and (finding.code != DANGLING_DEPENDENCY or number in nowhere):
            found.setdefault(number, []).append(finding)
    return {number: tuple(findings) for number, findings in found.items()}


def advise(verb: str, verbs: Mapping[str, tuple[str, ...]]) -> str:
    """Return what to do about a verb of no known effect; `verbs` are those of the dialect by group."""
    known = ", ".join(other for group, others in verbs.items() if group != "further" for other in others)
    if verb in verbs.get("further", ()):
        return (
            "its grammar lists it neither in `_running` nor in `_writing` or `_removing`: list it there if it runs a "
            "command, writes or removes a file; else plan the document without it, and carry it out yourself"
        )
    return f"known verbs: {known}; those of a dialect of yours if you name it (`--format FILE`, `format=`)"
