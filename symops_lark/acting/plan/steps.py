"""Read the steps of a plan from the actions of a document: verbs and targets.

No file is looked at. A step is an action whose verb is known and whose target is safe. Two steps
clash if their paths are one name on some system (`A.py` and `a.py`), or need one name as a file
and as a folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...core.document import Action
from ...core.grammar import codes
from ..changes import Operation
from ..files.entries import Kind
from ..files.paths import check_path, fold, folders_of
from .report import Report
from .warnings import advise

# Of the writing verbs the one that makes a file; all others change an existing one.
_CREATING = "create"
_MAX_SHOWN = 200  # characters of a path that a message shows
# For all paths of a reply: targets, and files that a patch moves.
UNSAFE_PATH = "unsafe-path"
PLAIN_PATH = "write a plain path below the root, with one slash between its parts"


@dataclass(frozen=True, slots=True)
class Step:
    """An action whose verb and target are sound.

    Attributes:
        number: The number of the action in the document, from 1.
        action: The action.
        operation: What it does.
        path: The target, relative to the root; empty for commands.
        doubts: Reasons to ask a person about the path.
        is_whole: Whether the content is the whole new text of the file, whatever it looks like.
    """

    number: int
    action: Action
    operation: Operation
    path: str = ""
    doubts: tuple[str, ...] = ()
    is_whole: bool = False

    @property
    def name(self) -> str:
        """The path, or the command line of a command."""
        return self.path or self.action.path


def read_steps(
    actions: Sequence[Action],
    verbs: Mapping[str, tuple[str, ...]],
    max_path_bytes: int,
    report: Report,
) -> Iterator[Step]:
    """Yield the steps of a document.

    Args:
        actions: The actions of the document.
        verbs: The verbs of its dialect by group: `running`, `writing`, `removing`, `further`.
        max_path_bytes: The highest length of a path, in bytes.
        report: Gets a conflict for each action that is not a step.

    Yields:
        The steps in the order of the actions.
    """
    for number, action in enumerate(actions, 1):
        if action.type in verbs["running"]:
            yield Step(number, action, Operation.RUN)
            continue
        operation = _operation(action.type, verbs)
        if operation is None:
            message = f"unknown verb {action.type!r}"
            report.add_conflict(codes.UNKNOWN_VERB, action, message, advise(action.type, verbs))
            continue
        checked = check_path(action.path, max_path_bytes)
        if checked.refusal:
            message = describe_unsafe(action.path, checked.refusal)
            report.add_conflict(UNSAFE_PATH, action, message, PLAIN_PATH)
            continue
        if operation is not Operation.DELETE and action.content is None:
            report.add_conflict(
                codes.MISSING_CONTENT,
                action,
                f"{action.type} {checked.path} has no content block",
                "an empty file has an empty block",
            )
            continue
        yield Step(number, action, operation, checked.path, checked.doubts)


def describe_unsafe(path: str, refusal: str) -> str:
    """Return the message on a path that is not used.

    Args:
        path: The path.
        refusal: Why it is not used.
    """
    return f"{path[:_MAX_SHOWN]!r} is not used as a path: {refusal}"


def _operation(verb: str, verbs: Mapping[str, tuple[str, ...]]) -> Operation | None:
    """Return what a verb does to a file; None if the dialect does not define it."""
    if verb in verbs["removing"]:
        return Operation.DELETE
    if verb in verbs["writing"]:
        return Operation.CREATE if verb == _CREATING else Operation.REPLACE
    return None


def find_clashes(steps: Sequence[Step], report: Report) -> set[int]:
    """Find steps whose path clashes with that of an earlier step.

    Args:
        steps: The steps of the document.
        report: Gets one conflict for each of them.

    Returns:
        The numbers of the later steps.
    """
    spellings: dict[str, str] = {}  # the first spelling of each path, by `fold(path)`
    kinds: dict[str, Kind] = {}  # by path, what the steps so far need there
    clashing = set()
    for step in steps:
        if step.path and _clashes(step, spellings, kinds, report):
            clashing.add(step.number)
    return clashing


def _clashes(step: Step, spellings: dict[str, str], kinds: dict[str, Kind], report: Report) -> bool:
    """Compare a path and the folders that it is in with those of earlier steps, and add them."""
    for path in (*folders_of(step.path), step.path):
        earlier = spellings.setdefault(fold(path), path)
        if earlier != path:
            report.add_conflict(
                "name-clash",
                step.action,
                f"{path} and {earlier} are one name where case or the form of characters is "
                "ignored",
                "use one spelling",
            )
            return True
        kind = Kind.FILE if path == step.path else Kind.FOLDER
        # Only a creation decides what a path is. The others need a file that exists, and a deletion
        # may make room for a folder; the tree is asked about both later.
        if step.operation is Operation.DELETE:
            continue
        if step.operation is Operation.REPLACE and kind is Kind.FILE:
            continue
        if kinds.setdefault(path, kind) is not kind:
            report.add_conflict(
                "file-and-folder",
                step.action,
                f"{path} is a file for one action and a folder for another",
                "choose another path for one of them",
            )
            return True
    return False
