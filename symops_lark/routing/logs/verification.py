"""Whether a run log follows: each reward from its row, each winner from its run; and what the log comes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import repeat
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

_WORTH = 8 << 20  # bytes that are worth a process of their own


@dataclass(frozen=True, slots=True)
class LogReport:
    """What a log is found to be. `problems` are what does not follow, by line; `notes` what is only to be known.

    `wrong` counts all problems, of which the first thousand are kept. `decided` are the runs with a winner,
    `incomplete` those of which a row is missing, so that nobody can tell their winner. `chain` are the rows that have
    the hash of the row before them. `comparisons` has the contests of each metric.
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
        """Whether every row follows."""
        return not self.wrong

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        names = ("path", "ok", "rows", "runs", "decided", "incomplete", "wrong", "problems", "notes", "chain")
        models = [tally.to_dict() for tally in self.tallies]
        contests = {metric: comparison.to_dict() for metric, comparison in sorted(self.comparisons.items())}
        return {**write_object(self, *names), "models": models, "contests": contests}


def verify_log(path: str | Path, *, jobs: int = 1, heads: Iterable[Head] = ()) -> LogReport:
    """Compute each reward and each winner of a log again, and check that each row follows the row before it.

    Args:
        path: The log.
        jobs: The number of processes that read a large log. They are spawned, so a script that asks for several needs
            its `if __name__ == "__main__"`.
        heads: Hashes of rows that were seen before, such as `Registry.log_heads(path)`. It is a problem if no row has
            one of them: the log was cut or rewritten.

    Returns:
        The problems, with their lines, and the figures of each model.

    Raises:
        SymOpsError: The file cannot be read.
    """
    place = Path(path)
    wanted = {head.hash: head for head in heads}
    fold = _fold(place, jobs, frozenset(wanted))
    if not fold.finish():
        fold = fold_piece((place, None, True), frozenset(wanted))
        fold.finish()
    missing, told = fold.numbers.tell()
    if not fold.numbers.stretches:  # nobody knows what stood there
        for torn in fold.torn[: -1 if fold.ends_torn else None]:
            fold.complain(torn.line, torn.what)
    for what in missing:
        fold.complain(0, what)
    _check_chain(fold)
    for what in find_lost(wanted.values(), fold.seen):
        fold.complain(fold.lines, what)
    trusted = [number for digest, number in fold.seen.items() if wanted[digest].trusted]
    chain = fold.numbers.describe(max(trusted, default=-1))
    notes = (*told, *_notes(fold))
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
    """Add the first broken seal and the first broken link to the problems, unless their lines have one already."""
    lines = {problem.line for problem in fold.problems}
    if fold.forged and fold.forged not in lines:
        fold.complain(fold.forged, "its seal does not fit: this row was changed or forged; restore the log from a copy")
        lines.add(fold.forged)
    before, after = fold.numbers.broken or (0, 0)
    if after and not {before, after} & lines:
        fold.complain(
            after,
            "it does not have the hash of the row before it: a row was changed, added or removed here; "
            "restore the log from a copy",
        )


def _fold(path: Path, jobs: int, heads: frozenset[str]) -> Fold:
    try:
        size = path.stat().st_size
    except OSError as error:
        raise SymOpsError(f"{path}: cannot be read: {error.strerror or error}") from None
    parts = max(1, min(jobs, size // _WORTH))
    if parts == 1:
        return fold_piece((path, None, False), heads)
    from ...core.ground.python_processes import process_pool

    ends = [size * number // parts for number in range(parts)] + [1 << 62]
    with process_pool(parts, may_fork=False) as pool:
        jobs_given = [(path, (ends[number], ends[number + 1]), False) for number in range(parts)]
        first, *others = pool.map(fold_piece, jobs_given, repeat(heads))
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
    if fold.seals.missing and fold.rows:
        yield f"seals cannot be checked: {fold.seals.missing}"
    elif fold.unsealed:
        rows = counted(fold.unsealed, "row has", "rows have")
        yield f"{rows} no seal of your key: they count in statistics, and for no promotion"
    metric, line = fold.weights.get(METRIC_V1.name, (METRIC_V1, 0))
    if metric != METRIC_V1:
        yield f"{metric.name} has other weights than the protocol's, since line {line}: {metric.params}"
