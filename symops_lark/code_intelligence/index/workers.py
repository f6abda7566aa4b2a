"""Reading many files at once: other processes of this program, which read paths and answer with what they hold.

They are run by name, not forked: a server has threads, and a script of a user must not be imported again.
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

FEW = 300  # files that one process reads sooner than two are begun
_PORTION = 50


def read_files(root: str, paths: Sequence[str], end: float = inf) -> Iterator[list[Reading]]:
    """Yield what the files of a folder hold, in portions, in no order; none is begun after a time (`monotonic`)."""
    portions = [paths[start : start + _PORTION] for start in range(0, len(paths), _PORTION)]
    if len(paths) > FEW:
        yield from _read_by_workers(root, portions, max(1, min(os.cpu_count() or 1, 8)), end)
        return
    reader = FileReader(root)
    for portion in portions:
        if time.monotonic() > end:
            return
        yield [reader.read(path) for path in portion]


def _read_by_workers(root: str, portions: list[Sequence[str]], count: int, end: float) -> Iterator[list[Reading]]:
    """Let processes read; what one of them does not answer is read here."""
    waiting: Queue[Sequence[str] | None] = Queue()
    answers: Queue[tuple[Sequence[str], list[Reading] | None]] = Queue(maxsize=4 * count)
    for portion in portions:
        waiting.put(portion)
    for _ in range(count):
        waiting.put(None)
    threads = [Thread(target=_converse, args=(root, waiting, answers, end), daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    reader = FileReader(root)
    for _ in portions:
        portion, readings = answers.get()
        yield [reader.read(path) for path in portion] if readings is None else readings


def _converse(
    root: str,
    waiting: Queue[Sequence[str] | None],
    answers: Queue[tuple[Sequence[str], list[Reading] | None]],
    end: float,
) -> None:
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
        while (portion := waiting.get()) is not None:
            readings: list[Reading] | None = None
            if time.monotonic() > end:
                readings = []
            elif worker is not None and worker.stdin and worker.stdout:
                with suppress(OSError, EOFError, pickle.PickleError):
                    pickle.dump(list(portion), worker.stdin)
                    worker.stdin.flush()
                    readings = pickle.load(worker.stdout)  # our own process, by a pipe that nobody else has
            answers.put((portion, readings))
    finally:
        if worker is not None:
            worker.kill()
            worker.communicate()


def main() -> None:
    """Answer one portion after the other until there are no more."""
    reader = FileReader(sys.argv[1])
    with suppress(EOFError, BrokenPipeError, KeyboardInterrupt):
        while True:
            paths = pickle.load(sys.stdin.buffer)
            pickle.dump([reader.read(path) for path in paths], sys.stdout.buffer)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
