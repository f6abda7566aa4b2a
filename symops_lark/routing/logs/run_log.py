"""The run log: a file of JSON lines, one for each candidate's try.

Several processes may append to it. Invariants:

1. A row that is in the file is never changed.
2. A row is written completely or not at all, except for half a line of a writer that was killed.
   The next writer ends this line and continues after it.
3. Rows are numbered in the order of their writing.
4. A row is refused if the name of its metric has other weights in the log.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, repeat
from pathlib import Path

from ...core.ground.errors import SymOpsError
from ...core.ground.json_lines import append_bytes
from ..errors import RoutingError
from ..events import now
from .chain import FIRST, Seals, close, hash_line
from .folding import open_log, read_lines
from .rows import (
    FALLBACK,
    AnyMetric,
    JsonRow,
    NewRow,
    Row,
    RowError,
    RowReader,
    is_torn,
    modernise,
    read_json,
)
from .runs import Verdict, find_winner, judge_run
from .verification import verify_log
from .weights import Weights

_BATCH = 1000  # rows that are written at once


class RunLog:
    """A run log. Its file is created with the first row, and closed after each row.

    Before its first row, a log reads all metrics in its file. Keep one object for many rows: a new
    one for each row takes time with their square.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._weights = Weights(self.path)

    def append(self, row: JsonRow) -> NewRow:
        """Write a row.

        Returns:
            The row with its number, and with a time if it had none.

        Raises:
            RowError: It is not a row, or its metric has other weights in the log. Nothing is
                written.
            SymOpsError: The file cannot be written.
        """
        [new] = self._append([row])
        return new

    def append_run(self, rows: Iterable[JsonRow]) -> list[NewRow]:
        """Write all rows of one run at once, each with their number, so that a loss is noticed.

        Raises:
            RowError: As for `append`.
            SymOpsError: The file cannot be written.
        """
        run = list(rows)
        return self._append([{"candidates": len(run), **row} for row in run])

    def check_metric(self, metric: AnyMetric) -> None:
        """Refuse a metric whose name has other weights in the log, before models are asked.

        Raises:
            RowError: Its rows could not be appended.
            SymOpsError: The file cannot be read.
        """
        self._weights.read()
        self._weights.check(metric)

    def rows(self) -> Iterator[NewRow]:
        """Yield the rows as JSON objects, with the present names. Half a line is skipped.

        Raises:
            RowError: A line is not a row. The message begins with `file:line`.
        """
        for _, value in _read(self.path):
            yield value

    __iter__ = rows

    def count_asked(self) -> Counter[str]:
        """Return how often each model was asked, without fallbacks; empty without a file."""
        calls: Counter[str] = self.read_history()["asked"]
        return calls

    def sum_costs(self) -> dict[str, float]:
        """Return the costs of each model, without fallbacks."""
        costs: dict[str, float] = self.read_history()["spent"]
        return costs

    def read_history(self) -> NewRow:
        """Return `asked` and `spent` of a `Flow`: the calls and the costs of each model."""
        calls = Counter[str]()
        costs: defaultdict[str, float] = defaultdict(float)
        for row in self.rows() if self.path.exists() else ():
            if row.get("role") != FALLBACK:
                calls[row["model_id"]] += 1
                costs[row["model_id"]] += row["cost"]
        return {"asked": calls, "spent": dict(costs)}

    def _append(
        self, rows: Sequence[JsonRow], sealed: Iterable[bool] = repeat(True)
    ) -> list[NewRow]:
        """Write rows, each with the hash of the row before it, and with a seal unless forbidden."""
        if not rows:
            return []
        check = RowReader().check
        new_rows = []
        metrics: dict[str, AnyMetric] = {}
        for row in rows:
            # Numbers, hashes and seals of the caller do not count.
            new = {"seq": 0, "timestamp": now(), **row, "prev": FIRST}
            new["seq"] = 0
            new.pop("seal", None)
            metric = check(new).metric
            if metrics.setdefault(metric.name, metric) != metric:
                raise RowError(f"metric_params: {metric.name} has other weights in another row")
            new_rows.append(new)
        # Most of the log is read here, and the lines that others then add under the lock.
        self._weights.read()
        seals = Seals(make=True)
        pairs = list(zip(new_rows, sealed, strict=False))

        def write(end: bytes, is_all: bool) -> bytes | None:
            last = _find_last(end, is_all)
            if last is None:
                return None
            self._weights.read()
            for metric in metrics.values():
                self._weights.check(metric)
            number, prev = last
            lines = []
            for place, (row, is_sealed) in enumerate(pairs, number + 1):
                # The seal of an earlier call, which saw too few lines.
                row.pop("seal", None)
                row |= {"seq": place, "prev": prev}
                line = json.dumps(row, separators=(",", ":"), allow_nan=False).encode("ascii")
                seal = seals.make(line) if is_sealed else ""
                if seal:
                    row["seal"] = seal
                    line = close(line, seal)
                lines.append(line)
                prev = hash_line(line)
            # Half a line, of a writer that was killed, is ended first.
            if end and not end.endswith(b"\n"):
                lines.insert(0, b"")
            return b"\n".join([*lines, b""])

        try:
            append_bytes(self.path, write)
        except RowError:
            raise
        except (TypeError, ValueError) as error:
            raise RowError(f"a row is JSON: {error}") from None
        return new_rows


