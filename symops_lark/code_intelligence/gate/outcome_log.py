"""What came of the sessions of a folder: one JSON line each time it is told, joined with their logs by `session`.

The lines are not sealed: they are counted, and decide nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core.ground.json_lines import split_lines
from ...core.ground.json_objects import FieldError, read_object, write_object
from .decision_log import append_all, now, open_plain, wait_for
from .sealed_lines import Event


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a session ended; `slot` was misread, `evidence` names the tool that each slot rests on.

    `run_id` and `model_id` name the run of models that the change came from, as the log of runs has them.
    """

    session: str
    at: str = ""
    outcome: str = ""
    slot: str | None = None
    note: str = ""
    risk_level: str = ""
    phase: str = ""
    intent: str = ""
    evidence: dict[str, str] = field(default_factory=dict)
    run_id: str | None = None
    model_id: str | None = None


class OutcomeLog:
    """The outcomes of the sessions of a root."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, outcome: Mapping[str, Any]) -> None:
        """Write an outcome as the last line."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open_plain(self.path, os.O_CREAT | os.O_RDWR | os.O_APPEND) as file:
            wait_for(file.fileno(), self.path)
            rest = split_lines(file.read())[1]
            line = json.dumps({"at": now(), **outcome}, separators=(",", ":"), default=str).encode("ascii") + b"\n"
            append_all(file, (b"\n" if rest else b"") + line)

    def read(self) -> tuple[list[Event], int]:
        """Return the outcomes, none if nothing was told yet, and the number of lines that cannot be read."""
        found: list[Event] = []
        lines: list[bytes] = []
        with suppress(FileNotFoundError), open_plain(self.path, os.O_RDONLY) as file:
            lines, _ = split_lines(file.read())
        for line in lines:
            with suppress(ValueError, RecursionError, FieldError):  # a killed writer left it, or somebody damaged it
                found.append(write_object(read_object(Outcome, json.loads(line), exact=False)))
        return found, len(lines) - len(found)
