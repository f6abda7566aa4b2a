"""Tasks of judgment: a report, the rules at the end of a step, and the one that holds. YAML, several to a file."""

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
        """A hash of all that it says."""
        return identify(**write_object(self))


def load_judgments(selection: Sequence[str] = (), folder: str | Path | None = None) -> tuple[JudgmentTask, ...]:
    """Return the tasks whose names match some names or globs, all without any; by file and in their order.

    Raises `SymOpsError` with the place for a wrong file, and for a selection without a task.
    """
    paths = sorted(Path(folder or find_folder("benchmarks/judgments")).glob("*.yaml"))
    tasks = [task for path in paths for task in _read(path)]
    for wanted in selection:
        if not any(fnmatchcase(task.name, wanted) for task in tasks):
            raise SymOpsError(f"no task of judgment is called {wanted!r}; there are {', '.join(t.name for t in tasks)}")
    return tuple(task for task in tasks if not selection or any(fnmatchcase(task.name, each) for each in selection))


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
    given = file.get(keys)
    rules, answer = given["rules"], given["answer"]
    if not isinstance(rules, list) or len(rules) < 2 or not all(isinstance(rule, str) and rule for rule in rules):
        raise file.fail((*keys, "rules"), "rules is a list of two or more texts")
    if isinstance(answer, bool) or not isinstance(answer, int) or not 1 <= answer <= len(rules):
        raise file.fail((*keys, "answer"), f"answer is the number of a rule, from 1 to {len(rules)}")
    file.text((*keys, "report"))
    return JudgmentTask(name, language, file.text((*keys, "step")), given["report"], tuple(rules), answer - 1)
