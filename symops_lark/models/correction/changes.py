"""Find what a corrected reply changes besides the actions that were read with confidence.

An action that was broken may get another content, other dependencies and another place, and lose
what is around its path. There is a warning of all else.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass

from ...core.document import Action, Completeness, Document, ErrorNote, Question
from ...core.ground.numbers import counted
from ...core.result import Result
from ...core.text.diagnostics import Diagnostic, Severity
from ...core.text.source import Span
from .guard import pair

_PATH_MARKS = frozenset("/\\._-")  # characters that continue a path
_NOWHERE = Span(0, 0)  # of warnings about a section that the later reply lacks
_HINT = "compare the corrected reply with the first one, which is in the trace"


@dataclass(frozen=True, slots=True)
class Change:
    """A change that a correction of the format does not need.

    Attributes:
        code: `dropped-action`, `dropped-note`, `changed-action` or `added-action`.
        message: What was changed.
        action: The later action that was added or changed; None if something is missing.
    """

    code: str
    message: str
    action: Action | None = None

    def report(self) -> Diagnostic:
        """Return a warning of the change."""
        span = _NOWHERE
        if self.action is not None:
            span = self.action.span
        return Diagnostic(self.code, self.message, span, Severity.WARNING, hint=_HINT)


def find_changes(before: Result, after: Document, *, was_cut: bool) -> list[Change]:
    """Return the changes of a corrected reply.

    An action is missing, has another verb, or was truncated and has less content now. An action is
    added. There are fewer questions or error notes. Thoughts and vitals are not compared.

    Args:
        before: The result of the earlier reply.
        after: The document of the later reply.
        was_cut: Whether the earlier reply was truncated. More actions had to follow, so none of
            them is reported. Nor are they if no action was found in the earlier reply.
    """
    later = after.actions
    pairs = pair(before.document.actions, later)
    paired = {index for _, index in pairs}
    # By their verbs: a broken action with another path keeps its verb.
    added: dict[str, deque[Action]] = defaultdict(deque)
    for place, action in enumerate(later):
        if place not in paired:
            added[action.type].append(action)
    changes: list[Change] = []
    for action, index in pairs:
        candidates = added[action.type]
        if index is not None:
            changes += _compare(action, later[index])
        elif candidates and _has_in_path(action, candidates[0]):
            changes += _compare(action, candidates.popleft())
        else:
            message = f"{action.type} {action.path} is missing in the corrected reply"
            changes.append(Change("dropped-action", message))
    if pairs and not was_cut:
        for actions in added.values():
            for action in actions:
                message = f"{action.type} {action.path} is not in the reply that was corrected"
                changes.append(Change("added-action", message, action))
    changes += _compare_notes("question", before.document.questions, after.questions)
    changes += _compare_notes("error note", before.document.errors, after.errors)
    return changes


def _compare(before: Action, after: Action) -> Iterator[Change]:
    if after.type != before.type:
        message = f"{before.type} {before.path} became {after.type} {after.path}"
        yield Change("changed-action", message, after)
    elif before.completeness is Completeness.TRUNCATED:
        # What had arrived was not wrong.
        length = len(before.content or "")
        if len(after.content or "") < length:
            message = f"{after.type} {after.path} has less content than had arrived"
            yield Change("changed-action", message, after)


def _compare_notes(
    noun: str, before: tuple[Question | ErrorNote, ...], after: tuple[Question | ErrorNote, ...]
) -> Iterator[Change]:
    difference = len(before) - len(after)
    if difference > 0:
        message = f"the corrected reply lacks {counted(difference, noun)} of the first one"
        yield Change("dropped-note", message)


def _has_in_path(before: Action, after: Action) -> bool:
    """Return whether the path of a broken action is missing, or has the later path in it."""
    # Words, quotes and marks around a path may have been taken for a part of it.
    if not before.path or not after.path:
        return not before.path
    start, separator, end = before.path.partition(after.path)
    if not separator:
        return False
    for character in (start[-1:], end[:1]):
        if character.isalnum() or character in _PATH_MARKS:
            return False
    return True
