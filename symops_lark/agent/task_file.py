"""Read tasks from YAML files such as `TASK.yaml`; their keys are the fields of `Task`.

A file says what is to be done. Whether files are written, whether commands run without a sandbox,
and which object verifies replies is for the caller to say: the file may come from a repository.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..acting.plan.policy_file import load_policy
from ..answers.judgment import load_rules
from ..core.ground.errors import SymOpsError
from ..core.ground.json_objects import read_object
from ..core.text.yaml_file import YamlFile
from .task import WRONG, Task

MAX_BYTES = 1_000_000
_CALLERS = ("write", "run_code", "keep_prompts", "verifier")
_KEYS = tuple(name for name in Task.__dataclass_fields__ if name not in _CALLERS)


def _load_closed_rules(path: Path) -> Any:
    # A run follows rules, so each `next` must lead somewhere.
    return load_rules(path, closed=True)


# Keys whose value is the name of a file, beside the task's.
_LOADERS: dict[str, Callable[[Path], Any]] = {"policy": load_policy, "rules": _load_closed_rules}


class TaskError(SymOpsError):
    """A file of a task is wrong; the message begins with `file:line:column:` if it has a place."""


def load_task(path: str | Path, **changes: Any) -> Task:
    """Read a task from a file.

    Args:
        path: A YAML file whose keys are fields of `Task`. `root`, `policy` and `rules` are paths,
            relative to the folder of the file; `root` is that folder by default.
        changes: Fields that win over those of the file.

    Raises:
        SymOpsError: A file cannot be read, or the task is wrong.
    """
    file = YamlFile(path, "task", TaskError, MAX_BYTES, _KEYS)
    file.check_keys((), (), _KEYS)
    folder = Path(path).parent
    members = {"request": "", "root": ".", **file.data}
    members |= {name: changes[name] for name in ("request",) if name in changes}
    # These need each other, or are no JSON: they are set when the others are right.
    later: dict[str, Any] = {}
    for name, load in _LOADERS.items():
        if members.pop(name, None) is not None:
            later[name] = load(folder / file.text((name,)))
    if members.pop("step", None) is not None:
        later["step"] = file.text(("step",))
    try:
        task = read_object(Task, members)
        root = str(folder / task.root)
        task = replace(task, root=root, **later)
    except SymOpsError as error:
        message = str(error).removeprefix(WRONG)
        # `limits.seconds: …`, `tests[0]: …`; the keys are those of the file.
        keys = re.split(r"[.\[\]]+", message.partition(":")[0])
        raise file.fail(tuple(filter(None, keys)), message) from None
    return replace(task, **changes)
