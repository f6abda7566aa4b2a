"""Plan what a document does to a folder: changes, their order, and conflicts.

Purpose
    `plan` is pure: it looks at a tree and returns a `Plan`. `acting.execution.apply` carries it
    out.

Invariants
    1. The path of each change is below the root (`tests/acting/test_attacks.py`).
    2. The same document, tree and policy give the same plan.
    3. What an action cannot do is a conflict, and a plan with conflicts is not carried out.
    4. Nothing is planned for a path that is refused, and no message shows a part of such a file.

Theory of operation
    steps      verbs and targets of the actions, without any file             `steps`
    needs      dependencies, earlier actions on a file, commands after files  `order`
    changes    each file is followed through the actions on it                `planner`, `places`
    decisions  automatic, ask or refuse, with reasons                         `policy`

Not here
    Reading replies: the document is finished. Files: `acting.files`. The gate of a session:
    `code_intelligence.gate`, which comes in as a function.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike

from ...core.document import Document
from ...core.grammar.loading import Format
from ...core.ground.logs import log_event
from ...core.ground.numbers import counted
from ...core.text.diagnostics import Diagnostic, Severity
from ...core.text.source import Span
from ...core.unfinished import read_marks
from ..changes import Gate, Plan
from ..files.view import AnyTree, FolderView
from .patches import split_patches
from .places import Places
from .planner import Planner
from .policy import Policy

# Dependencies for each action that `max_actions` allows. Real documents have one or two; sorting
# takes time for each of them.
_MAX_DEPENDENCIES_PER_ACTION = 20


def plan(
    document: Document,
    tree: AnyTree,
    policy: Policy | None = None,
    gate: Gate | None = None,
    format: Format = None,
    *,
    shown: Mapping[str, str | bytes] | None = None,
    above: str = "",
) -> Plan:
    """Return what a document does to a folder or a tree.

    Args:
        document: The document.
        tree: The path of a folder, or a `Tree`.
        policy: Which changes are automatic, asked about or refused. None: the defaults.
        gate: A function of the document and the plan that returns further diagnostics: errors
            become conflicts, others notes. None: no further ones.
        format: The dialect that defines what verbs do: a name, or the path of a grammar. None:
            that of the document, else v2.
        shown: The texts of files that the model saw, by path. A whole new text, or a range of line
            numbers, is asked about if the file differs from that by now.
        above: The path of the folder, or the end of it, with a slash at its end, if the policy's
            globs also match the names in it: `.ssh/`. Empty: they match paths below the folder
            alone.

    Returns:
        The changes in running order, the conflicts, and notes.

    Raises:
        WorkspaceError: There is no such folder.
    """
    policy = policy or Policy()
    document, patches = split_patches(read_marks(document))
    excess = _find_excess(document, policy)
    if excess is not None:
        return Plan((), (excess,))
    if isinstance(tree, str | PathLike):
        tree = FolderView(tree, policy.max_file_bytes)
    planner = Planner(document, Places(tree), policy, format, patches, shown or {}, above)
    result = planner.plan()
    counts = {"changes": len(result.changes), "conflicts": len(result.conflicts)}
    log_event("workspace", "info", "plan", possible=result.possible, **counts)
    # A gate only adds to the plan: it sees conflicts, and cannot remove one.
    if gate is None:
        return result
    conflicts = list(result.conflicts)
    notes = list(result.notes)
    for diagnostic in gate(document, result):
        is_error = diagnostic.severity is Severity.ERROR
        (conflicts if is_error else notes).append(diagnostic)
    return replace(result, conflicts=tuple(conflicts), notes=tuple(notes))


def _find_excess(document: Document, policy: Policy) -> Diagnostic | None:
    """Return the limit of the policy that a document exceeds, or None."""
    actions = document.actions
    if len(actions) > policy.max_actions:
        action_count = counted(len(actions), "action")
        return _too_much(
            actions[policy.max_actions].span,
            f"the document has {action_count}, the limit is {policy.max_actions:,}",
            "split it, or raise the limit `max_actions`",
        )
    dependency_count = sum(len(action.dependencies) for action in actions)
    max_dependencies = _MAX_DEPENDENCIES_PER_ACTION * policy.max_actions
    if dependency_count > max_dependencies:
        dependencies = counted(dependency_count, "dependency", "dependencies")
        return _too_much(
            actions[0].span,
            f"{dependencies}, the limit is {max_dependencies:,}",
            "name only what must come before",
        )
    # Never more characters than bytes: a cheap test, and the exact size is checked for each file.
    size = sum(len(action.content or "") for action in actions)
    if size > policy.max_total_bytes:
        limit = counted(policy.max_total_bytes, "byte")
        return _too_much(
            actions[0].span,
            f"the contents have {counted(size, 'character')}, the limit is {limit}",
            "split it, or raise `max_total_bytes`",
        )
    return None


def _too_much(span: Span, message: str, hint: str) -> Diagnostic:
    return Diagnostic("too-much", message, span, hint=hint)
