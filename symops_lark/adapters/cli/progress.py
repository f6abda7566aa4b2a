"""Show that a command works: a bar on standard error, after a second, and only on a terminal.

It is removed before the command prints anything; a pipe or a file never receives it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

_PATIENCE = 1.0  # seconds without output before the bar appears
# Takes how much is done, of how much; None: the total is unknown.
Step = Callable[[int, int | None], object]
# The title of the bar that is shown or will be: one at a time.
_active: list[str] = []


def make_bar(*, transient: bool = True) -> Progress:
    """Return a bar on standard error, which is not shown yet.

    Its tasks have a field `facts`, a text after the remaining time.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[facts]}"),
    )
    return Progress(*columns, console=Console(stderr=True), transient=transient)


@contextmanager
def show_progress(title: str, total: int | None = None, *, quiet: bool = False) -> Iterator[Step]:
    """Show a bar while a block runs.

    Args:
        title: The text before the bar.
        total: The number of steps; None: unknown.
        quiet: Whether nothing is shown.

    Yields:
        The function that updates the bar.
    """
    is_hidden = quiet or bool(_active) or os.environ.get("TERM") == "dumb"
    if is_hidden or sys.stderr is None or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    bar = make_bar()
    lock = threading.Lock()
    task = bar.add_task(title, total=total, facts="")
    _active.append(title)

    def start() -> None:
        # The block may have ended while this thread waited.
        with lock:
            if _active:
                bar.start()

    timer = threading.Timer(_PATIENCE, start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, total: bar.update(task, completed=done, total=total)
    finally:
        timer.cancel()
        with lock:
            _active.clear()
        bar.stop()
