"""Files of JSON lines that only grow, each written by one process at a time.

Laws: a line that is in the file stays there; a last line without its end was left by a writer who was killed, and is
taken away by `cut` alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import SymOpsError
from ..file_locks import lock_file


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
        try:
            yield JsonLines(path, file, data)
        finally:
            with suppress(OSError):
                os.fsync(file.fileno())
                if is_new and not os.fstat(file.fileno()).st_size:
                    path.unlink()
