"""A run as people see it: its progress with remaining time and cost, and a short table at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

from ..measuring.intervals import wilson
from .tables import draw_table
from .texts import echo
from .visibility import visible

if TYPE_CHECKING:
    from ..compliance.records import Record
    from ..compliance.runner import Progress

_MILLION = 1_000_000
_TITLES = ("format", "n", "valid as written", "valid in the end", "exact in the end", "wrong, no alarm", "failed")
_EVERY = 10.0  # seconds between lines where there is no terminal


class RunView:
    """Progress on standard error: a bar on a terminal, else a line now and then. Prices are of a million tokens."""

    def __init__(self, name: str, price_in: float | None, price_out: float | None, quiet: bool) -> None:
        self.name, self.prices, self.quiet = name, (price_in, price_out), quiet
        self.done = self.total = 0
        self.cost = 0.0
        self._asked = self._unknown = 0
        self._began = self._told = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        if not self.quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.fields[told]}"))
            self._bar = Progress(*columns, console=Console(stderr=True))
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def watch(self, progress: Progress) -> None:
        """Take note of how far the run is, and show it."""
        first = not self.total
        self.done, self.total = progress.done, progress.total
        if progress.asked > self._asked and progress.record is not None:
            self._charge(progress.record)
        self._asked = progress.asked
        if self.quiet:
            return
        told = ", ".join(self._facts(progress))
        if self._bar is not None:
            if self._task is None:
                self._task = self._bar.add_task(self.name, total=progress.total, completed=progress.done, told=told)
            self._bar.update(self._task, completed=progress.done, told=told)
            return
        now = time.monotonic()
        if first or progress.done == progress.total or now - self._told >= _EVERY:
            self._told = now
            left = (now - self._began) / self._asked * (self.total - self.done) if self._asked else None
            facts = [f"{self.done} of {self.total}", *(_remaining(left)), *([told] if told else [])]
            echo([f"{visible(self.name)}: {', '.join(facts)}"], err=True)

    def _charge(self, record: Record) -> None:
        for tokens, price in zip(record.usage, self.prices, strict=True):
            if price is not None:
                self.cost += (tokens or 0) * price / _MILLION
        self._unknown += any(tokens is None for tokens in record.usage)

    def _facts(self, progress: Progress) -> Iterator[str]:
        if progress.failed:
            yield f"{progress.failed} failed"
        if self.prices != (None, None) and self._asked:
            left = self.cost / self._asked * (self.total - self.done)
            least = "at least " if self._unknown else ""
            yield f"cost {least}{self.cost:.4f}" + (f", about {left:.4f} more" if left else "")


def _remaining(seconds: float | None) -> list[str]:
    if not seconds:
        return []
    minutes, rest = divmod(round(seconds), 60)
    return [f"about {minutes} min {rest} s left" if minutes else f"about {rest} s left"]


def show_run(records: Sequence[Record]) -> Iterator[str]:
    """Return the lines of a table for each provenance: a row for each format, its counts, and its rates."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(str(record.provenance), []).append(record)
    for provenance, group in groups.items():
        names = dict.fromkeys(record.case.format for record in group)
        rows = [_row(name, [record for record in group if record.case.format == name]) for name in names]
        yield ""
        yield visible(provenance)
        yield from draw_table(_TITLES, rows, texts=range(6))


def _row(name: str, records: Sequence[Record]) -> list[str]:
    judged = [record for record in records if record.phases]
    ends = [record.final for record in judged if record.final]
    states = [end.state for end in ends if end.state is not None]
    counts = [
        (sum(record.phases[0].accepted for record in judged), len(judged)),
        (sum(end.accepted for end in ends), len(ends)),
        (states.count("exact"), len(states)),
        (states.count("wrong-accepted"), len(states)),
    ]
    return [name, str(len(judged)), *(_rate(k, n) for k, n in counts), str(len(records) - len(judged))]


def _rate(k: int, n: int) -> str:
    """Return a rate with its interval."""
    if not n:
        return "-"
    low, high = wilson(k, n)
    return f"{k / n:.1%} ({low:.1%}–{high:.1%})"
