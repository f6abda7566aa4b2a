"""What a command writes, within a limit: the head and the tail are kept, the rest is counted."""

from __future__ import annotations

import os
from collections import deque
from contextlib import suppress
from threading import Lock
from typing import IO

from ..numbers import counted

_READ = 65_536


class Kept:
    """The head and the tail of an output, of half of `limit` bytes each."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._size = self._omitted = 0  # of the tail; before the tail
        self._lock = Lock()

    def read(self, pipe: IO[bytes]) -> None:
        """Read a pipe to its end."""
        with suppress(OSError, ValueError), pipe:
            while data := os.read(pipe.fileno(), _READ):
                with self._lock:
                    self._keep(data)

    def text(self) -> tuple[str, int]:
        """Return the output, and how many bytes are left out where a line says so."""
        with self._lock:
            tail = b"".join(self._tail)
            surplus = max(0, len(tail) - self._half)
            head, tail, omitted = bytes(self._head), tail[surplus:], self._omitted + surplus
        if not omitted:
            return (head + tail).decode("utf-8", "replace"), 0
        gap = f"\n[… {counted(omitted, 'byte')} left out …]\n"
        return head.decode("utf-8", "replace") + gap + tail.decode("utf-8", "replace"), omitted

    def _keep(self, data: bytes) -> None:
        free = self._half - len(self._head)
        self._head += data[:free]
        if rest := data[free:]:
            self._tail.append(rest)
            self._size += len(rest)
        while self._tail and self._size - len(self._tail[0]) >= self._half:
            gone = len(self._tail.popleft())
            self._size, self._omitted = self._size - gone, self._omitted + gone
