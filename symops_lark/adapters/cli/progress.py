"""What a command shows while it says nothing: a line on standard error, after a second, and only on a terminal.

It is gone before the command says anything; a pipe or a file never sees it.
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

_PATIENCE = 1.0  # seconds that a command may be silent
Step = Callable[[int, int | None], object]  # how much is done, of how much; None where nobody knows
_shown: list[str] = []  # what is shown, or will be in a second; one thing at a time


def make_bar(*, transient: bool = True) -> Progress:
    """Return a bar on standard error, which is not shown yet; tasks have a field `told`, what else is said of them."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    told = TextColumn("{task.fields[told]}")
    return Progress(*columns, told, console=Console(stderr=True), transient=transient)


@contextmanager
def show_progress(what: str, total: int | None = None, *, quiet: bool = False) -> Iterator[Step]:
    """Show how far something is, as long as it lasts, and hand out what takes note of that."""
    if quiet or _shown or sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda done, total: None
        return
    bar, lock = make_bar(), threading.Lock()
    task = bar.add_task(what, total=total, told="")
    _shown.append(what)

    def start() -> None:
        with lock:
            if _shown:
                bar.start()

    timer = threading.Timer(_PATIENCE, start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, total: bar.update(task, completed=done, total=total)
    finally:
        timer.cancel()
        with lock:
            _shown.clear()
        bar.stop()
