"""Logs of runs that can be resumed: JSON lines, a head first, then one line for each case.

The head has everything that decides about the cases, so that a log never mixes two kinds of runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from ...core.ground.errors import SymOpsError
from ...core.ground.json_lines import open_lines, split_lines
from ...core.ground.json_objects import JsonObject, read_object
from .records import Provenance
from .runner import tell_package
from .settings import RunSettings
from .sources import load_source
from .sources.live import LiveSource

_VERSION = 1
_IN_USE = "another run writes to this log: wait for it, or name another --out"
Case = TypeVar("Case", bound=JsonObject)


def make_head(
    sign: str, settings: RunSettings, provenance: Provenance, tasks: Sequence[object]
) -> dict[str, Any]:
    """Return the head of a log.

    Args:
        sign: The key that identifies logs of one command.
        settings: The settings of the run.
        provenance: The origin of the replies.
        tasks: What decides about each task, as JSON.
    """
    return {
        sign: _VERSION,
        "provenance": provenance.to_dict(),
        "tasks": list(tasks),
        "settings": settings.to_dict(),
        "package": tell_package(),
    }


def read_cases(
    path: Path, lines: Sequence[bytes], sign: str, kind: type[Case]
) -> tuple[dict[str, Any], list[Case]]:
    """Return the head and the cases of a log.

    Args:
        path: The path of the log, for messages.
        lines: Its lines.
        sign: The key that its head must have.
        kind: The class of a case.

    Raises:
        SymOpsError: It is another file, or a line is damaged. The message has the file and the
            line.
    """
    head = _read_head(path, lines[0] if lines else b"{}", sign)
    cases = []
    for number, line in enumerate(lines[1:], 2):
        try:
            cases.append(read_object(kind, json.loads(line)))
        except ValueError as error:
            raise SymOpsError(f"{path}:{number}: this line is damaged: {error}") from None
    return head, cases


def _read_head(path: Path, line: bytes, sign: str) -> dict[str, Any]:
    try:
        head = json.loads(line)
        if not isinstance(head, dict) or head.get(sign) != _VERSION:
            raise ValueError(f"the first line does not have {sign!r}, version {_VERSION}")
        # The settings are not used here, but a log with others could not be resumed.
        read_object(RunSettings, head.get("settings"))
    except ValueError as error:
        command = sign.replace("_", " bench ")
        raise SymOpsError(f"{path}:1: not a log of `{command}`: {error}") from None
    return head


@contextmanager
def open_cases(
    path: Path, head: Mapping[str, Any], sign: str, kind: type[Case]
) -> Iterator[tuple[list[Case], Callable[[Case], None]]]:
    """Open the log of a run, or create it.

    Args:
        path: The path of the log.
        head: The head of the run.
        sign: The key that identifies the log.
        kind: The class of a case.

    Yields:
        The cases that an earlier run has done, and the function that writes one more.

    Raises:
        SymOpsError: The file is another one, damaged, in use, or of another run.
    """
    text = json.dumps(head, separators=(",", ":"))
    with open_lines(path, _IN_USE) as file:
        lines, half = split_lines(file.data)
        cases: list[Case] = []
        # A killed run leaves half a head; what begins otherwise belongs to somebody else.
        begin = half[: len(sign) + len('{"":')]
        if lines or not text.encode().startswith(begin):
            logged, cases = read_cases(path, lines, sign, kind)
            _expect_same(path, logged, json.loads(text))
        file.cut()
        if not lines:
            file.append(head)
        # Each case is written at once: an interrupted run asks nothing twice.
        yield cases, lambda case: file.append(case.to_dict())


def _expect_same(path: Path, logged: Mapping[str, Any], head: Mapping[str, Any]) -> None:
    """Raise `SymOpsError` unless two heads are of the same run."""
    # A run may be resumed on another day.
    for settings in (logged["settings"], head["settings"]):
        settings["date"] = ""
    for name in ("tasks", "settings", "package"):
        # Other tasks or another version would mix two kinds of replies in one table.
        if logged.get(name) != head[name]:
            message = f"this log is of another run ({name} differ)"
            raise SymOpsError(f"{path}: {message}: write to another file (--out)")


def load_live(settings: RunSettings) -> LiveSource:
    """Return the source that asks a model.

    Raises:
        SymOpsError: The source asks none.
    """
    source = load_source(settings)
    if not isinstance(source, LiveSource):
        message = f"the source {settings.source!r} asks no model"
        raise SymOpsError(f"{message}: name a model as PROVIDER:MODEL")
    return source
