"""What was got against what was meant, action by action."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...core.document import Action, Completeness, Document
from ...core.ground.members import coerce_members
from ...core.text.diagnostics import Diagnostic, Severity
from .faults.mistakes import Expected
from .faults.phrases import SYNONYMS

SURE = 0.9  # the confidence from which on nobody is asked any more
_CANONICAL = {word: verb for verb, words in SYNONYMS.items() for word in words}
Pair = tuple[Expected | None, Action | None]  # what was meant and what came of it; None where nothing answers to it


def differences(expected: Expected, got: Action) -> list[str]:
    """Name the parts in which a got action differs from the expected one."""
    found = []
    if got.type != expected.type and _CANONICAL.get(got.type, got.type) != expected.type:
        found.append("type")
    if expected.partial and (got.content is None or not expected.wholes):
        return found if expected.path.startswith(got.path) else [*found, "path"]
    if got.path != expected.path:
        found.append("path")
    whole = got.content in expected.wholes
    if got.content not in expected.contents and not whole:
        found.append("content")
    if tuple(got.dependencies) != expected.dependencies:
        found.append("dependencies")
    if expected.cut and not whole and got.completeness is Completeness.COMPLETE:
        found.append("completeness")
    return found


def fits(expected: Expected, got: Action) -> bool:
    """Return whether a got action is exactly what was meant."""
    return not differences(expected, got)


def is_right(expected: Expected | None, got: Action | None) -> bool:
    """Return whether a pair is as it was meant: the same, or missing where it may be."""
    if expected is None:
        return False
    return fits(expected, got) if got is not None else not expected.required


def _likeness(expected: Expected, got: Action) -> int:
    """How surely a got action stands for an expected one; 0 means not at all."""
    if fits(expected, got):
        return 1000
    score = 100 if got.path == expected.path else 0
    if got.content and got.content in expected.contents:
        score += 100
    elif got.content and expected.contents[0]:
        lines = set(filter(str.strip, expected.contents[0].split("\n")))
        same = lines.intersection(got.content.split("\n"))
        score += 50 if len(same) * 2 > len(lines) else 0
    if not score and expected.path in got.path:
        score += 20
    return score + int(score > 0 and got.type == expected.type)


def align(expected: Sequence[Expected], got: Sequence[Action]) -> list[Pair]:
    """Pair expected with got actions in order, as alike as can be; what is left over stands alone."""
    rows, columns = len(expected), len(got)
    if rows == columns and all(map(fits, expected, got)):
        return list(zip(expected, got, strict=True))
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    score = [[_likeness(e, g) for g in got] for e in expected]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            pair = score[i][j] + best[i + 1][j + 1] if score[i][j] else 0
            best[i][j] = max(pair, best[i + 1][j], best[i][j + 1])
    pairs: list[Pair] = []
    i = j = 0
    while i < rows or j < columns:
        if i < rows and j < columns and score[i][j] and best[i][j] == score[i][j] + best[i + 1][j + 1]:
            pairs.append((expected[i], got[j]))
            i, j = i + 1, j + 1
        elif i < rows and (j == columns or best[i][j] == best[i + 1][j]):
            pairs.append((expected[i], None))
            i += 1
        else:
            pairs.append((None, got[j]))
            j += 1
    return pairs


def is_flagged(action: Action, diagnostics: Sequence[Diagnostic]) -> bool:
    """Return whether a warning or an error lies on an action. A note only tells what was done: it warns of nothing."""
    warnings = (item for item in diagnostics if item.severity is not Severity.NOTE)
    return any(item.span.overlaps(action.span) for item in warnings)


def raises_alarm(action: Action, diagnostics: Sequence[Diagnostic]) -> bool:
    """Return whether whoever reads an action is warned: it is not sure of itself, or something is said about it."""
    is_sure = action.confidence >= SURE and action.completeness is Completeness.COMPLETE
    return not is_sure or is_flagged(action, diagnostics)


def tells_loss(got: Sequence[Action], diagnostics: Sequence[Diagnostic], confidence: float | None) -> bool:
    """Return whether whoever reads a document is warned that something is missing in it.

    It has little `confidence` in itself, or a warning lies elsewhere than inside an action that came out.
    """
    if confidence is not None and confidence < SURE:
        return True
    spans = [action.span for action in got]
    warnings = [item.span for item in diagnostics if item.severity is not Severity.NOTE]
    return any(not any(own.start <= it.start and it.end <= own.end for own in spans) for it in warnings)


def complain(expected: Expected | None, got: Action, diagnostics: Sequence[Diagnostic]) -> str:
    """Return what is wrong with an action that raises no alarm; empty if nothing is, or one is raised."""
    parts = differences(expected, got) if expected is not None else ["invented"]
    if not parts or raises_alarm(got, diagnostics):
        return ""
    return f"{got.type} {got.path}: {', '.join(parts)} wrong at confidence {got.confidence:.2f}"


class State(StrEnum):
    """What became of what a writer meant, the best first; the second to the fourth are wrong with an alarm."""

    RIGHT = "right"  # every action as it was meant, and no other
    SUPERSET = "superset"  # and others beside them, which raise an alarm
    PATHS_ONLY = "paths-only"  # the right files, with contents that raise an alarm
    PARTIAL = "partial"  # some of it; what is wrong raises an alarm
    NO_ANSWER = "no-answer"  # nothing was accepted
    WRONG = "wrong-without-alarm"  # an action is wrong, invented or lost, and nothing says so


@dataclass(frozen=True, slots=True)
class Fidelity:
    """A document against what was meant, in numbers of actions.

    `right + changed + lost` are the actions that were meant (without those that may be missing and are), `invented`
    stand for none of them; `changed` have another verb, path, content or dependency, `contents` of them the content.
    `silent` says what is wrong with actions that raise no alarm, one text each, `unsaid` which actions are lost
    where nothing says that something is.
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
    """Return what became of what was meant; None for a document means that nothing was accepted.

    Diagnostics whose codes are `usual`, as the undamaged text draws them too, warn about nothing. `confidence` is that
    of the document, if its reader has an opinion.
    """
    required = sum(item.required for item in expected)
    if document is None or (not document.actions and required):
        return Fidelity(State.NO_ANSWER, lost=required)
    telling = [item for item in diagnostics if item.code not in usual]
    pairs = align(expected, document.actions)
    both = [(meant, got) for meant, got in pairs if meant is not None and got is not None]
    wrong = [differences(meant, got) for meant, got in both if not fits(meant, got)]
    lost = [meant for meant, got in pairs if got is None and meant is not None and meant.required]
    invented = sum(meant is None for meant, _ in pairs)
    silent = tuple(filter(None, (complain(meant, got, telling) for meant, got in pairs if got is not None)))
    said = tells_loss(document.actions, telling, confidence)
    unsaid = () if said else tuple(f"{item.type} {item.path}: lost, and nothing says so" for item in lost)
    contents = sum("content" in parts for parts in wrong)
    counts = (len(both) - len(wrong), len(wrong), contents, len(lost), invented, silent, unsaid)
    if silent or unsaid:
        return Fidelity(State.WRONG, *counts)
    if not wrong and not lost:
        return Fidelity(State.SUPERSET if invented else State.RIGHT, *counts)
    right_files = not lost and not invented and all({"type", "path"}.isdisjoint(parts) for parts in wrong)
    return Fidelity(State.PATHS_ONLY if right_files else State.PARTIAL, *counts)
