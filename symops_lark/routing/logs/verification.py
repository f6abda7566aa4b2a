"""Verify a run log: each reward must follow from its row, and each winner from its run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise, repeat
from pathlib import Path
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.ground.json_objects import write_object
from ...core.ground.numbers import counted
from ..metrics.metrics import METRIC_V1
from .chain import Chain, Head, find_lost
from .comparison import Comparison
from .folding import Fold, fold_piece
from .runs import Problem
from .tallies import Tallies

_MIN_PIECE = 8 << 20  # bytes that take longer to read than a process takes to start
_MAX_TORN = 10  # half lines that are listed


@dataclass(frozen=True, slots=True)
class LogReport:
    """The result of the verification of a log.

    Attributes:
        path: The path of the log.
        rows: The number of rows.
        runs: The number of runs.
        decided: The number of runs with a winner.
        incomplete: The number of runs without one of their rows, so that the winner is unknown.
        wrong: The number of problems.
        problems: The first thousand problems, by line.
        notes: Further remarks, which are not problems.
        tallies: The figures of each model.
        chain: The rows that have the hash of the row before them.
        comparisons: The contests of each metric.
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
    chain: Chain = field(default_factory=Chain)
    comparisons: Mapping[str, Comparison] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether there are no problems."""
        return not self.wrong

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        counts = ("path", "ok", "rows", "runs", "decided", "incomplete", "wrong")
        contests = {}
        for metric, comparison in sorted(self.comparisons.items()):
            contests[metric] = comparison.to_dict()
        return {
            **write_object(self, *counts, "problems", "notes", "chain"),
            "models": [tally.to_dict() for tally in self.tallies],
            "contests": contests,
        }


def verify_log(path: str | Path, *, jobs: int = 1, heads: Iterable[Head] = ()) -> LogReport:
    """Compute each reward and each winner of a log again, and check the chain of its rows.

    Args:
        path: The log.
        jobs: The number of processes that read a large log. They are spawned, so a script that
            uses several needs its `if __name__ == "__main__"`.
        heads: Hashes of rows that were seen before, such as `Registry.log_heads(path)`. It is a
            problem if no row has one of them: the log was cut or rewritten.

    Returns:
        The problems, with their lines, and the figures of each model.

    Raises:
        SymOpsError: The file cannot be read.
    """
    place = Path(path)
    heads_by_hash = {head.hash: head for head in heads}
    hashes = frozenset(heads_by_hash)
    fold = _fold(place, jobs, hashes)
    # Rare: rows of one run are far apart, and say nothing about their number.
    if not fold.finish():
        fold = fold_piece((place, None, True), hashes)
        fold.finish()
    gaps, remarks = fold.numbers.tell()
    if not fold.numbers.stretches:
        # Without numbers, a row may be missing there. The last line is known to be half a row.
        for torn in fold.torn[: -1 if fold.ends_torn else None]:
            fold.complain(torn.line, torn.what)
    for message in gaps:
        fold.complain(0, message)
    _check_chain(fold)
    for message in find_lost(heads_by_hash.values(), fold.seen):
        fold.complain(fold.lines, message)
    trusted = -1
    for digest, number in fold.seen.items():
        if heads_by_hash[digest].trusted:
            trusted = max(trusted, number)
    chain = fold.numbers.describe(trusted)
    notes = (*remarks, *_notes(fold))
    problems = tuple(sorted(fold.problems))
    return LogReport(
        str(path),
        fold.rows,
        fold.runs,
        fold.decided,
        fold.incomplete,
        fold.wrong,
        problems,
        notes,
        fold.tallies,
        chain,
        fold.comparisons,
    )


def _check_chain(fold: Fold) -> None:
    """Add the first broken seal and the first broken link to the problems.

    A line that has a problem already gets no other one.
    """
    lines = {problem.line for problem in fold.problems}
    if fold.forged and fold.forged not in lines:
        fold.complain(
            fold.forged,
            "its seal does not fit: this row was changed or forged; restore the log from a copy",
        )
        lines.add(fold.forged)
    # A changed row breaks both its seal and the link after it: one problem is enough.
    before, after = fold.numbers.broken or (0, 0)
    if after and not {before, after} & lines:
        fold.complain(
            after,
            "it does not have the hash of the row before it: a row was changed, added or removed "
            "here; restore the log from a copy",
        )


def _fold(path: Path, jobs: int, heads: frozenset[str]) -> Fold:
    try:
        size = path.stat().st_size
    except OSError as error:
        raise SymOpsError(f"{path}: cannot be read: {error.strerror or error}") from None
    parts = min(jobs, size // _MIN_PIECE)
    if parts <= 1:
        return fold_piece((path, None, False), heads)
    from ...core.ground.python_processes import process_pool

    # The last piece has no end: the log may grow meanwhile.
    ends = [size * number // parts for number in range(parts)]
    ends.append(1 << 62)
    pieces = [(path, piece, False) for piece in pairwise(ends)]
    with process_pool(parts, may_fork=False) as pool:
        first, *following = pool.map(fold_piece, pieces, repeat(heads))
    for fold in following:
        first.merge(fold)
    return first


def _notes(fold: Fold) -> Iterator[str]:
    for torn in fold.torn[:_MAX_TORN]:
        yield f"line {torn.line}: {torn.what}"
    further = len(fold.torn) - _MAX_TORN
    if further > 0:
        yield f"{counted(further, 'more line is', 'more lines are')} half written"
    if fold.incomplete:
        runs = counted(fold.incomplete, "run has", "runs have")
        yield f"{runs} fewer rows than candidates: their writer was killed, and no model won"
    if fold.back_count:
        times = counted(fold.back_count, "time")
        yield (
            f"the clock went back {times}, first on line {fold.back_line}; "
            "rows are in the order of their numbers"
        )
    if fold.unknown_winners:
        rows = counted(fold.unknown_winners, "row names", "rows name")
        yield f"{rows} a winner and no run_id: the other candidates are unknown"
    if fold.seals.missing and fold.rows:
        yield f"seals cannot be checked: {fold.seals.missing}"
    elif fold.unsealed:
        rows = counted(fold.unsealed, "row has", "rows have")
        yield f"{rows} no seal of your key: they count in statistics, and for no promotion"
    metric, line = fold.weights.get(METRIC_V1.name, (METRIC_V1, 0))
    if metric != METRIC_V1:
        yield (
            f"{metric.name} has other weights than the protocol's, "
            f"since line {line}: {metric.params}"
        )
