"""Tasks of judgment: a report, the rules at the end of a step, and the rule that holds.

They are defined in YAML, several in a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from ....answers.judgment.instructions import LANGUAGES
from ....core.ground.errors import SymOpsError
from ....core.ground.json_objects import write_object
from ....core.ground.resources import find_folder
from ....core.text.yaml_file import YamlFile
from ..records import identify

_KEYS = ("step", "report", "rules", "answer")


@dataclass(frozen=True, slots=True)
class JudgmentTask:
    """One task; `answer` is the index (from 0) of the rule that holds."""

    name: str
    language: str
    step: str
    report: str
    rules: tuple[str, ...]
    answer: int

    @property
    def fingerprint(self) -> str:
        """A hash of the complete task."""
        return identify(**write_object(self))


def load_judgments(
    selection: Sequence[str] = (), folder: str | Path | None = None
) -> tuple[JudgmentTask, ...]:
    """Return the tasks of a selection, by file and in their order.

    Args:
        selection: Names or globs of tasks; all tasks if it is empty.
        folder: The folder of the files; the built-in tasks by default.

    Raises:
        SymOpsError: A file is wrong (the message has the place), or nothing has a selected name.
    """
    paths = Path(folder or find_folder("benchmarks/judgments")).glob("*.yaml")
    tasks = []
    for path in sorted(paths):
        tasks += _read(path)
    if not selection:
        return tuple(tasks)
    names = [task.name for task in tasks]
    selected = set()
    for pattern in selection:
        # `fnmatchcase`: `fnmatch` ignores case on some systems.
        # A pattern without a task is an error: a misspelled name would go unnoticed.
        matches = [name for name in names if fnmatchcase(name, pattern)]
        if not matches:
            raise SymOpsError(
                f"no task of judgment is called {pattern!r}; there are {', '.join(names)}"
            )
        selected.update(matches)
    return tuple(task for task in tasks if task.name in selected)


def _read(path: Path) -> list[JudgmentTask]:
    file = YamlFile(path, "tasks")
    file.check_keys((), ("language", "tasks"))
    language = file.one_of(("language",), LANGUAGES)
    tasks = file.data["tasks"]
    if not isinstance(tasks, dict):
        raise file.fail(("tasks",), "tasks is a mapping from names to tasks")
    return [_read_task(file, language, name) for name in tasks]


def _read_task(file: YamlFile, language: str, name: object) -> JudgmentTask:
    if not isinstance(name, str):
        raise file.fail_at_key(("tasks", str(name)), "the name of a task is a text")
    keys = ("tasks", name)
    file.check_keys(keys, _KEYS)
    values = file.get(keys)
    rules = values["rules"]
    is_list = isinstance(rules, list) and len(rules) >= 2
    if not is_list or not all(isinstance(rule, str) and rule for rule in rules):
        raise file.fail((*keys, "rules"), "rules is a list of two or more texts")
    answer = values["answer"]
    # Files count rules from 1, as prompts do.
    # In YAML, `true` is a boolean, which Python counts as 1.
    is_number = isinstance(answer, int) and not isinstance(answer, bool)
    if not is_number or not 1 <= answer <= len(rules):
        raise file.fail(
            (*keys, "answer"), f"answer is the number of a rule, from 1 to {len(rules)}"
        )
    report = file.text((*keys, "report"))
    step = file.text((*keys, "step"))
    return JudgmentTask(name, language, step, report, tuple(rules), answer - 1)
