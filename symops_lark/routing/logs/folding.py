"""A log, or a part of it, read once from its beginning to its end: what is wrong, and what it comes to.

Laws: a log in the order in which it was written takes the same memory whatever its length; a part is put together with
the next one as if they had been read as one. Of runs that do not say how many rows they have, those that are old are
judged: should a row of such a run come later, the log is read `exact`ly again, which takes memory for every open run.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from sys import intern
from typing import BinaryIO

from ...core.ground.errors import SymOpsError
from ..metrics.metrics import Metric, MixedMetric
from .chain import Numbers, Seal, Seals, hash_line
from .comparison import Comparison
from .rows import Row, RowError, RowReader, is_torn
from .runs import Problem, judge_run
from .tallies import Order, Tallies

_AHEAD = 1000  # younger runs after which a run that does not say its number of rows is judged
_BUCKETS = 256
_BLOCK, _LONGEST = 1 << 18, 1 << 20  # bytes
TORN = "the line is half written: its writer was killed, and this row never was whole"
_SHOWN = 1000  # problems that are kept; the others are counted
Piece = tuple[int, int]  # of a file, from one byte to another


@contextmanager
def open_log(path: Path) -> Iterator[BinaryIO]:
    """Open a log; raise `SymOpsError` where it cannot be read."""
    try:
        with open(path, "rb", _BLOCK) as file:
            yield file
    except OSError as error:
        raise SymOpsError(f"{path}: cannot be read: {error.strerror or error}") from None


def read_lines(file: BinaryIO, piece: Piece | None = None) -> Iterator[tuple[bytes, bool]]:
    """Yield the lines of a file, or those that begin in a piece of it, each with whether it has its end."""
    begin, end = piece or (0, 1 << 62)
    if begin:
        file.seek(begin - 1)
        begin += len(file.readline()) - 1  # the rest of a line that began before
    file.seek(begin)
    while begin < end and (line := file.readline(_LONGEST + 1)):
        if len(line) > _LONGEST:
            raise SymOpsError(f"a line is longer than {_LONGEST:,} bytes: this is no run log")
        begin += len(line)
        yield line.removesuffix(b"\n"), line.endswith(b"\n")


class Fold:
    """What was read of a log, or of a part of it. `first` tells the part at the beginning."""

    def __init__(self, *, first: bool = True, exact: bool = False, heads: Iterable[str] = ()) -> None:
        self.lines = self.rows = self.runs = self.decided = self.incomplete = self.wrong = 0
        self.problems: list[Problem] = []
        self.tallies = Tallies()
        self.comparisons: dict[str, Comparison] = {}  # by metric
        self.numbers = Numbers()
        self.seals = Seals()
        self.unsealed = self.forged = 0  # rows without a valid seal, and the first line whose seal is broken
        self.seen: dict[str, int] = {}  # the numbers of the rows whose hashes are asked for
        self.weights: dict[str, tuple[Metric | MixedMetric, int]] = {}
        self.torn: list[Problem] = []
        self.ends_torn = False
        self.back = (0, 0)  # how often the clock went back, and where first
        self.times = ("", "")  # of the first and the last row
        self.unknown_winners = 0  # of rows that name a winner and no run
        self._open: dict[str, list[Row]] = {}
        self._edge: dict[str, list[Row]] = {}
        self._judged = [array("Q") for _ in range(_BUCKETS)]  # hashes of the runs that were judged
        self._is_first, self._exact = first, exact
        self._heads = frozenset(heads)
        self._begun = 0

    def read(self, lines: Iterable[tuple[bytes, bool]]) -> None:
        """Read some lines."""
        read = RowReader().read
        for line, whole in lines:
            self.lines += 1
            if not line:
                self.complain(self.lines, "the line is empty")
                continue
            try:
                row = read(line, self.lines)
            except RowError as error:
                self._refuse(line, whole, str(error))
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
        number = row.order[0]
        if number >= 0:
            digest = hash_line(line)
            self.numbers.add(number, row.line, row.prev, digest)
            if digest in self._heads:
                self.seen[digest] = number

    def _refuse(self, line: bytes, whole: bool, why: str) -> None:
        if is_torn(line, whole):
            self.torn.append(Problem(self.lines, TORN))
            self.ends_torn = not whole
        else:
            self.complain(self.lines, why)

    def complain(self, line: int, what: str) -> None:
        """Take note of what is wrong."""
        self.wrong += 1
        if len(self.problems) < _SHOWN:
            self.problems.append(Problem(line, what))

    def _take(self, row: Row) -> None:
        self.rows += 1
        row.model_id, row.version = intern(row.model_id), intern(row.version)
        order, metric = row.order, row.metric
        if not row.follows:
            self.complain(
                row.line, f"the reward is {row.reward!r}, and its numbers give {row.computed!r} ({metric.name})"
            )
        known = self.weights.get(metric.name)
        if known is None:
            self.weights[metric.name] = metric, row.line
        elif known[0] is not metric and known[0] != metric:
            self.complain(row.line, f"{metric.name} has other weights than on line {known[1]}")
        if row.timestamp < self.times[1]:
            self.back = self.back[0] + 1, self.back[1] or row.line
        self.times = self.times[0] or row.timestamp, row.timestamp
        tally = self.tallies.find(row.model_id, row.version, metric.name)
        tally.add(order, row.timestamp, row.passed, row.judged, row.cost, sealed=row.sealed)
        self._group(row)

    def _group(self, row: Row) -> None:
        run = row.run_id
        if run is None:
            self.unknown_winners += row.winner is not None
            self._judge([row])
            return
        rows = self._open.get(run)
        if rows is None:
            rows = self._edge.get(run)
            if rows is None:
                self._begun += 1
                where = self._open if self._is_first or self._begun > _AHEAD else self._edge
                rows = where[run] = []
        rows.append(row)
        if len(rows) == row.candidates and run in self._open:
            self._judge(self._open.pop(run))
        elif len(self._open) > _AHEAD and not self._exact:
            self._judge(self._open.pop(next(iter(self._open))))

    def _judge(self, rows: list[Row]) -> None:
        run = rows[0].run_id
        verdict = judge_run(rows)
        for problem in verdict.problems:
            self.complain(problem.line, problem.what)
        if run is None:
            return
        number = int.from_bytes(blake2b(run.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
        self._judged[number % _BUCKETS].append(number)
        self.runs += 1
        self.incomplete += verdict.incomplete
        competing = [row for row in rows if row.competes]
        is_whole = not verdict.problems and not verdict.incomplete
        if is_whole and len(competing) > 1:
            self.comparisons.setdefault(rows[0].metric.name, Comparison()).add(rows, verdict.winner)
        if verdict.decided:
            self.decided += 1
            if len(competing) > 1:
                order: Order = max(row.order for row in rows)
                sealed = all(row.sealed for row in rows)
                for row in competing:
                    tally = self.tallies.find(row.model_id, row.version, row.metric.name)
                    tally.compete(order, row.model_id == verdict.winner, len(competing), sealed=sealed)

    def merge(self, other: Fold) -> None:
        """Put the next part of the same log behind this one."""
        self.numbers.merge(other.numbers, self.lines)
        self.forged = self.forged or (other.forged and other.forged + self.lines)
        self.seen |= other.seen
        self._shift(other)
        for row in (row for rows in (*other._edge.values(), *other._open.values()) for row in rows):
            row.line += self.lines
        for name in ("lines", "rows", "runs", "decided", "incomplete", "wrong", "unknown_winners", "unsealed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.ends_torn = other.ends_torn
        self.tallies.merge(other.tallies)
        for metric, comparison in other.comparisons.items():
            self.comparisons.setdefault(metric, Comparison()).merge(comparison)
        for mine, others in zip(self._judged, other._judged, strict=True):
            mine.extend(others)
        for run, rows in other._edge.items():
            known = self._open.setdefault(run, [])
            known += rows
            if len(known) == rows[0].candidates:
                self._judge(self._open.pop(run))
        for run, rows in other._open.items():
            self._open.setdefault(run, []).extend(rows)

    def _shift(self, other: Fold) -> None:
        for mine, others in ((self.problems, other.problems), (self.torn, other.torn)):
            mine += [Problem(each.line + self.lines, each.what) for each in others[: _SHOWN - len(mine)]]
        for name, (metric, line) in other.weights.items():
            known = self.weights.setdefault(name, (metric, line + self.lines))
            if known[0] != metric:
                self.complain(line + self.lines, f"{name} has other weights than on line {known[1]}")
        if other.times[0]:
            back = self.times[1] > other.times[0]
            first = self.back[1] or (self.lines + 1 if back else other.back[1] and other.back[1] + self.lines)
            self.back = self.back[0] + other.back[0] + back, first
            self.times = self.times[0] or other.times[0], other.times[1]

    def finish(self) -> bool:
        """Judge what is still open; return False if a run was judged too early: read `exact`ly then."""
        for where in (self._edge, self._open):
            for rows in where.values():
                self._judge(rows)
            where.clear()
        return self._exact or not any(one == other for each in self._judged for one, other in pairwise(sorted(each)))


def fold_piece(job: tuple[Path, Piece | None, bool], heads: Iterable[str] = ()) -> Fold:
    """Read a piece of a log: what a worker does.

    Args:
        job: The log, the piece of it (None: all), and whether it is read exactly.
        heads: Hashes of rows to look for.
    """
    path, piece, exact = job
    fold = Fold(first=piece is None or piece[0] == 0, exact=exact, heads=heads)
    with open_log(path) as file:
        fold.read(read_lines(file, piece))
    return fold
