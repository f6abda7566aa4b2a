"""Compare the actions of a document with the intended ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest

from ...core.document import Action, Completeness, Document
from ...core.ground.members import coerce_members
from ...core.text.diagnostics import Diagnostic, Severity
from .faults.mistakes import Expected
from .faults.phrases import SYNONYMS

SURE = 0.9  # with this confidence or more, no person is asked
_CANONICAL = {word: verb for verb, words in SYNONYMS.items() for word in words}
# An intended action and the one that was read; None if there is no counterpart.
Pair = tuple[Expected | None, Action | None]


def differences(expected: Expected, got: Action) -> list[str]:
    """Return the names of the parts in which an action differs from the expected one."""
    parts = []
    if expected.type not in (got.type, _CANONICAL.get(got.type)):
        parts.append("type")
    # Of an action that was cut off in its path, only the beginning of that is in the text.
    if expected.partial and (got.content is None or not expected.wholes):
        if not got.path or not expected.path.startswith(got.path):
            parts.append("path")
        if got.content not in (None, "", *expected.contents):
            parts.append("content")
        if got.path != expected.path and got.completeness is Completeness.COMPLETE:
            parts.append("completeness")
        return parts
    if got.path != expected.path:
        parts.append("path")
    is_complete = got.content in expected.wholes
    # After a cut, a model that was asked to continue may have given the complete content.
    if got.content not in expected.contents and not is_complete:
        parts.append("content")
    # The order of dependencies matters: it is that of the text.
    if tuple(got.dependencies) != expected.dependencies:
        parts.append("dependencies")
    if expected.cut and not is_complete and got.completeness is Completeness.COMPLETE:
        parts.append("completeness")
    return parts


def fits(expected: Expected, got: Action) -> bool:
    """Return whether an action is exactly the expected one."""
    return not differences(expected, got)


def is_right(expected: Expected | None, got: Action | None) -> bool:
    """Return whether a pair is as intended: the same, or missing where that is allowed."""
    if expected is None:
        return False
    if got is None:
        return not expected.required
    return fits(expected, got)


def _similarity(expected: Expected, got: Action) -> int:
    """Return a score for how probably an action is the expected one; 0 means that it is not."""
    if fits(expected, got):
        return 1000
    # The same path or content weighs more than anything else.
    score = 100 if got.path == expected.path else 0
    if got.content and got.content in expected.contents:
        score += 100
    elif got.content and expected.contents[0]:
        lines = set(filter(str.strip, expected.contents[0].split("\n")))
        common = lines.intersection(got.content.split("\n"))
        if len(common) * 2 > len(lines):
            score += 50
    if not score and expected.path in got.path:
        score = 20
    # The verb decides only between actions that are otherwise equally similar.
    return score + int(score > 0 and got.type == expected.type)


def align(expected: Sequence[Expected], got: Sequence[Action]) -> list[Pair]:
    """Pair expected actions with those that were read, in order.

    The pairs have the greatest sum of similarities (the algorithm of Needleman and Wunsch, without
    a cost of gaps). Actions without a counterpart are paired with None.
    """
    rows = len(expected)
    columns = len(got)
    # The usual case takes linear time.
    if rows == columns and all(map(fits, expected, got)):
        return list(zip(expected, got, strict=True))
    score = {}
    # The greatest sum for the actions from a row and a column on; 0 after the last ones.
    best: Counter[tuple[int, int]] = Counter()
    for i in reversed(range(rows)):
        for j in reversed(range(columns)):
            score[i, j] = _similarity(expected[i], got[j])
            best[i, j] = max(best[i + 1, j], best[i, j + 1])
            if score[i, j]:
                best[i, j] = max(best[i, j], score[i, j] + best[i + 1, j + 1])
    pairs: list[Pair] = []
    i = j = 0
    while i < rows and j < columns:
        if score[i, j] and best[i, j] == score[i, j] + best[i + 1, j + 1]:
            pairs.append((expected[i], got[j]))
            i += 1
            j += 1
        elif best[i, j] == best[i + 1, j]:
            pairs.append((expected[i], None))
            i += 1
        else:
            pairs.append((None, got[j]))
            j += 1
    # One of the two has no actions left.
    return [*pairs, *zip_longest(expected[i:], ()), *zip_longest((), got[j:])]


def is_flagged(action: Action, diagnostics: Sequence[Diagnostic]) -> bool:
    """Return whether a warning or an error is about an action; a note is not a warning."""
    return any(item.span.overlaps(action.span) for item in _warnings(diagnostics))


def _warnings(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    return [item for item in diagnostics if item.severity is not Severity.NOTE]


def raises_alarm(action: Action, diagnostics: Sequence[Diagnostic]) -> bool:
    """Return whether an action warns its reader, by its confidence or by a finding."""
    is_certain = action.confidence >= SURE and action.completeness is Completeness.COMPLETE
    return not is_certain or is_flagged(action, diagnostics)


def tells_loss(
    got: Sequence[Action], diagnostics: Sequence[Diagnostic], confidence: float | None
) -> bool:
    """Return whether a document warns its reader that something is missing.

    Args:
        got: Its actions.
        diagnostics: Its findings. A warning outside of the actions may be about a missing one.
        confidence: Its confidence; None if the reader has no opinion.
    """
    if confidence is not None and confidence < SURE:
        return True
    spans = [action.span for action in got]
    for item in _warnings(diagnostics):
        span = item.span
        # Inside an action, a warning is about this action.
        if not any(own.start <= span.start and span.end <= own.end for own in spans):
            return True
    return False


class State(StrEnum):
    """The result of a reply, the best first. The second to the fourth are wrong with an alarm."""

    RIGHT = "right"  # every action as intended, and no other
    SUPERSET = "superset"  # also others, which raise an alarm
    PATHS_ONLY = "paths-only"  # the right files, with contents that raise an alarm
    PARTIAL = "partial"  # some of it; each wrong action raises an alarm
    NO_ANSWER = "no-answer"  # no document was accepted
    WRONG = "wrong-without-alarm"  # an action is wrong, invented or lost without any alarm


@dataclass(frozen=True, slots=True)
class Fidelity:
    """A document compared with the intention, in numbers of actions.

    Attributes:
        state: The result.
        right: Intended actions that were read as intended. With `changed` and `lost`, these are
            all intended actions, except those that may be missing and are.
        changed: Intended actions with another verb, path, content or dependency.
        contents: Changed actions with another content.
        lost: Intended actions that are missing.
        invented: Actions that were not intended.
        silent: What is wrong with each action that raises no alarm.
        unsaid: The lost actions, if no finding reports a loss.
    """

    state: State
    right: int = 0
    changed: int = 0
    contents: int = 0
    lost: int = 0
    invented: int = 0
    silent: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        coerce_members(self)


def assess(
    expected: Sequence[Expected],
    document: Document | None,
    diagnostics: Sequence[Diagnostic] = (),
    usual: Collection[str] = (),
    confidence: float | None = None,
) -> Fidelity:
    """Compare a document with the intention.

    Args:
        expected: The intended actions.
        document: The document; None if none was accepted.
        diagnostics: Its findings.
        usual: Codes of findings that do not warn, since the undamaged text has them, too.
        confidence: The confidence of the document, if its reader has an opinion.
    """
    # A document without actions is right if none was intended.
    required = sum(item.required for item in expected)
    if document is None or (not document.actions and required):
        return Fidelity(State.NO_ANSWER, lost=required)
    warnings = [item for item in diagnostics if item.code not in usual]
    right = invented = 0
    changed = []
    lost = []
    silent = []
    for item, action in align(expected, document.actions):
        if action is None:
            if item is not None and item.required:
                lost.append(item)
            continue
        parts = ["invented"] if item is None else differences(item, action)
        if not parts:
            right += 1
        elif not raises_alarm(action, warnings):
            silent.append(
                f"{action.type} {action.path}: {', '.join(parts)} wrong "
                f"at confidence {action.confidence:.2f}"
            )
        if item is None:
            invented += 1
        elif parts:
            changed.append(parts)
    unsaid = []
    if lost and not tells_loss(document.actions, warnings, confidence):
        unsaid = [f"{item.type} {item.path}: lost, and nothing says so" for item in lost]
    # A single action without an alarm decides, whatever the others are.
    if silent or unsaid:
        state = State.WRONG
    elif changed or lost:
        has_files = not lost and not invented and _has_right_files(changed)
        state = State.PATHS_ONLY if has_files else State.PARTIAL
    else:
        state = State.SUPERSET if invented else State.RIGHT
    return Fidelity(
        state,
        right=right,
        changed=len(changed),
        contents=sum("content" in parts for parts in changed),
        lost=len(lost),
        invented=invented,
        silent=tuple(silent),
        unsaid=tuple(unsaid),
    )


def _has_right_files(changed: Sequence[Sequence[str]]) -> bool:
    return all("type" not in parts and "path" not in parts for parts in changed)
