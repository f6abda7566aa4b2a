"""Whether a run log follows: each reward from its row, each winner from its run; and what the log comes to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.ground.json_objects import write_object
from ...core.ground.numbers import counted
from ..metrics.metrics import METRIC_V1
from .folding import Fold, fold_piece
from .runs import Problem
from .tallies import Tallies

_WORTH = 8 << 20  # bytes that are worth a process of their own


@dataclass(frozen=True, slots=True)
class LogReport:
    """What a log is found to be. `problems` are what does not follow, by line; `notes` what is only to be known.

    `wrong` counts all problems, of which the first thousand are kept. `decided` are the runs with a winner,
    `incomplete` those of which a row is missing, so that nobody can tell their winner.
    """

    path: str
    rows: int
    runs: int
    decided: int
    incomplete: int
    wrong: int
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    tallies: Tallies

    @property
    def ok(self) -> bool:
        """Whether every row follows."""
        return not self.wrong

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        names = ("path", "ok", "rows", "runs", "decided", "incomplete", "wrong", "problems", "notes")
        return {**write_object(self, *names), "models": [tally.to_dict() for tally in self.tallies]}


def verify_log(path: str | Path, *, jobs: int = 1) -> LogReport:
    """Compute each reward and each winner of a log again, and return what does not follow, with its line.

    With more `jobs`, so many processes read a large log; they are spawned, so a script that asks for them needs its
    `if __name__ == "__main__"`. Raises `SymOpsError` where the file cannot be read.
    """
    place = Path(path)
    fold = _fold(place, jobs)
    if not fold.finish():
        fold = fold_piece((place, None, True))
        fold.finish()
    missing, told = fold.numbers.tell()
    if not fold.numbers:  # nobody knows what stood there
        for torn in fold.torn[: -1 if fold.ends_torn else None]:
            fold.complain(torn.line, torn.what)
    for what in missing:
        fold.complain(0, what)
    notes = (*told, *_notes(fold))
    problems = tuple(sorted(fold.problems))
    return LogReport(
        str(path), fold.rows, fold.runs, fold.decided, fold.incomplete, fold.wrong, problems, notes, fold.tallies
    )


def _fold(path: Path, jobs: int) -> Fold:
    try:
        size = path.stat().st_size
    except OSError as error:
        raise SymOpsError(f"{path}: cannot be read: {error.strerror or error}") from None
    parts = max(1, min(jobs, size // _WORTH))
    if parts == 1:
        return fold_piece((path, None, False))
    from ...core.ground.python_processes import process_pool

    ends = [size * number // parts for number in range(parts)] + [1 << 62]
    with process_pool(parts, may_fork=False) as pool:
        jobs_given = [(path, (ends[number], ends[number + 1]), False) for number in range(parts)]
        first, *others = pool.map(fold_piece, jobs_given)
    for fold in others:
        first.merge(fold)
    return first


def _notes(fold: Fold) -> Iterator[str]:
    for torn in fold.torn[:10]:
        yield f"line {torn.line}: {torn.what}"
    if len(fold.torn) > 10:
        yield f"{counted(len(fold.torn) - 10, 'more line is', 'more lines are')} half written"
    if fold.incomplete:
        runs = counted(fold.incomplete, "run has", "runs have")
        yield f"{runs} fewer rows than candidates: what wrote there was killed, and nobody won"
    times, line = fold.back
    if times:
        back = counted(times, "time")
        yield f"the clock went back {back}, first on line {line}; rows are in the order of their numbers"
    if fold.unknown_winners:
        rows = counted(fold.unknown_winners, "row names", "rows name")
        yield f"{rows} a winner and no run_id: whom it was chosen among cannot be told"
    metric, line = fold.weights.get(METRIC_V1.name, (METRIC_V1, 0))
    if metric != METRIC_V1:
        yield f"{metric.name} has other weights than the protocol's, since line {line}: {metric.params}"
