"""Ask a model to do the tasks in all ways. A log keeps each reply, so a run can be resumed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ....core.ground.errors import SymOpsError
from ....core.ground.json_lines import open_lines, split_lines
from ....core.ground.json_objects import read_object
from ..records import Provenance
from ..runner import tell_package
from ..settings import RunSettings
from ..sources import load_source
from ..sources.live import LiveSource
from .running import Encodings, Trial, ask
from .tasks import EditTask

# The key of the first line of a log, and the version of the log.
_SIGN = "symops_edits"
_VERSION = 1
_IN_USE = "another run writes to this log: wait for it, or name another --out"


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
    date = settings.date or datetime.now(UTC).date().isoformat()
    dated = replace(settings, date=date)
    source = load_source(dated)
    if not isinstance(source, LiveSource):
        message = f"the source {settings.source!r} asks no model"
        raise SymOpsError(f"{message}: name a model as PROVIDER:MODEL")
    head = {
        _SIGN: _VERSION,
        "provenance": source.provenance.to_dict(),
        "settings": dated.to_dict(),
        "tasks": [task.fingerprint for task in tasks],
        "package": tell_package(),
    }
    path = Path(out)
    trials = []
    total = len(tasks) * len(settings.formats)
    with open_lines(path, _IN_USE) as file:
        lines, _ = split_lines(file.data)
        # A line that a killed process left is asked for again.
        file.cut()
        logged = {(trial.task, trial.arm): trial for trial in _read(path, lines, head)}
        if not lines:
            file.append(head)
        for task in tasks:
            for arm in settings.formats:
                trial = logged.get((task.fingerprint, arm))
                if trial is None:
                    trial = ask(task, arm, source.model, encodings)
                    # Written at once: an interrupted run asks nothing twice.
                    file.append(trial.to_dict())
                trials.append(trial)
                watch(len(trials), total)
    return source.provenance, tuple(trials)


def _read(path: Path, lines: Sequence[bytes], head: Mapping[str, Any]) -> list[Trial]:
    """Return the trials of a log.

    Raises:
        SymOpsError: A line is damaged, or the log belongs to another run.
    """
    if not lines:
        return []
    _check_head(path, lines[0], head)
    trials = []
    for number, line in enumerate(lines[1:], 2):
        try:
            trials.append(read_object(Trial, json.loads(line)))
        except ValueError as error:
            raise SymOpsError(f"{path}:{number}: this line is damaged: {error}") from None
    return trials


def _check_head(path: Path, line: bytes, head: Mapping[str, Any]) -> None:
    """Raise an error unless the first line of a log belongs to this run."""
    try:
        logged = json.loads(line)
    except ValueError:
        logged = None
    if not isinstance(logged, dict) or logged.get(_SIGN) != _VERSION:
        raise SymOpsError(f"{path}:1: this file was not written by `symops bench edits`")
    # Tuples of the settings are lists in the log.
    expected = json.loads(json.dumps(head))
    for settings in (logged.get("settings"), expected["settings"]):
        if isinstance(settings, dict):
            # A run may be resumed on another day.
            settings["date"] = ""
    for name in ("tasks", "settings", "package"):
        if logged.get(name) != expected[name]:
            message = f"this log belongs to another run ({name} differ)"
            raise SymOpsError(f"{path}: {message}: write to another file (--out)")
