"""Try a plan in a copy of a checkout, so that the checkout itself does not change."""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory

from .changes import Change, Operation, Plan
from .commands.scratch import copy_checkout
from .execution import apply


def is_file_change(change: Change) -> bool:
    """Return whether a change is one of files, and not a command."""
    return change.operation is not Operation.RUN


def try_plan(plan: Plan, checkout: str | os.PathLike[str]) -> bool:
    """Return whether the files of a plan can be changed. Its commands are not run.

    Args:
        plan: The plan, which was made for the checkout.
        checkout: The folder, which is copied and does not change.

    Raises:
        WorkspaceError: The plan has conflicts, or the checkout is too large to be copied.
    """
    files = Plan(tuple(filter(is_file_change, plan.changes)), plan.conflicts)
    # Files that are left in the copy, such as a journal, go with it.
    with TemporaryDirectory(prefix="symops-trial-", ignore_cleanup_errors=True) as folder:
        copy_checkout(checkout, folder)
        return apply(files, folder, confirm=is_file_change).done
