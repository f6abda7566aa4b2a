"""Read many files at once in worker processes, which read paths and answer with readings.

Workers are started by the name of this module, not forked: a server has threads, and a user's
script must not be imported again.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from math import inf
from queue import Queue
from threading import Thread

from ...core.ground.python_processes import python_start
from .file_reading import FileReader, Reading

FEW = 300  # files that one process reads in less time than two need to start
_PORTION = 50  # files of one request to a worker
_MAX_WORKERS = 8


def read_files(root: str, paths: Sequence[str], end: float = inf) -> Iterator[list[Reading]]:
    """Yield the readings of files in portions, in no order.

    Args:
        root: The folder.
        paths: The paths of the files below it.
        end: The time (`monotonic`) after which no portion is begun.
    """
    portions = [paths[start : start + _PORTION] for start in range(0, len(paths), _PORTION)]
    if len(paths) > FEW:
        yield from _read_by_workers(root, portions, end)
        return
    reader = FileReader(root)
    for portion in portions:
        if time.monotonic() > end:
            return
        yield [reader.read(path) for path in portion]


def _read_by_workers(
    root: str, portions: list[Sequence[str]], end: float
) -> Iterator[list[Reading]]:
    """Let workers read; a portion that a worker does not answer is read here."""
    count = min(os.cpu_count() or 1, _MAX_WORKERS)
    requests: Queue[Sequence[str] | None] = Queue()
    # Bounded, so that workers wait if the database is slower than they are.
    answers: Queue[tuple[Sequence[str], list[Reading] | None]] = Queue(maxsize=4 * count)
    for portion in portions:
        requests.put(portion)
    for _ in range(count):
        requests.put(None)  # the end, for each thread
        Thread(target=_converse, args=(root, requests, answers, end), daemon=True).start()
    reader = FileReader(root)
    for _ in portions:
        portion, readings = answers.get()
        yield [reader.read(path) for path in portion] if readings is None else readings


def _converse(
    root: str,
    requests: Queue[Sequence[str] | None],
    answers: Queue[tuple[Sequence[str], list[Reading] | None]],
    end: float,
) -> None:
    """Pass requests to a worker until there are no more."""
    start = python_start("-m", __name__, os.path.abspath(root))
    worker = None
    with suppress(OSError):
        worker = subprocess.Popen(
            start.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=start.environment,
            cwd=start.folder,
        )
    try:
        while (portion := requests.get()) is not None:
            readings: list[Reading] | None = None
            if time.monotonic() > end:
                readings = []
            elif worker is not None and worker.stdin and worker.stdout:
                with suppress(OSError, EOFError, pickle.PickleError):
                    pickle.dump(list(portion), worker.stdin)
                    worker.stdin.flush()
                    # Safe: the pipe belongs to our own process, and no other one can write to it.
                    readings = pickle.load(worker.stdout)
            answers.put((portion, readings))
    finally:
        if worker is not None:
            worker.kill()
            worker.communicate()


def main() -> None:
    """Answer requests until there are no more."""
    reader = FileReader(sys.argv[1])
    with suppress(EOFError, BrokenPipeError, KeyboardInterrupt):
        while True:
            paths = pickle.load(sys.stdin.buffer)
            pickle.dump([reader.read(path) for path in paths], sys.stdout.buffer)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
