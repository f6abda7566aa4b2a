"""The guard over what was right already: an answer that changes it does not count."""

from __future__ import annotations

from collections import Counter

from ...core.document import Action, Completeness, Document
from ...core.ground.numbers import counted
from ...core.result import Result
from ...core.text.diagnostics import Diagnostic, Severity
from ...core.validator import is_acceptable

SURE = 0.8  # an action at least this sure, and complete, is not to be changed any more


def is_sure(action: Action) -> bool:
    """Return whether an action was read so well that a model has nothing to put right in it."""
    return action.confidence >= SURE and action.completeness is Completeness.COMPLETE


def sure_actions(result: Result) -> list[Action]:
    """Return the actions that must come back as they are: sure ones that nothing is wrong with."""
    wrong = [finding.span.start for finding in result.diagnostics if finding.severity is Severity.ERROR]
    return [
        action
        for action in result.document.actions
        if is_sure(action) and not any(action.span.start <= at <= action.span.end for at in wrong)
    ]


def find_drift(before: Result, after: Document) -> tuple[Diagnostic, ...]:
    """Return a finding for each sure action of a result that a later document lacks, or has with other content."""
    found = []
    later: dict[str, list[Action]] = {}
    for action in after.actions:
        later.setdefault(action.path, []).append(action)
    places: Counter[str] = Counter()
    sure = {id(action) for action in sure_actions(before)}
    for action in before.document.actions:
        place, places[action.path] = places[action.path], places[action.path] + 1
        if id(action) not in sure:
            continue
        twins = later.get(action.path, [])
        twin = twins[place] if place < len(twins) else None
        if twin is None:
            message = f"{action.type} {action.path} was read with confidence and is missing in the model's next reply"
        elif twin.content != action.content:
            message = f"the content of {action.path} was read with confidence; the model's next reply changes it"
            message += _first_difference(action.content or "", twin.content or "")
        else:
            continue
        found.append(
            Diagnostic("content-drift", message, action.span, Severity.WARNING, hint="the earlier reading was kept")
        )
    return tuple(found)


def _first_difference(before: str, after: str) -> str:
    old, new = before.split("\n"), after.split("\n")
    for number, (first, second) in enumerate(zip(old, new, strict=False), 1):
        if first != second:
            return f" on line {number}: {first[:60]!r} became {second[:60]!r}"
    return f" after line {min(len(old), len(new))}: it had {counted(len(old), 'line')}, now {len(new)}"


def is_better(new: Result, old: Result) -> bool:
    """Return whether a later result is better than an earlier one: less of it broken, surer, saying more."""
    return _rank(new) > _rank(old)


def _rank(result: Result) -> tuple[bool, int, float, int]:
    actions = result.document.actions
    broken = sum(action.completeness is not Completeness.COMPLETE for action in actions)
    broken += sum(finding.severity is Severity.ERROR for finding in result.diagnostics)
    return is_acceptable(result.document), -broken, result.confidence, len(actions)
