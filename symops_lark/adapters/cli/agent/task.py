"""The task of `symops do`: from its options, from a file, or what they change of a run's."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..documents import read_json
from ..models.prompt import read_request
from ..options import find_given
from ..texts import read_text

if TYPE_CHECKING:
    from ....agent import Limits, Task
    from ....routing.contests.contest import Judging

# The options that are fields of `Task`.
_FIELDS = (
    "root",
    "explore",
    "format",
    "context_tokens",
    "tests",
    "needs",
    "step",
    "rounds",
    "level",
)
# What a run has done so far rests on these: another value would change the past.
_SETTLED = (*[name for name in _FIELDS if name != "root"], "task", "frame", "rules", "policy")


def load_verifier(file: str | None) -> Judging | None:
    """Return the verifier of a JSON file; None without a file.

    Raises:
        SymOpsError: The file is wrong.
    """
    from ....core.ground.json_objects import read_object
    from ....routing.contests.contest import Judge
    from ....routing.manifests.manifest import VerifierChoice
    from ....routing.verifiers import Surroundings, check_condition, make_check

    if file is None:
        return None
    chosen = read_object(VerifierChoice, read_json(read_text(file)), "verifier")
    # A condition that names no fact is an error now, not a failure of every reply.
    check = make_check(chosen.type, chosen.config, "config")
    check_condition(chosen.pass_condition, check)
    # Programs of a verifier run in the sandbox alone, as everywhere in routing.
    return Judge(check, chosen.pass_condition, Surroundings(run_code=True))


def make_task(words: tuple[str, ...], settings: dict[str, Any], own: dict[str, Any]) -> Task:
    """Return the task of the options, or of a file with the options that were given.

    Args:
        words: The request.
        settings: The options.
        own: Further fields of the task.

    Raises:
        SymOpsError: A value or a file is wrong.
    """
    from ....acting.plan.policy_file import load_policy
    from ....agent import Limits, Task, load_task
    from ....answers.judgment import load_rules

    file = settings["task"]
    flags = find_given(click.get_current_context())
    fields = dict(own)
    for name in _FIELDS:
        # Defaults of options do not win over a file.
        if file is None or name in flags:
            fields[name] = settings[name]
    # Rules are followed here, so each `next` must lead somewhere.
    if settings["rules"] is not None:
        fields["rules"] = load_rules(settings["rules"], closed=True)
    if settings["frame"] is not None:
        fields["frame"] = read_json(read_text(settings["frame"]))
    if settings["policy"] is not None:
        fields["policy"] = load_policy(settings["policy"])
    if words or file is None:
        fields["request"] = read_request(words)
    if file is None:
        limits = Limits(seconds=settings["time_limit"], tokens=settings["token_limit"])
        return Task(limits=limits, **fields)
    task = load_task(file, **fields)
    return replace(task, limits=_change_limits(task.limits, settings, flags))


def _change_limits(limits: Limits, settings: dict[str, Any], flags: Collection[str]) -> Limits:
    """Return limits with those that the command line has."""
    changes = {}
    for option, name in (("time_limit", "seconds"), ("token_limit", "tokens")):
        if option in flags:
            changes[name] = settings[option]
    return replace(limits, **changes)


def read_changes(
    run_id: str, log: str | None, settings: dict[str, Any], own: dict[str, Any]
) -> dict[str, Any]:
    """Return what the options change of the task of a run, as JSON.

    Args:
        run_id: The run.
        log: The folder of runs.
        settings: The options.
        own: The options without a value; those that are given stay true.

    Raises:
        UsageError: An option would change what the run has done.
        SymOpsError: There is no such run.
    """
    from ....agent import read_run
    from ....core.ground.json_objects import write_object

    flags = find_given(click.get_current_context())
    for name in _SETTLED:
        if name in flags:
            raise click.UsageError(f"--resume continues a run, which has its {flags[name]} already")
    # What was true for the run stays true.
    changes: dict[str, Any] = {name: True for name, value in own.items() if value}
    if "time_limit" in flags or "token_limit" in flags:
        task = read_run(run_id, settings["root"], log).task
        changes["limits"] = write_object(_change_limits(task.limits, settings, flags))
    return changes
