"""Show a run of the benchmark: its progress with time and cost, and a table at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Self

from .progress import make_bar
from .tables import draw_table
from .texts import echo
from .visibility import visible

if TYPE_CHECKING:
    from ...lab.benchmark.records import Record
    from ...lab.benchmark.runner import Progress
    from ...lab.measuring.statistics import Rate

_TITLES = (
    "format",
    "n",
    "tasks",
    "valid as written",
    "valid in the end",
    "right in the end",
    "wrong without alarm",
    "failed",
)
_MILLION = 1_000_000  # tokens, for which prices are
_PAUSE = 10.0  # seconds between lines where there is no terminal


class RunView:
    """Progress on standard error: a bar on a terminal, else a line every ten seconds.

    Attributes:
        name: The name of the log.
        prices: The prices of a million input and output tokens; None: unknown.
        quiet: Whether no progress is shown; remarks about the replies are.
        done: The number of records in the log.
        total: The number of cases of the run.
        cost: The cost of this run so far.
    """

    def __init__(
        self, name: str, price_in: float | None, price_out: float | None, quiet: bool
    ) -> None:
        self.name = name
        self.prices = (price_in, price_out)
        self.quiet = quiet
        self.done = 0
        self.total = 0
        self.cost = 0.0
        self._requests = 0
        self._unpriced = 0  # replies without the number of their tokens
        self._start = self._last_line = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Self:
        if not self.quiet and sys.stderr.isatty():
            self._bar = make_bar(transient=False)
            self._bar.add_task("", total=None, facts="")
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def watch(self, progress: Progress) -> None:
        """Record the progress of the run, and show it."""
        is_first = not self.total
        self.done = progress.done
        self.total = progress.total
        # Replies from a cache cost nothing.
        if progress.asked > self._requests and progress.record is not None:
            self._charge(progress.record)
        self._requests = progress.asked
        # They are no progress: a reply that is not judged must not be missed.
        if is_first:
            echo([f"{visible(self.name)}: {remark}" for remark in progress.remarks], err=True)
        if self.quiet:
            return
        facts = list(self._facts(progress))
        if self._bar is None:
            self._print(facts, is_first)
            return
        [task] = self._bar.task_ids
        self._bar.update(task, completed=self.done, total=self.total, facts=", ".join(facts))

    def _print(self, facts: list[str], is_first: bool) -> None:
        """Print a line if it is the first one, the last one, or due."""
        now = time.monotonic()
        is_due = now - self._last_line >= _PAUSE
        if not (is_first or is_due or self.done == self.total):
            return
        self._last_line = now
        counts = [f"{self.done} of {self.total}"]
        seconds = round((now - self._start) * self._ratio_left())
        if seconds:
            minutes, seconds = divmod(seconds, 60)
            duration = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
            counts.append(f"about {duration} left")
        echo([f"{visible(self.name)}: {', '.join(counts + facts)}"], err=True)

    def _ratio_left(self) -> float:
        """Return the cases that are left, as a multiple of those that this run has done."""
        return (self.total - self.done) / self._requests if self._requests else 0.0

    def _charge(self, record: Record) -> None:
        for tokens, price in zip(record.usage, self.prices, strict=True):
            if price is not None:
                self.cost += (tokens or 0) * price / _MILLION
        self._unpriced += any(tokens is None for tokens in record.usage)

    def _facts(self, progress: Progress) -> Iterator[str]:
        if progress.failed:
            yield f"{progress.failed} failed"
        if self.prices != (None, None) and self._requests:
            least = "at least " if self._unpriced else ""
            yield f"cost {least}{self.cost:.4f}"
            cost_left = self.cost * self._ratio_left()
            if cost_left:
                yield f"about {cost_left:.4f} more"


def show_run(records: Sequence[Record]) -> Iterator[str]:
    """Yield a table for each provenance: a row for each format and model."""
    # Replies of different provenance are never in one table.
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(str(record.provenance), []).append(record)
    for provenance, group in groups.items():
        yield ""
        yield visible(provenance)
        yield from _show_group(group)


def _show_group(records: Sequence[Record]) -> Iterator[str]:
    """Yield the table of one provenance, which is one model unless its replies are recorded."""
    rows: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        model = record.model if record.provenance.kind == "replayed" else ""
        rows.setdefault((model, record.case.format), []).append(record)
    models = {model for model, _ in rows}
    titles = _TITLES if models == {""} else ("model", *_TITLES)
    cells = []
    cases = set()
    # Formats keep their order within a model.
    for model, format in sorted(rows, key=itemgetter(0)):
        row = rows[model, format]
        judged = [record for record in row if record.phases]
        failed = len(row) - len(judged)
        line = [model or "not known", format, *_show_figures(judged), failed]
        cells.append(line[-len(titles) :])
        cases.add(frozenset((record.case.task, record.case.repetition) for record in judged))
    yield from draw_table(titles, cells, texts=range(len(titles) - 1))
    if len(cases) > 1 and len(models) == 1:
        yield (
            "(not all formats have replies to the same tasks: `symops bench compare` pairs those "
            "that they have)"
        )


def _show_figures(records: Sequence[Record]) -> Iterator[object]:
    """Yield the counts and rates of the cases that have a result."""
    from ...lab.benchmark.figures import OUTCOMES, outcome_of
    from ...lab.measuring.statistics import Rate

    yield len(records)
    yield len({record.case.task for record in records})
    yield _show(Rate.of((record.case.task, record.phases[0].accepted) for record in records))
    ends = [(record.case.task, record.final) for record in records if record.final]
    yield _show(Rate.of((task, end.accepted) for task, end in ends))
    # A recorded reply may have no correct document to compare with.
    outcomes = [(task, outcome_of(end)) for task, end in ends]
    for name in (OUTCOMES[0], OUTCOMES[-1]):
        hits = [(task, outcome == name) for task, outcome in outcomes if outcome is not None]
        yield _show(Rate.of(hits))


def _show(rate: Rate) -> str:
    """Return a rate with its interval, for which tasks are resampled."""
    if rate.interval is None:
        return "-"
    low, high = rate.interval
    return f"{rate.k / rate.n:.1%} ({low:.1%}–{high:.1%})"
