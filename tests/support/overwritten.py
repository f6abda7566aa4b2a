"""Whether a plan would write something else than what an edit means, and ask nobody."""

from __future__ import annotations

from edit_changes import BOM, Change, plain
from trees import MemoryTree, document, edit

from symops_lark import Policy, plan
from symops_lark.acting.changes import Decision


def is_overwritten(
    change: Change, content: str, policy: Policy | None = None, *, ending: str = "\n", bom: bool = False
) -> bool:
    """Plan an edit of a file with such endings; True if another text than the meant one is written by itself."""
    before = BOM * bom + change.before.replace("\n", ending).encode()
    planned_changes = plan(document(edit(change.path, content)), MemoryTree({change.path: before}), policy)
    return any(
        step.decision is Decision.AUTO and plain(step.after or b"") != plain(change.after.encode())
        for step in planned_changes.changes
    )
