"""Files of JSON lines that only grow, each written by one process at a time.

Laws: a line that is in the file stays there; a last line without its end was left by a writer who was killed, and is
taken away by `cut` alone.
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

_END = 1 << 14  # bytes at the end of a file that are looked at first
_open: list[BinaryIO] = []


def split_lines(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the whole lines of a file's bytes, and what is half written behind them."""
    *lines, rest = data.split(b"\n")
    return lines, rest


def read_bytes(path: Path) -> bytes:
    """Return what a file holds; raises `SymOpsError` where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SymOpsError(f"{path}: cannot be read: {error.strerror}") from error


class JsonLines:
    """A file that is written to; made by `open_lines`; `data` is what it held then."""

    def __init__(self, path: Path, file: BinaryIO, data: bytes) -> None:
        self.path, self.data, self._file = path, data, file

    def cut(self) -> None:
        """Take away what is half written at the end."""
        if rest := split_lines(self.data)[1]:
            self._file.truncate(len(self.data) - len(rest))

    def append(self, value: Mapping[str, Any]) -> None:
        """Write an object as the last line; raises `SymOpsError` where that cannot be done."""
        try:
            self._file.write(json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n")
            self._file.flush()
        except OSError as error:
            raise SymOpsError(f"{self.path}: cannot be written: {error.strerror}") from error


@contextmanager
def open_lines(path: Path, in_use: str) -> Iterator[JsonLines]:
    """Open a file to append to, or make one, which is removed again if nothing was written.

    Raises `SymOpsError` where it cannot be opened, and with the words `in_use` while another process has it open.
    """
    is_new = not path.exists()
    try:
        file = open(path, "a+b")  # noqa: SIM115  (closed below)
    except OSError as error:
        raise SymOpsError(f"{path}: cannot be opened: {error.strerror}") from error
    with file:
        try:
            lock_file(file.fileno())
        except OSError:
            raise SymOpsError(f"{path}: {in_use}") from None
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
    """Close, in a forked process, what its parent writes to: a file is locked as long as anybody has it open."""
    while _open:
        _open.pop().close()


def append_bytes(path: Path, write: Callable[[bytes, bool], bytes | None]) -> None:
    """Append to a file, which is made if there is none, what `write` makes of its end; others wait meanwhile.

    `write` is handed whole lines at the end of the file, and what is half written behind them, and whether that is all
    that the file has; where it returns None it is asked again with more. All is written, or nothing: half a line is
    left only by who is killed. Raises `SymOpsError` where it cannot be done.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as error:
        raise SymOpsError(f"{path}: cannot be opened: {error.strerror}") from error
    try:
        lock_file(descriptor, wait=True)
        size = os.fstat(descriptor).st_size
        data = _ask(descriptor, size, write)
        try:
            while data:
                data = data[os.write(descriptor, data) :]
        except BaseException:
            os.ftruncate(descriptor, size)
            raise
    except OSError as error:
        raise SymOpsError(f"{path}: cannot be written: {error.strerror}; nothing was added") from error
    finally:
        os.close(descriptor)


def _ask(descriptor: int, size: int, write: Callable[[bytes, bool], bytes | None]) -> bytes:
    most = _END
    while True:
        begin = max(0, size - most)
        os.lseek(descriptor, begin, os.SEEK_SET)
        end = os.read(descriptor, size - begin)
        if (data := write(end.partition(b"\n")[2] if begin else end, not begin)) is not None:
            return data
        most *= 8
