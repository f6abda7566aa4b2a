"""From a request to a logged, judged change, in one call.

    task = Task("checkout of an empty Cart fails: return 0", root="shop", tests=("pytest",))
    run = run_task(task, [("mine", model)])
    run.status, run.why, run.cost

A run looks at code, asks models, verifies their replies, chooses one, plans it, asks a person,
writes, tests and judges. Invariants: no file below the root changes before its event is in the log,
and none without `write`; a run is what its log says, so a run whose process was killed is continued
by `resume`, and no model is asked twice for a step that has its event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.ground import load_lazily

if TYPE_CHECKING:
    from .events import Event, Kind
    from .runs import Cost, Run, Status
    from .steps import read_run, resume, run_task
    from .task import Limits, Task
    from .task_file import load_task

__all__ = [
    "Cost",
    "Event",
    "Kind",
    "Limits",
    "Run",
    "Status",
    "Task",
    "load_task",
    "read_run",
    "resume",
    "run_task",
]
_HOMES = {
    "events": ("Event", "Kind"),
    "runs": ("Cost", "Run", "Status"),
    "steps": ("read_run", "resume", "run_task"),
    "task": ("Limits", "Task"),
    "task_file": ("load_task",),
}
__getattr__ = load_lazily(__name__, _HOMES)
