"""Append to files of JSON lines, each written by one process at a time.

Invariants:

1. A line that is in the file stays there, byte for byte.
2. A last line without its end was left by a process that was killed. Only `cut` removes it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from .errors import SymOpsError
from .file_locks import lock_file

# Bytes at the end of a file that are read first, in `append_bytes`: they hold the last lines of
# almost any log.
_TAIL_BYTES = 1 << 14
_TAIL_FACTOR = 8  # by which more are read, if these were not enough
# The files that this process has open, so that a fork can close them.
_open: list[BinaryIO] = []


def split_lines(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the whole lines of a file's bytes, and the incomplete line after them.

    Args:
        data: The bytes of the file.
    """
    *lines, incomplete = data.split(b"\n")
    return lines, incomplete


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file.

    Args:
        path: The path of the file.

    Raises:
        SymOpsError: The file cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise SymOpsError(f"{path}: cannot be read: {error.strerror}") from error


class JsonLines:
    """A file that is open to append; made by `open_lines`.

    Args:
        path: The path of the file.
        file: The open file.
        data: The bytes that it had when it was opened.

    Attributes:
        path: The path of the file.
        data: The bytes that it had when it was opened.
    """

    def __init__(self, path: Path, file: BinaryIO, data: bytes) -> None:
        self.path = path
        self.data = data
        self._file = file

    def cut(self) -> None:
        """Remove an incomplete line at the end."""
        _, incomplete = split_lines(self.data)
        if incomplete:
            self._file.truncate(len(self.data) - len(incomplete))

    def append(self, value: Mapping[str, Any]) -> None:
        """Write an object as the last line.

        Args:
            value: The object.

        Raises:
            SymOpsError: The file cannot be written.
        """
        line = json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"
        try:
            self._file.write(line)
            # It survives the end of this process from here on, but not that of the system.
            self._file.flush()
        except OSError as error:
            raise SymOpsError(f"{self.path}: cannot be written: {error.strerror}") from error


@contextmanager
def open_lines(path: Path, in_use: str) -> Iterator[JsonLines]:
    """Open a file to append to; create it if it does not exist.

    A file that was created is removed again if nothing was written.

    Args:
        path: The path of the file.
        in_use: The message of the error while another process has the file open.

    Yields:
        The open file.

    Raises:
        SymOpsError: The file cannot be opened, or another process has it open.
    """
    is_new = not path.exists()
    try:
        file = open(path, "a+b")  # noqa: SIM115  (closed below)
    except OSError as error:
        raise SymOpsError(f"{path}: cannot be opened: {error.strerror}") from error
    with file:
        try:
            lock_file(file.fileno())
        except BlockingIOError:
            raise SymOpsError(f"{path}: {in_use}") from None
        except OSError as error:
            raise SymOpsError(f"{path}: cannot be locked: {error.strerror}") from error
        file.seek(0)
        data = file.read()
        _open.append(file)
        try:
            yield JsonLines(path, file, data)
        finally:
            _open.remove(file)
            with suppress(OSError):
                os.fsync(file.fileno())
                if is_new and not os.fstat(file.fileno()).st_size:
                    path.unlink()


def close_inherited() -> None:
    """Close, in a forked process, the files that its parent writes to.

    A file is locked as long as any process has it open, so a fork would keep the lock.
    """
    while _open:
        _open.pop().close()


def append_bytes(path: Path, write: Callable[[bytes, bool], bytes | None]) -> None:
    """Append bytes that depend on the end of the file; create the file if it does not exist.

    Other processes that call this wait meanwhile. All bytes are written or none, unless the process
    is killed.

    Args:
        path: The path of the file.
        write: Called with the last lines of the file, an incomplete one included, and whether these
            are all lines. Returns the bytes to append, or None to be called again with more lines.

    Raises:
        SymOpsError: The file cannot be opened or written.
    """
    # O_BINARY exists on Windows only, where line feeds would become CRLF without it.
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags, 0o666)
    except OSError as error:
        raise SymOpsError(f"{path}: cannot be opened: {error.strerror}") from error
    try:
        lock_file(descriptor, wait=True)
        size = os.fstat(descriptor).st_size
        data = _ask(descriptor, size, write)
        try:
            while data:  # a call may write only a part
                data = data[os.write(descriptor, data) :]
        except BaseException:  # also Ctrl-C: half of the bytes must not stay
            os.ftruncate(descriptor, size)
            raise
    except OSError as error:
        raise SymOpsError(
            f"{path}: cannot be written: {error.strerror}; nothing was added"
        ) from error
    finally:
        os.close(descriptor)


def _ask(descriptor: int, size: int, write: Callable[[bytes, bool], bytes | None]) -> bytes:
    """Return the bytes to append: call `write` with more and more of the file's end."""
    tail_size = _TAIL_BYTES
    while True:
        begin = max(0, size - tail_size)
        os.lseek(descriptor, begin, os.SEEK_SET)
        tail = os.read(descriptor, size - begin)
        if begin:  # the first line is probably not complete
            tail = tail.partition(b"\n")[2]
        data = write(tail, not begin)
        if data is not None:
            return data
        tail_size *= _TAIL_FACTOR
