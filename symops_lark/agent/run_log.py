"""The log of a run: a file of sealed lines, one for each event, with one writer at a time.

Invariants
    1. An event is in the file before anything that it announces is done, and before `watch` is
       called with it.
    2. A line that was changed, moved or taken out of the middle is found: each line has the hash of
       the line before, and a seal with the user's key. A cut end is not found.
    3. Half a line, which a killed writer leaves, counts as not written.
    4. While a process writes, every other process is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self

from ..acting.journal.seal import RUN
from ..code_intelligence.gate.decision_log import append_all, now, open_plain
from ..code_intelligence.gate.sealed_lines import Seals
from ..core.ground.errors import SymOpsError
from ..core.ground.file_locks import lock_file
from ..core.ground.json_lines import split_lines
from ..core.ground.resources import state_folder
from .events import Event, Kind

ROWS = "run_log.jsonl"  # beside the runs: the rows of routing
_ADVICE = "The run cannot be continued; this file can be removed"
_NAME = re.compile(r"[0-9a-f]{32}\.jsonl")


class UnknownRunError(SymOpsError):
    """There is no such run, or several begin with the same digits."""


class BusyRunError(SymOpsError):
    """Another process is at work on the run."""


def runs_folder(root: str | os.PathLike[str], log: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of the runs of a root.

    Args:
        root: The root.
        log: The folder that the caller wants. None: one in the user's state folder.

    Raises:
        SymOpsError: The user has no home folder.
    """
    if log is not None:
        return Path(log)
    base = state_folder()
    if base is None:
        raise SymOpsError(
            "there is no home folder to keep runs in: name one (log), or set XDG_STATE_HOME"
        )
    name = hashlib.sha256(json.dumps(os.path.realpath(root)).encode()).hexdigest()[:32]
    return base / "runs" / name


def find_run(folder: Path, run_id: str) -> Path:
    """Return the file of a run.

    Args:
        folder: The folder of the runs.
        run_id: The id of the run, or its beginning if no other run begins like this.

    Raises:
        UnknownRunError: There is no such run, or there are several.
    """
    prefix = run_id.strip().lower()
    matches = [path for path in list_runs(folder) if prefix and path.name.startswith(prefix)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = ", ".join(path.stem[:12] for path in matches[:3])
        raise UnknownRunError(f"{run_id}: several runs begin like this: {names}")
    raise UnknownRunError(
        f"there is no run {run_id!r} in {folder}; `symops why` lists the last ones"
    )


def list_runs(folder: Path) -> list[Path]:
    """Return the files of the runs in a folder, the newest first."""
    times = {}
    if folder.is_dir():
        for path in folder.iterdir():
            # An empty file is of a run that was refused, or killed, before it had its task.
            if _NAME.fullmatch(path.name) and path.lstat().st_size:
                times[path] = path.lstat().st_mtime
    return sorted(times, key=lambda path: (-times[path], path.name))


def read_events(path: Path) -> tuple[Event, ...]:
    """Return the events of a file that may still be written.

    Args:
        path: The file.

    Raises:
        BadLogError: It is not a log of this program, or was changed.
        OSError: It cannot be read.
    """
    seals = Seals(str(path), kind=RUN, advice=_ADVICE)
    with open_plain(path, os.O_RDONLY) as file:
        lines, _ = split_lines(file.read())
    return _read_lines(lines, seals)


def _read_lines(lines: list[bytes], seals: Seals) -> tuple[Event, ...]:
    events: list[Event] = []
    before = ""
    for line in lines:
        members = seals.open(line)
        if members.get("prev") != before:
            raise seals.refuse("it does not follow the line before it")
        event = Event.from_dict(members)
        if event.seq != len(events):
            raise seals.refuse(f"its number is {event.seq}, and {len(events)} is expected")
        events.append(event)
        before = _hash(line)
    if not events or events[0].kind is not Kind.TASK:
        raise seals.refuse_file("a run begins with its task, and this file does not")
    return tuple(events)


def _hash(line: bytes) -> str:
    return hashlib.sha256(line.rstrip(b"\n")).hexdigest()


class RunLog:
    """The open log of a run; closed, it lets others write.

    Attributes:
        path: The file.
        run_id: The run.
        events: All events so far.
    """

    def __init__(self, path: Path, way: int, watch: Callable[[Event], object]) -> None:
        self.path, self.run_id = path, path.stem
        self.events: tuple[Event, ...] = ()
        self._opening = ExitStack()
        self._file = self._opening.enter_context(open_plain(path, os.O_RDWR | way))
        self._watch = watch
        self._seals = Seals(str(path), make=True, kind=RUN, advice=_ADVICE)
        self._before = ""
        self._clock = time.monotonic()

    @classmethod
    def create(cls, folder: Path, run_id: str, watch: Callable[[Event], object]) -> Self:
        """Return the log of a new run.

        Args:
            folder: The folder of the runs, which is made if it is missing.
            run_id: The id.
            watch: Called with each event, after it is in the file.

        Raises:
            OSError: The file cannot be made.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / f"{run_id}.jsonl"
        log = cls(path, os.O_CREAT | os.O_EXCL, watch)
        log._lock()
        return log

    @classmethod
    def open(cls, path: Path, watch: Callable[[Event], object]) -> Self:
        """Return the log of a run that was begun.

        Args:
            path: The file.
            watch: Called with each new event, after it is in the file.

        Raises:
            BusyRunError: Another process is at work on it.
            BadLogError: It is not a log of this program, or was changed.
            OSError: It cannot be opened.
        """
        log = cls(path, 0, watch)
        try:
            log._lock()
            data = log._file.read()
            lines, torn = split_lines(data)
            log.events = _read_lines(lines, log._seals)
            log._before = _hash(lines[-1])
            # Of a killed writer: what it announced was not begun.
            if torn:
                log._file.truncate(len(data) - len(torn))
        except BaseException:
            log.close()
            raise
        return log

    def append(self, kind: Kind, round: int, data: Mapping[str, Any]) -> Event:
        """Write an event, and return it.

        Args:
            kind: What happens.
            round: The round.
            data: The members of the event, which are JSON.

        Raises:
            OSError: It cannot be written; then nothing was.
        """
        # `prev` is checked without the key too, which another user does not have.
        event = Event(len(self.events), now(), self.run_id, round, kind, data)
        body = json.dumps({**event.to_dict(), "prev": self._before}, separators=(",", ":"))
        line = self._seals.seal(body.encode("ascii"))
        append_all(self._file, line)
        # What follows may change files: the event must outlast a loss of power.
        os.fsync(self._file.fileno())
        self._before = _hash(line)
        self.events = (*self.events, event)
        self._watch(event)
        return event

    def lap(self) -> float:
        """Return the seconds since the last call, or since the log was opened."""
        last, self._clock = self._clock, time.monotonic()
        return self._clock - last

    def close(self) -> None:
        """Let others write."""
        with suppress(OSError):
            self._opening.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _lock(self) -> None:
        try:
            lock_file(self._file.fileno())
        except BlockingIOError:
            raise BusyRunError(f"{self.path}: another process is at work on this run") from None
