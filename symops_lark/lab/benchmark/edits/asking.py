"""Ask a model to do the tasks in all ways. A log keeps each reply, so a run can be resumed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ..case_log import load_live, make_head, open_cases
from ..records import Provenance
from ..settings import RunSettings
from .running import Encodings, Trial, ask
from .tasks import EditTask

_SIGN = "symops_edits"


def ask_model(
    settings: RunSettings,
    tasks: Sequence[EditTask],
    encodings: Encodings,
    out: str | Path,
    watch: Callable[[int, int], object] = lambda done, total: None,
) -> tuple[Provenance, tuple[Trial, ...]]:
    """Ask for the trials that the log does not have, and return all trials.

    Args:
        settings: The settings of the run. Its formats are the arms.
        tasks: The tasks.
        encodings: The tokenizers, by name.
        out: The path of the log.
        watch: Gets the number of trials that are done, and the number of all trials.

    Returns:
        The provenance of the replies, and the trials, task by task.

    Raises:
        SymOpsError: The source asks no model, or the log belongs to another run.
    """
    settings = settings.dated()
    source = load_live(settings)
    # A hash of each task is enough: no reply is judged again from the log.
    head = make_head(_SIGN, settings, source.provenance, [task.fingerprint for task in tasks])
    trials = []
    total = len(tasks) * len(settings.formats)
    with open_cases(Path(out), head, _SIGN, Trial) as (cases, append):
        logged = {(trial.task, trial.arm): trial for trial in cases}
        for task in tasks:
            for arm in settings.formats:
                trial = logged.get((task.fingerprint, arm))
                if trial is None:
                    trial = ask(task, arm, source.model, encodings)
                    append(trial)
                trials.append(trial)
                watch(len(trials), total)
    return source.provenance, tuple(trials)
