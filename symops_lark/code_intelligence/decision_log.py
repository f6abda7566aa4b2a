"""What happened in a session, and what came of it: files of JSON lines that only grow.

Laws: a session's state is what its lines say, so whoever is killed loses at most the line that was being written; one
process writes at a time, and reads first what others wrote.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..errors import SymOpsError
from ..file_locks import lock_file
from ..measuring.json_lines import split_lines

_PATIENCE = 20.0  # seconds to wait for another process
Event = dict[str, Any]


class LogBusy(SymOpsError):
    """Another process has had a log for too long."""


class DecisionLog:
    """The events of a session, in order; written under a lock of the system's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = 0  # bytes that were given to the caller

    def create(self, event: Mapping[str, Any]) -> None:
        """Make the file with its first event; raise `FileExistsError` if there is one."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
        with open(handle, "wb") as file:
            file.write(_line(event))

    def __iter__(self) -> Iterator[Event]:
        """Yield all events; what is half written at the end is none."""
        yield from _parse(self.path.read_bytes())[0]

    @contextmanager
    def writing(self) -> Iterator[tuple[list[Event], list[Event]]]:
        """Hold the log; give the events that are new since the last time, and a list for those that are to be added.

        Raises `LogBusy` while another process keeps it, `OSError` where it cannot be opened.
        """
        with open(self.path, "r+b", buffering=0) as file:
            _wait_for(file.fileno(), self.path)
            file.seek(self._read)
            news, rest = _parse(file.readall())
            self._read = file.tell() - len(rest)
            if rest:  # of a writer who was killed
                file.truncate(self._read)
            added: list[Event] = []
            yield news, added
            if added:
                data = b"".join(map(_line, added))
                file.seek(0, os.SEEK_END)
                file.write(data)
                self._read += len(data)


class OutcomeLog:
    """What came of the sessions of a root, one line each time it is told; joined with their logs by `session`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, outcome: Mapping[str, Any]) -> None:
        """Write an outcome as the last line."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
        with open(handle, "r+b", buffering=0) as file:
            _wait_for(file.fileno(), self.path)
            rest = split_lines(file.readall())[1]
            file.write((b"\n" if rest else b"") + _line(outcome))

    def __iter__(self) -> Iterator[Event]:
        """Yield the outcomes; none if nothing was told yet."""
        with suppress(FileNotFoundError):
            yield from _parse(self.path.read_bytes())[0]


def now() -> str:
    """Return the time as texts of ISO 8601 say it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _line(event: Mapping[str, Any]) -> bytes:
    """Return an event with its time as a line."""
    return json.dumps({"at": now(), **event}, separators=(",", ":"), default=str).encode("ascii") + b"\n"


def _parse(data: bytes) -> tuple[list[Event], bytes]:
    """Return the events of a file's bytes, and what is half written behind them."""
    lines, rest = split_lines(data)
    events = []
    for line in lines:
        with suppress(ValueError):  # a killed writer left it, and another wrote behind
            events.append(json.loads(line))
    return [event for event in events if isinstance(event, dict)], rest


def _wait_for(descriptor: int, path: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            lock_file(descriptor)
            return
        except BlockingIOError:
            if time.monotonic() > until:
                raise LogBusy(f"{path}: another process has it open; try again") from None
            time.sleep(0.005)
