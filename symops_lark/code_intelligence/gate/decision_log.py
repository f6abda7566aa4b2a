"""The events of a session: a file of sealed JSON lines that only grows.

Invariants: the state of a session follows from its lines, so a process that is killed loses at most
the line that it was writing. One process writes at a time, and first reads the new lines of the
other ones. A file that is not a log of this program is never changed.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from ...core.ground.errors import SymOpsError
from ...core.ground.file_locks import lock_file
from ...core.ground.json_lines import split_lines
from .arguments import Values
from .sealed_lines import LONGEST_END, BadLogError, Event, Seals

_PATIENCE = 20.0  # seconds to wait for another process
_PAUSE = 0.005  # seconds between two attempts
_MAX_BYTES = 1 << 28  # of a log
_NO_FILE = "this is a link, a folder, a pipe or a device, not a log: move it away"
_TOO_LARGE = f"it has more than {_MAX_BYTES:,} bytes, which no log has: move it away"
# Not all systems have all of them.
_FLAGS = ("O_BINARY", "O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK")
_PLAIN = sum(getattr(os, flag, 0) for flag in _FLAGS)


class LogBusy(SymOpsError):
    """Another process has had a log for too long."""


class DecisionLog:
    """The events of a session, in order, written under a lock of the system.

    Args:
        path: The file.

    Attributes:
        path: The file.
        unsealed: Why the lines had no seal when they were last read; empty if they had.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.unsealed = ""
        self._position = 0  # bytes that were read or written
        # The seal and the number of the last line that was read or written.
        self._last = ""
        self._count = 0

    def create(self, event: Values) -> None:
        """Make the file with its first event; `FileExistsError` is raised if there is one."""
        # The key comes first: it makes the state folder for this user alone.
        seals = Seals(str(self.path), make=True)
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | _PLAIN
        handle = os.open(self.path, flags, 0o600)
        with open(handle, "wb", buffering=0) as file:
            append_all(file, _seal(seals, event))

    def __iter__(self) -> Iterator[Event]:
        """Yield all events, without a half-written line at the end.

        Raises:
            BadLogError: As for `writing`.
        """
        seals = Seals(str(self.path))
        with open_plain(self.path, os.O_RDONLY) as file:
            lines, _ = split_lines(file.read())
        yield from map(seals.open, lines)

    @contextmanager
    def writing(self) -> Iterator[tuple[list[Event], list[Event]]]:
        """Hold the log, and yield the events since the last time, and a list for new ones.

        Raises:
            LogBusy: Another process keeps it.
            BadLogError: It is not a log of this program.
            OSError: It cannot be opened.
        """
        seals = Seals(str(self.path))
        seals.last = self._last
        seals.count = self._count
        self.unsealed = seals.missing
        with open_plain(self.path, os.O_RDWR) as file:
            wait_for(file.fileno(), self.path)
            events, incomplete = self._read_new(file, seals)
            # A writer was killed.
            if incomplete:
                file.truncate(self._position)
            added: list[Event] = []
            yield events, added
            if added:
                data = b"".join(_seal(seals, event) for event in added)
                append_all(file, data)
                self._move(self._position + len(data), seals)

    def _read_new(self, file: BinaryIO, seals: Seals) -> tuple[list[Event], bytes]:
        """Return the events since the last time, and a half-written line after them."""
        start = max(0, self._position - LONGEST_END)
        file.seek(start)
        data = file.read()
        old = data[: self._position - start]
        # The end of the last line that was read must be where it was.
        end = f'{self._last}"}}\n'.encode() if self._last else b""
        if len(old) < self._position - start or not old.endswith(end):
            raise seals.refuse_file("it was cut or exchanged since this program read it")
        lines, incomplete = split_lines(data[len(old) :])
        events = list(map(seals.open, lines))
        if not seals.count:
            raise seals.refuse_file("the record of the session is empty")
        self._move(start + len(data) - len(incomplete), seals)
        return events, incomplete

    def _move(self, position: int, seals: Seals) -> None:
        self._position = position
        self._last = seals.last
        self._count = seals.count


def _seal(seals: Seals, event: Values) -> bytes:
    return seals.close({"at": now(), **event})


@contextmanager
def open_plain(path: Path, way: int) -> Iterator[BinaryIO]:
    """Open a file, which is not buffered.

    Args:
        path: The file.
        way: How it is opened, as `os.open` takes it.

    Raises:
        BadLogError: It is a link, a folder, a pipe or a device, or too large for a log.
        OSError: It cannot be opened.
    """
    try:
        handle = os.open(path, way | _PLAIN, 0o600)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise BadLogError(f"{path}: {_NO_FILE}") from None
        raise
    status = os.fstat(handle)
    problem = "" if stat.S_ISREG(status.st_mode) else _NO_FILE
    if status.st_size > _MAX_BYTES:
        problem = _TOO_LARGE
    if problem:
        os.close(handle)
        raise BadLogError(f"{path}: {problem}")
    with open(handle, "rb" if way == os.O_RDONLY else "r+b", buffering=0) as file:
        yield file


def append_all(file: BinaryIO, data: bytes) -> None:
    """Write bytes at the end of an unbuffered file: all of them, or none if the disk is full."""
    start = file.seek(0, os.SEEK_END)
    try:
        while data:
            count = file.write(data)
            data = data[count:]
    except BaseException:
        file.truncate(start)
        raise


def now() -> str:
    """Return the time in the form of ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def wait_for(descriptor: int, path: Path) -> None:
    """Lock an open file.

    Args:
        descriptor: The file.
        path: Its path, for messages.

    Raises:
        LogBusy: Another process keeps it for too long.
    """
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            lock_file(descriptor)
            return
        except BlockingIOError:
            if time.monotonic() > end:
                raise LogBusy(f"{path}: another process has it open; try again") from None
            time.sleep(_PAUSE)
