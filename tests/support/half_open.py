"""Connections that send half a head and then nothing, and what becomes of them."""

from __future__ import annotations

import resource
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress


@contextmanager
def room_for_descriptors(count: int) -> Iterator[None]:
    """Let this process open so many files more than the others that it has open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, count + 500)), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextmanager
def half_open(port: int, count: int, sent: bytes = b"GET / HTTP/1.1\r\nHost: x\r\n") -> Iterator[list[socket.socket]]:
    """Open connections that send the beginning of a request, and close them at the end."""
    opened: list[socket.socket] = []

    def open_one(_: int) -> None:
        with suppress(OSError):  # the server may refuse it
            connection = socket.create_connection(("127.0.0.1", port), timeout=5)
            opened.append(connection)
            connection.sendall(sent)

    try:
        # Where the queue of a server is full, the system tries again after a second.
        with ThreadPoolExecutor(min(count, 32)) as pool:
            list(pool.map(open_one, range(count)))
        yield opened
    finally:
        for connection in opened:
            connection.close()


def count_open(connections: list[socket.socket]) -> int:
    """Return how many connections the server has not closed."""
    still = 0
    for connection in connections:
        connection.setblocking(False)
        try:
            while connection.recv(1000):
                pass
        except BlockingIOError:
            still += 1
        except OSError:
            pass
    return still


def seconds_until(is_answered: Callable[[], bool], most: float) -> float:
    """Return after how many seconds a true call is answered; it is made again and again."""
    began = time.monotonic()
    while time.monotonic() - began < most:
        with suppress(OSError):
            if is_answered():
                return time.monotonic() - began
        time.sleep(0.1)
    raise AssertionError(f"no true call was answered within {most} s")
