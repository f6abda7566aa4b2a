"""Read a log, or a part of it, once from its beginning to its end; find problems and count.

Invariants:

1. A log in the order of its writing takes the same memory, whatever its length.
2. A part that is merged with the next one gives the same result as both together.

A run may not say how many rows it has. It is judged after many younger runs. If one of its rows
comes later, the log is read `exact`ly again, which takes memory for every open run.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from sys import intern
from typing import BinaryIO

from ...core.ground.errors import SymOpsError
from .chain import Numbers, Seal, Seals, hash_line
from .comparison import Comparison
from .rows import AnyMetric, Row, RowError, RowReader, is_torn
from .runs import Problem, judge_run
from .tallies import Order, Tallies

_MAX_OPEN = 1000  # younger runs after which a run without a number of rows is judged
_BUCKETS = 256  # of hashes of runs; one at a time is searched for equal ones
_BLOCK = 1 << 18  # bytes of the buffer of a file
_MAX_LINE = 1 << 20  # bytes
_MAX_PROBLEMS = 1000  # that are kept; further ones are counted
TORN = "the line is half written: its writer was killed, and this row was never complete"
Piece = tuple[int, int]  # a part of a file, from one byte to another


@contextmanager
def open_log(path: Path) -> Iterator[BinaryIO]:
    """Open a log.

    Raises:
        SymOpsError: It cannot be read.
    """
    try:
        with open(path, "rb", _BLOCK) as file:
            yield file
    except OSError as error:
        raise SymOpsError(f"{path}: cannot be read: {error.strerror or error}") from None


def read_lines(file: BinaryIO, piece: Piece | None = None) -> Iterator[tuple[bytes, bool]]:
    """Yield the lines of a file, or those that begin in a piece of it.

    Each comes with whether it has a line feed at its end.

    Raises:
        SymOpsError: A line is too long.
    """
    begin, end = piece or (0, 1 << 62)
    if begin:
        # The end of a line that began before belongs to the piece before.
        file.seek(begin - 1)
        begin += len(file.readline()) - 1
    file.seek(begin)
    while begin < end and (line := file.readline(_MAX_LINE + 1)):
        if len(line) > _MAX_LINE:
            raise SymOpsError(f"a line is longer than {_MAX_LINE:,} bytes: this is not a run log")
        begin += len(line)
        yield line.removesuffix(b"\n"), line.endswith(b"\n")


# Attributes of a part that are added up.
_COUNTS = (
    "lines",
    "rows",
    "runs",
    "decided",
    "incomplete",
    "wrong",
    "unknown_winners",
    "unsealed",
    "back_count",
)


class Fold:
    """The results of reading a log, or a part of it."""

    def __init__(
        self, *, first: bool = True, exact: bool = False, heads: Iterable[str] = ()
    ) -> None:
        """Begin with no rows.

        Args:
            first: Whether it is the part at the beginning of the log.
            exact: Whether no run is judged before the end.
            heads: Hashes of rows to look for.
        """
        self.lines = 0
        self.rows = 0
        self.runs = 0
        self.decided = 0
        self.incomplete = 0
        self.wrong = 0
        self.problems: list[Problem] = []
        self.tallies = Tallies()
        self.comparisons: dict[str, Comparison] = {}  # by metric
        self.numbers = Numbers()
        self.seals = Seals()
        self.unsealed = 0  # rows without a valid seal
        self.forged = 0  # the first line with a broken seal
        self.seen: dict[str, int] = {}  # by hash, the numbers of rows to look for
        self.weights: dict[str, tuple[AnyMetric, int]] = {}
        self.torn: list[Problem] = []
        self.ends_torn = False
        self.back_count = 0  # how often the clock went back
        self.back_line = 0  # the first line after that
        self.first_time = ""
        self.last_time = ""
        self.unknown_winners = 0  # rows that name a winner and no run
        self._open: dict[str, list[Row]] = {}
        # Runs at the beginning of a later part. Some of their rows may be in the part before.
        self._edge: dict[str, list[Row]] = {}
        self._judged = [array("Q") for _ in range(_BUCKETS)]  # hashes of the runs that were judged
        self._is_first = first
        self._exact = exact
        self._heads = frozenset(heads)
        self._begun = 0

    def read(self, lines: Iterable[tuple[bytes, bool]]) -> None:
        """Read some lines."""
        read_row = RowReader().read
        for line, has_end in lines:
            self.lines += 1
            if not line:
                self.complain(self.lines, "the line is empty")
                continue
            try:
                row = read_row(line, self.lines)
            except RowError as error:
                self._refuse(line, has_end, str(error))
            else:
                self._link(row, line)
                self._take(row)

    def _link(self, row: Row, line: bytes) -> None:
        """Check the seal of a row, and whether it follows the row before it."""
        seal = self.seals.check(line)
        if seal is Seal.BROKEN and not self.forged:
            self.forged = row.line
        row.sealed = self.seals.trusts(seal, row.prev)
        self.unsealed += not row.sealed
        # Rows of older logs have no number, which is -1 here.
        number = row.order[0]
        if number >= 0:
            digest = hash_line(line)
            self.numbers.add(number, row.line, row.prev, digest)
            if digest in self._heads:
                self.seen[digest] = number

    def _refuse(self, line: bytes, has_end: bool, reason: str) -> None:
        if is_torn(line, has_end):
            self.torn.append(Problem(self.lines, TORN))
            self.ends_torn = not has_end
        else:
            self.complain(self.lines, reason)

    def complain(self, line: int, message: str) -> None:
        """Add a problem."""
        self.wrong += 1
        if len(self.problems) < _MAX_PROBLEMS:
            self.problems.append(Problem(line, message))

    def _take(self, row: Row) -> None:
        self.rows += 1
        # Few names, in very many rows.
        row.model_id = intern(row.model_id)
        row.version = intern(row.version)
        metric = row.metric
        if not row.follows:
            numbers = f"its numbers give {row.computed!r} ({metric.name})"
            self.complain(row.line, f"the reward is {row.reward!r}, and {numbers}")
        self._compare_weights(metric, row.line)
        if row.timestamp < self.last_time:
            self.back_count += 1
            self.back_line = self.back_line or row.line
        self.first_time = self.first_time or row.timestamp
        self.last_time = row.timestamp
        tally = self.tallies.find(row.model_id, row.version, metric.name)
        tally.add(row.order, row.timestamp, row.passed, row.judged, row.cost, sealed=row.sealed)
        self._group(row)

    def _compare_weights(self, metric: AnyMetric, line: int) -> None:
        first, first_line = self.weights.setdefault(metric.name, (metric, line))
        # The same object in nearly all rows.
        if first is not metric and first != metric:
            self.complain(line, f"{metric.name} has other weights than on line {first_line}")

    def _group(self, row: Row) -> None:
        run = row.run_id
        if run is None:
            self.unknown_winners += row.winner is not None
            self._judge([row])
            return
        rows = self._open.get(run) or self._edge.get(run)
        if rows is None:
            self._begun += 1
            is_edge = not self._is_first and self._begun <= _MAX_OPEN
            rows = []
            (self._edge if is_edge else self._open)[run] = rows
        rows.append(row)
        # Runs at the edge wait for the part before.
        if len(rows) == row.candidates and run in self._open:
            self._judge(self._open.pop(run))
        elif len(self._open) > _MAX_OPEN and not self._exact:
            oldest = next(iter(self._open))
            self._judge(self._open.pop(oldest))

    def _judge(self, rows: list[Row]) -> None:
        run = rows[0].run_id
        verdict = judge_run(rows)
        for problem in verdict.problems:
            self.complain(problem.line, problem.what)
        if run is None:
            return
        # Hashes take less memory than names. Two equal ones only lead to a second reading.
        digest = blake2b(run.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        number = int.from_bytes(digest, "big")
        self._judged[number % _BUCKETS].append(number)
        self.runs += 1
        self.incomplete += verdict.incomplete
        competing = [row for row in rows if row.competes]
        self.decided += verdict.decided
        # A model that is alone always wins.
        if len(competing) < 2:
            return
        if not verdict.problems and not verdict.incomplete:
            comparison = self.comparisons.setdefault(rows[0].metric.name, Comparison())
            comparison.add(rows, verdict.winner)
        if verdict.decided:
            order: Order = max(row.order for row in rows)
            sealed = all(row.sealed for row in rows)
            for row in competing:
                tally = self.tallies.find(row.model_id, row.version, row.metric.name)
                won = row.model_id == verdict.winner
                tally.compete(order, won, len(competing), sealed=sealed)

    def merge(self, other: Fold) -> None:
        """Add the next part of the same log."""
        self.numbers.merge(other.numbers, self.lines)
        if other.forged:
            self.forged = self.forged or other.forged + self.lines
        self.seen |= other.seen
        self._shift(other)
        for rows in (*other._edge.values(), *other._open.values()):
            for row in rows:
                row.line += self.lines
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.ends_torn = other.ends_torn
        self.tallies.merge(other.tallies)
        for metric, comparison in other.comparisons.items():
            self.comparisons.setdefault(metric, Comparison()).merge(comparison)
        for bucket, other_bucket in zip(self._judged, other._judged, strict=True):
            bucket.extend(other_bucket)
        # The rows of a run may be in both parts.
        for run, rows in other._edge.items():
            run_rows = self._open.setdefault(run, [])
            run_rows += rows
            if len(run_rows) == rows[0].candidates:
                self._judge(self._open.pop(run))
        for run, rows in other._open.items():
            self._open.setdefault(run, []).extend(rows)

    def _shift(self, other: Fold) -> None:
        """Add the problems and times of the next part, with their lines in the whole log."""
        for problems, further in ((self.problems, other.problems), (self.torn, other.torn)):
            for problem in further[: _MAX_PROBLEMS - len(problems)]:
                problems.append(Problem(problem.line + self.lines, problem.what))
        for metric, line in other.weights.values():
            self._compare_weights(metric, line + self.lines)
        if other.first_time:
            if self.last_time > other.first_time:
                self.back_count += 1
                self.back_line = self.back_line or self.lines + 1
            if other.back_line:
                self.back_line = self.back_line or self.lines + other.back_line
            self.first_time = self.first_time or other.first_time
            self.last_time = other.last_time

    def finish(self) -> bool:
        """Judge the open runs.

        Returns:
            Whether no run was judged too early. Otherwise, read the log `exact`ly.
        """
        for runs in (self._edge, self._open):
            for rows in runs.values():
                self._judge(rows)
            runs.clear()
        if self._exact:
            return True
        # A run that was judged twice has its hash twice.
        return all(len(set(bucket)) == len(bucket) for bucket in self._judged)


def fold_piece(job: tuple[Path, Piece | None, bool], heads: Iterable[str] = ()) -> Fold:
    """Read a piece of a log, in a worker process or in this one.

    Args:
        job: The log, the piece of it (None: all), and whether it is read exactly.
        heads: Hashes of rows to look for.
    """
    path, piece, exact = job
    is_first = piece is None or piece[0] == 0
    fold = Fold(first=is_first, exact=exact, heads=heads)
    with open_log(path) as file:
        fold.read(read_lines(file, piece))
    return fold
