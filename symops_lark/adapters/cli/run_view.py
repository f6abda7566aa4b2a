"""A run as people see it: its progress with remaining time and cost, and a short table at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

from .progress import make_bar
from .tables import draw_table
from .texts import echo
from .visibility import visible

if TYPE_CHECKING:
    from ...lab.benchmark.records import Record
    from ...lab.benchmark.runner import Progress
    from ...lab.measuring.statistics import Rate

_MILLION = 1_000_000
_TITLES = (
    *("format", "n", "tasks", "valid as written", "valid in the end", "right in the end", "wrong without alarm"),
    "failed",
)
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
            self._bar = make_bar(transient=False)
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
        if first:
            echo([f"{visible(self.name)}: {remark}" for remark in progress.remarks], err=True)
        told = ", ".join(self._facts(progress))
        if self._bar is not None:
            if self._task is None:
                self._task = self._bar.add_task("", total=progress.total, completed=progress.done, told=told)
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
    """Return the lines of a table for each provenance: a row for each format and model, its counts, and its rates."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(str(record.provenance), []).append(record)
    for provenance, group in groups.items():
        rows: dict[tuple[str, str], list[Record]] = {}
        for record in group:
            rows.setdefault((record.case.format, _model_of(record)), []).append(record)
        names = {model for _, model in rows}
        titles = ("model", *_TITLES) if names != {""} else _TITLES
        cells = [
            [*([model or "not known"] if names != {""} else []), *_row(format, some)]
            for (format, model), some in sorted(rows.items(), key=lambda row: row[0][1])
        ]
        yield ""
        yield visible(provenance)
        yield from draw_table(titles, cells, texts=range(len(titles) - 1))
        if len({frozenset(_cases(some)) for some in rows.values()}) > 1 and len(names) == 1:
            yield "(not all formats have replies to the same tasks: `symops bench compare` pairs those that they have)"


def _model_of(record: Record) -> str:
    """Return the model that a recorded reply says it is of; the provenance of other replies names it."""
    return record.model if record.provenance.kind == "replayed" else ""


def _cases(records: Sequence[Record]) -> set[tuple[str, int]]:
    return {(record.case.task, record.case.repetition) for record in records if record.phases}


def _row(name: str, records: Sequence[Record]) -> list[str]:
    from ...lab.benchmark.figures import OUTCOMES, outcome_of
    from ...lab.measuring.statistics import Rate

    judged = [record for record in records if record.phases]
    ends = [(record.case.task, record.final) for record in judged if record.final]
    known = [(task, outcome) for task, end in ends if (outcome := outcome_of(end)) is not None]
    right, wrong = (Rate.of((task, outcome == OUTCOMES[at]) for task, outcome in known) for at in (0, -1))
    rates = [
        Rate.of((record.case.task, record.phases[0].accepted) for record in judged),
        Rate.of((task, end.accepted) for task, end in ends),
        *(right, wrong),
    ]
    tasks = len({record.case.task for record in judged})
    return [name, str(len(judged)), str(tasks), *map(_show, rates), str(len(records) - len(judged))]


def _show(rate: Rate) -> str:
    """Return a rate with its interval, whole tasks drawn."""
    if rate.interval is None:
        return "-"
    low, high = rate.interval
    return f"{rate.k / rate.n:.1%} ({low:.1%}–{high:.1%})"
