"""What happened in a session: a file of sealed JSON lines that only grows.

Laws: a session's state is what its lines say, so whoever is killed loses at most the line that was being written; one
process writes at a time, and reads first what others wrote. A file that is not a log of ours is never changed.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from ...core.ground.errors import SymOpsError
from ...core.ground.file_locks import lock_file
from ...core.ground.json_lines import split_lines
from .sealed_lines import LONGEST_END, BadLogError, Event, Seals

_PATIENCE = 20.0  # seconds to wait for another process
_MOST = 1 << 28  # bytes of a log
_NO_FILE = "this is a link, a folder, a pipe or a device, not a log: move it away"
_TOO_LARGE = f"it has more than {_MOST:,} bytes, which no log has: move it away"
_PLAIN = (
    getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)


class LogBusy(SymOpsError):
    """Another process has had a log for too long."""


class DecisionLog:
    """The events of a session, in order; written under a lock of the system's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = 0  # bytes that were given to the caller
        self._last, self._count = "", 0  # the seal and the number of the last line that was read or written
        self.unsealed = ""  # why the lines had no seal when they were last read

    def create(self, event: Mapping[str, Any]) -> None:
        """Make the file with its first event; raise `FileExistsError` if there is one."""
        seals = Seals(str(self.path), make=True)  # first: it makes the state folder for this user alone
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _PLAIN, 0o600)
        with open(handle, "wb", buffering=0) as file:
            append_all(file, seals.close({"at": now(), **event}))

    def __iter__(self) -> Iterator[Event]:
        """Yield all events; a half-written line at the end is not one. Raise `BadLogError` as `writing` does."""
        seals = Seals(str(self.path))
        with open_plain(self.path, os.O_RDONLY) as file:
            lines, _ = split_lines(file.read())
        yield from map(seals.open, lines)

    @contextmanager
    def writing(self) -> Iterator[tuple[list[Event], list[Event]]]:
        """Hold the log; give the events that are new since the last time, and a list for those that are to be added.

        Raises `LogBusy` while another process keeps it, `BadLogError` for a file that is not a log of ours, `OSError`
        where it cannot be opened.
        """
        seals = Seals(str(self.path))
        seals.last, seals.count = self._last, self._count
        self.unsealed = seals.missing
        with open_plain(self.path, os.O_RDWR) as file:
            wait_for(file.fileno(), self.path)
            news, rest = self._read_on(file, seals)
            if rest:  # of a writer who was killed
                file.truncate(self._read)
            added: list[Event] = []
            yield news, added
            if added:
                data = b"".join(seals.close({"at": now(), **event}) for event in added)
                append_all(file, data)
                self._read += len(data)
                self._last, self._count = seals.last, seals.count

    def _read_on(self, file: BinaryIO, seals: Seals) -> tuple[list[Event], bytes]:
        """Return the events since the last time, and what is half written after them."""
        start = max(0, self._read - LONGEST_END)
        file.seek(start)
        data = file.read()
        known = data[: self._read - start]
        if len(known) < self._read - start or (self._last and not known.endswith(f'{self._last}"}}\n'.encode())):
            raise seals.refuse_file("it was cut or exchanged since this program read it")
        lines, rest = split_lines(data[len(known) :])
        news = [seals.open(line) for line in lines]
        if not seals.count:
            raise seals.refuse_file("the record of the session is empty")
        self._read = start + len(data) - len(rest)
        self._last, self._count = seals.last, seals.count
        return news, rest


@contextmanager
def open_plain(path: Path, way: int) -> Iterator[BinaryIO]:
    """Open a file, which is not buffered.

    Args:
        path: The file.
        way: How it is opened, as `os.open` takes it.

    Raises:
        BadLogError: It is a link, a folder, a pipe or a device, or has more bytes than any log of ours.
        OSError: It cannot be opened.
    """
    try:
        handle = os.open(path, way | _PLAIN, 0o600)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise BadLogError(f"{path}: {_NO_FILE}") from None
        raise
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST:
        os.close(handle)
        raise BadLogError(f"{path}: {_NO_FILE if found.st_size <= _MOST else _TOO_LARGE}")
    with open(handle, "rb" if way == os.O_RDONLY else "r+b", buffering=0) as file:
        yield file


def append_all(file: BinaryIO, data: bytes) -> None:
    """Write bytes at the end of a file that is not buffered: all of them, or none if the disk is full."""
    begun = file.seek(0, os.SEEK_END)
    try:
        while data:
            data = data[file.write(data) :]
    except BaseException:
        file.truncate(begun)
        raise


def now() -> str:
    """Return the time as texts of ISO 8601 say it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def wait_for(descriptor: int, path: Path) -> None:
    """Lock an open file; raise `LogBusy` if another process keeps it for too long."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            lock_file(descriptor)
            return
        except BlockingIOError:
            if time.monotonic() > until:
                raise LogBusy(f"{path}: another process has it open; try again") from None
            time.sleep(0.005)
