"""Guard the actions that were read with confidence: an answer that changes them does not count.

Such an action keeps its verb, path, content, dependencies, attributes and edits, and such actions
keep their order. `changes` reports what else is changed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Sequence

from ...core.document import Action, Completeness, Document
from ...core.grammar.codes import UNKNOWN_VERB
from ...core.ground.numbers import counted
from ...core.result import Result
from ...core.text.diagnostics import Diagnostic, Severity
from ...core.validator import is_acceptable

SURE = 0.8  # the least confidence of an action that must not be changed
_MAX_SHOWN = 60  # characters of a line in a message


def find_errors(result: Result) -> list[Diagnostic]:
    """Return the diagnostics of a result that make it invalid."""
    return [item for item in result.diagnostics if item.severity is Severity.ERROR]


def is_sure(action: Action) -> bool:
    """Return whether an action was read so well that the model has nothing to correct in it."""
    return action.confidence >= SURE and action.completeness is Completeness.COMPLETE


def sure_actions(result: Result) -> list[Action]:
    """Return the actions that must not change: sure ones without an error in them.

    An unknown verb is only a warning, but a correction may write another one.
    """
    errors = find_errors(result)
    errors += [item for item in result.diagnostics if item.code == UNKNOWN_VERB]
    starts = sorted(error.span.start for error in errors)
    actions = []
    for action in result.document.actions:
        span = action.span
        next_error = bisect_left(starts, span.start)
        is_broken = next_error < len(starts) and starts[next_error] <= span.end
        if is_sure(action) and not is_broken:
            actions.append(action)
    return actions


def find_drift(before: Result, after: Document) -> tuple[Diagnostic, ...]:
    """Return how a later document changes the sure actions of a result.

    Args:
        before: The result of the earlier reply.
        after: The document of the later reply.

    Returns:
        A diagnostic for each sure action that is missing, has another verb, content, dependency,
        attribute or edit, or comes before a sure action that it followed.
    """
    sure = {id(action) for action in sure_actions(before)}
    later = after.actions
    place = -1
    drift = []
    # Actions that are not sure take their place, too.
    for action, index in pair(before.document.actions, later):
        if id(action) not in sure:
            continue
        change = " and is missing in the model's next reply"
        if index is not None:
            change = _find_difference(action, later[index])
            if not change and index < place:
                change = "; the model's next reply has it in another order"
            place = max(place, index)
        if change:
            drift.append(_report(action, change))
    return tuple(drift)


def _report(action: Action, change: str) -> Diagnostic:
    message = f"{action.type} {action.path} was read with confidence{change}"
    hint = "this answer of the model was not taken"
    return Diagnostic("content-drift", message, action.span, Severity.WARNING, hint=hint)


def pair(before: Sequence[Action], after: Sequence[Action]) -> list[tuple[Action, int | None]]:
    """Return earlier actions with the indexes of the later ones on the same paths.

    An equal later action comes first, else those on one path in their order.

    Args:
        before: The earlier actions.
        after: The later actions.
    """
    by_content: dict[tuple[object, ...], deque[int]] = defaultdict(deque)
    for index, action in enumerate(after):
        by_content[_identity(action)].append(index)
    # The later index by the earlier one.
    indexes: dict[int, int] = {}
    for number, action in enumerate(before):
        twins = by_content[_identity(action)]
        if twins:
            indexes[number] = twins.popleft()
    used = set(indexes.values())
    by_path: dict[str, deque[int]] = defaultdict(deque)
    for index, action in enumerate(after):
        if index not in used:
            by_path[_place(action)].append(index)
    pairs: list[tuple[Action, int | None]] = []
    for number, action in enumerate(before):
        twins = by_path[_place(action)]
        if number in indexes:
            pairs.append((action, indexes[number]))
        elif twins:
            pairs.append((action, twins.popleft()))
        else:
            pairs.append((action, None))
    return pairs


def _place(action: Action) -> str:
    """Return the path of a file that is written, without `./` before it; others as they are."""
    # `./deploy` and `deploy` are different programs.
    is_file = action.content is not None or action.edits
    return action.path.removeprefix("./") if is_file else action.path


def _identity(action: Action) -> tuple[object, ...]:
    return action.type, _place(action), action.content


def _find_difference(before: Action, after: Action) -> str:
    """Return how the next reply changes an action, as the end of a sentence, or ""."""
    if after.type != before.type:
        return f"; the model's next reply says {after.type} instead"
    if after.content != before.content:
        old = before.content or ""
        new = after.content or ""
        difference = _first_difference(old, new)
        return f"; the model's next reply changes its content {difference}"
    for name in ("dependencies", "attributes", "edits"):
        if getattr(after, name) != getattr(before, name):
            return f"; the model's next reply changes its {name}"
    return ""


def _first_difference(before: str, after: str) -> str:
    old = before.split("\n")
    new = after.split("\n")
    for number, (first, second) in enumerate(zip(old, new, strict=False), 1):
        if first != second:
            shown = first[:_MAX_SHOWN]
            later = second[:_MAX_SHOWN]
            return f"on line {number}: {shown!r} became {later!r}"
    # One of them is the beginning of the other.
    count = counted(len(old), "line")
    return f"after line {min(len(old), len(new))}: it had {count}, now {len(new)}"


def is_better(new: Result, old: Result) -> bool:
    """Return whether a later result is better than an earlier one.

    It is if it is acceptable and the other is not; else if it has fewer broken parts; else if it is
    surer; else if it has more actions.
    """
    return _rank(new) > _rank(old)


def _rank(result: Result) -> tuple[bool, int, float, int]:
    actions = result.document.actions
    broken = [action for action in actions if action.completeness is not Completeness.COMPLETE]
    faults = len(broken) + len(find_errors(result))
    is_usable = is_acceptable(result.document)
    return is_usable, -faults, result.confidence, len(actions)
