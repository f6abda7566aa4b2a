"""The facts of an applied plan, for rules of judgment: how many commands failed, and so on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.ground.errors import SymOpsError

_PROBLEM = "the JSON of `symops apply --json` is expected, an object with `steps`"


def facts_of_outcome(outcome: object) -> dict[str, int | bool]:
    """Return the facts of the outcome of a plan.

    Args:
        outcome: The JSON values of `Outcome.to_dict`, as `symops apply --json` prints them.

    Returns:
        `passed`, `failed` and `total` count commands that ran, `changes` files that were changed,
        `declined` steps that were skipped; `timed_out` is whether a command took too long.

    Raises:
        SymOpsError: The value has no list of steps.
    """
    steps = outcome.get("steps") if isinstance(outcome, Mapping) else None
    if not isinstance(steps, list):
        raise SymOpsError(_PROBLEM)
    facts = dict.fromkeys(("passed", "failed", "changes", "declined"), 0)
    timed_out = False
    for step in steps:
        if not isinstance(step, Mapping):
            raise SymOpsError(_PROBLEM)
        facts[_kind_of(step)] += 1
        command = step.get("command")
        if isinstance(command, Mapping) and command.get("timed_out"):
            timed_out = True
    total = facts["passed"] + facts["failed"]
    return {**facts, "total": total, "timed_out": timed_out}


def _kind_of(step: Mapping[str, Any]) -> str:
    """Return the fact that counts a step."""
    status = step.get("status")
    if status == "skipped":
        return "declined"
    # Only a command has a result besides the status.
    if step.get("command") is None:
        return "changes" if status == "done" else "failed"
    return "passed" if status == "done" else "failed"