def _find_last(end: bytes, is_all: bool) -> tuple[int, str] | None:
    """Return the number and the hash of the last row; None if more of the file is necessary."""
    for line in reversed(end.split(b"\n")):
        try:
            number = read_json(line).get("seq") if line.strip() else None
        except RowError:
            continue
        # Lines of other programs have no number.
        if type(number) is int:
            return number, hash_line(line)
    return (-1, FIRST) if is_all else None


def _read(path: Path) -> Iterator[tuple[Row, NewRow]]:
    """Yield each row, and its JSON object."""
    check = RowReader().check
    seals = Seals()
    with open_log(path) as file:
        for number, (line, has_end) in enumerate(read_lines(file), 1):
            try:
                value = dict(modernise(read_json(line)))
                row = check(value, number)
                row.sealed = seals.trusts(seals.check(line), row.prev)
                yield row, value
            except RowError as error:
                if is_torn(line, has_end):
                    continue
                raise RowError(f"{path}:{number}: {error}") from None


@dataclass(frozen=True, slots=True)
class Explanation:
    """One run of a log.

    Attributes:
        run_id: The name of the run.
        rows: Its rows, by their numbers.
        values: The same rows as JSON objects.
        verdict: The winner by these rows.
    """

    run_id: str
    rows: tuple[Row, ...]
    values: tuple[JsonRow, ...]
    verdict: Verdict


def explain_run(path: str | Path, run_id: str) -> Explanation:
    """Return the rows of a run, and its winner. Lines that are not rows are skipped.

    Raises:
        RoutingError: There is no such run.
    """
    name = json.dumps(run_id).encode("ascii")
    check = RowReader().check
    pairs = []
    with open_log(Path(path)) as file:
        for number, (line, _) in enumerate(read_lines(file), 1):
            # Other lines cannot contain the name, not even in another notation of JSON.
            if name in line or b"\\" in line or not line.isascii():
                with suppress(RowError):
                    value = modernise(read_json(line))
                    if value.get("run_id") == run_id:
                        pairs.append((check(value, number), value))
    if not pairs:
        raise RoutingError(
            f"{path}: there is no run {run_id!r}; `symops route log stats` counts the runs"
        )
    pairs.sort(key=lambda pair: pair[0].order)
    rows, values = zip(*pairs, strict=True)
    return Explanation(run_id, rows, values, judge_run(list(rows)))


def rescore_log(path: str | Path, metric: AnyMetric, out: str | Path) -> int:
    """Copy a log, with rewards and winners by another metric.

    The former values are in `rescored_from`. A row gets a seal if it has a valid one, and if the
    log has no problems.

    Args:
        path: The log.
        metric: The metric.
        out: The new log.

    Returns:
        The number of rows.

    Raises:
        RoutingError: The new file exists already; nothing is overwritten.
        SymOpsError: The log cannot be read, or the new one cannot be written.
    """
    source = Path(path)
    target = Path(out)
    if target.exists():
        raise RoutingError(
            f"{target}: this file is there already, and nothing is overwritten: name another one"
        )
    groups: dict[str, list[Row]] = {}
    for row, _ in _read(source):
        row.judged = metric.reward(int(row.passed), row.q1, row.cost, row.refusal_penalty)
        # Fallbacks do not compete, so they do not win.
        if row.run_id is not None and row.competes:
            groups.setdefault(row.run_id, []).append(row)
    winners = {}
    for run, rows in groups.items():
        if _is_complete(rows):
            winners[run], _ = find_winner(rows)
    # Renamed at the end, so that an interrupted copy is never taken for a log.
    part = target.with_name(f".{target.name}.part")
    part.unlink(missing_ok=True)
    log = RunLog(part)
    count = 0
    # A seal vouches for a row: a forged row, or a log that has lost rows, gets none by a copy.
    follows = verify_log(source).ok
    pairs = _read(source)
    while batch := list(islice(pairs, _BATCH)):
        new_rows = [_rescore(row, value, metric, winners) for row, value in batch]
        sealed = [follows and row.sealed for row, _ in batch]
        count += len(log._append(new_rows, sealed))
    try:
        part.rename(target)
    except OSError as error:
        raise SymOpsError(f"{target}: cannot be written: {error.strerror or error}") from None
    return count


def _is_complete(rows: Sequence[Row]) -> bool:
    candidates = rows[0].candidates
    return candidates is None or len(rows) >= candidates


def _rescore(
    row: Row, value: JsonRow, metric: AnyMetric, winners: Mapping[str, str | None]
) -> NewRow:
    former = {
        name: value.get(name) for name in ("seq", "metric_version", "metric_params", "reward")
    }
    new = {
        **value,
        "metric_version": metric.name,
        "metric_params": metric.params,
        "reward": metric.reward(int(row.passed), row.q1, row.cost, row.refusal_penalty),
        "rescored_from": former,
    }
    # These are the rewards by the parts of the former metric.
    new.pop("rewards", None)
    if row.is_training and row.run_id is not None:
        former["winner_model_id"] = row.winner
        new["winner_model_id"] = winners.get(row.run_id)
    return new
