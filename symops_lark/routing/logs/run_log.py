"""The run log: a file of JSON lines, one for each candidate's try, to which several processes may append.

Laws: a row that is in the file stays as it is; a row is there as a whole or not at all, but for half a line that a
killed writer leaves, which the next one ends and goes on behind; rows are numbered in the order of their writing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, repeat
from pathlib import Path
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.ground.json_lines import append_bytes
from ..errors import RoutingError
from ..events import now
from ..metrics.metrics import Metric, MixedMetric
from .chain import FIRST, Seals, close, hash_line
from .folding import open_log, read_lines
from .rows import Row, RowError, RowReader, is_torn, modernise, read_json
from .runs import Verdict, find_winner, judge_run
from .verification import verify_log

_AT_ONCE = 1000  # rows that are written at once


class RunLog:
    """A run log by its path; the file is made when the first row is written, and closed after every one."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def append(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Write a row, and return it as it is written: with its number, and a time if it has none.

        Raises `RowError` for what is no row, and `SymOpsError` where it cannot be written; nothing is written then.
        """
        return self._append([row])[0]

    def append_run(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Write all rows of one run at once; each tells how many there are, so that none can get lost unseen."""
        known = list(rows)
        return self._append([{"candidates": len(known), **row} for row in known])

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows as they stand, with the keys of old rows made new; half a line is passed over.

        Raises `RowError` with file and line for what is no row.
        """
        for _, value in _read(self.path):
            yield value

    __iter__ = rows

    def count_asked(self) -> Counter[str]:
        """Return how often each model was asked, the fallbacks not counted; nothing without a file."""
        return Counter(row["model_id"] for row in self._asked())

    def sum_costs(self) -> dict[str, float]:
        """Return the costs of each model, in those replies."""
        sums: dict[str, float] = {}
        for row in self._asked():
            sums[row["model_id"]] = sums.get(row["model_id"], 0.0) + row["cost"]
        return sums

    def read_history(self) -> dict[str, Any]:
        """Return how often each model was asked, and what that has cost, as `asked` and `spent` of a `Flow`."""
        return {"asked": self.count_asked(), "spent": self.sum_costs()}

    def _asked(self) -> Iterator[dict[str, Any]]:
        if self.path.exists():
            yield from (row for row in self.rows() if row.get("role") != "fallback")

    def _append(self, rows: Sequence[Mapping[str, Any]], sealed: Iterable[bool] = repeat(True)) -> list[dict[str, Any]]:
        """Write rows, each with the hash of the row before it, and with a seal unless `sealed` denies it."""
        if not rows:
            return []
        check = RowReader().check
        made = [{"seq": 0, "timestamp": now(), **row} for row in rows]
        for row in made:
            row["seq"] = 0  # nobody else numbers rows
            row["prev"] = FIRST  # or chains or seals them
            row.pop("seal", None)
            check(row)
        seals, wanted = Seals(make=True), list(zip(made, sealed, strict=False))

        def write(end: bytes, is_all: bool) -> bytes | None:
            last = _find_last(end, is_all)
            if last is None:
                return None
            number, prev = last
            lines = []
            for place, (row, is_sealed) in enumerate(wanted, number + 1):
                row.pop("seal", None)  # of an earlier call, which saw too few lines
                row |= {"seq": place, "prev": prev}
                line = json.dumps(row, separators=(",", ":"), allow_nan=False).encode("ascii")
                if is_sealed and (seal := seals.make(line)):
                    row["seal"] = seal
                    line = close(line, seal)
                lines.append(line)
                prev = hash_line(line)
            is_new_line = not end or end.endswith(b"\n")
            return (b"" if is_new_line else b"\n") + b"\n".join([*lines, b""])

        try:
            append_bytes(self.path, write)
        except (TypeError, ValueError) as error:
            raise RowError(f"a row is JSON: {error}") from None
        return made


def _find_last(end: bytes, is_all: bool) -> tuple[int, str] | None:
    """Return the number and the hash of the last row, or None if more of the file has to be seen."""
    for line in reversed(end.split(b"\n")):
        try:
            number = read_json(line).get("seq") if line.strip() else None
        except RowError:
            continue
        if type(number) is int:
            return number, hash_line(line)
    return (-1, FIRST) if is_all else None


def _read(path: Path) -> Iterator[tuple[Row, dict[str, Any]]]:
    """Yield each row, checked, and as a JSON object."""
    check, seals = RowReader().check, Seals()
    with open_log(path) as file:
        for number, (line, whole) in enumerate(read_lines(file), 1):
            try:
                value = dict(modernise(read_json(line)))
                row = check(value, number)
                row.sealed = seals.trusts(seals.check(line), row.prev)
                yield row, value
            except RowError as error:
                if is_torn(line, whole):
                    continue
                raise RowError(f"{path}:{number}: {error}") from None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a log has of one run: its rows, checked and as they stand, by their numbers, and what they come to."""

    run_id: str
    rows: tuple[Row, ...]
    values: tuple[Mapping[str, Any], ...]
    verdict: Verdict


def explain_run(path: str | Path, run_id: str) -> Explanation:
    """Return the rows of a run, and who won by what; lines that are no rows are none of its.

    Raises `RoutingError` if there is none.
    """
    sign, check, found = json.dumps(run_id).encode("ascii"), RowReader().check, []
    with open_log(Path(path)) as file:
        for number, (line, _) in enumerate(read_lines(file), 1):
            if sign in line or b"\\" in line or not line.isascii():  # else it is not spelt there
                with suppress(RowError):
                    value = modernise(read_json(line))
                    if value.get("run_id") == run_id:
                        found.append((check(value, number), value))
    if not found:
        raise RoutingError(f"{path}: there is no run {run_id!r}; `symops route log stats` counts what there is")
    found.sort(key=lambda pair: pair[0].order)
    rows = [row for row, _ in found]
    return Explanation(run_id, tuple(rows), tuple(value for _, value in found), judge_run(rows))


def rescore_log(path: str | Path, metric: Metric | MixedMetric, out: str | Path) -> int:
    """Write the rows of a log, with rewards and winners by another metric, to a new log; return how many there are.

    What they were is kept in `rescored_from`. A row gets a seal if it has a valid one and the log follows.

    Raises `SymOpsError` for what is no log, and if the new file is there
    already: nothing is overwritten.
    """
    source, target = Path(path), Path(out)
    if target.exists():
        raise RoutingError(f"{target}: this file is there already, and nothing is overwritten: name another one")
    groups: dict[str, list[Row]] = {}
    for row, _ in _read(source):
        row.judged = metric.reward(int(row.passed), row.q1, row.cost, row.refusal_penalty)
        if row.run_id is not None and row.competes:
            groups.setdefault(row.run_id, []).append(row)
    winners = {run: find_winner(rows)[0] for run, rows in groups.items() if _is_whole(rows)}
    part = target.with_name(f".{target.name}.part")
    part.unlink(missing_ok=True)
    log, count = RunLog(part), 0
    # A seal vouches for a row: what is forged, or has lost rows, does not get one by being copied.
    follows = verify_log(source).ok
    rest = ((_rescore(row, value, metric, winners), follows and row.sealed) for row, value in _read(source))
    while some := list(islice(rest, _AT_ONCE)):
        rows, sealed = zip(*some, strict=True)
        count += len(log._append(rows, sealed))
    try:
        part.rename(target)
    except OSError as error:
        raise SymOpsError(f"{target}: cannot be written: {error.strerror or error}") from None
    return count


def _is_whole(rows: Sequence[Row]) -> bool:
    return rows[0].candidates is None or len(rows) >= rows[0].candidates


def _rescore(
    row: Row, value: Mapping[str, Any], metric: Metric | MixedMetric, winners: Mapping[str, str | None]
) -> dict[str, Any]:
    kept = {name: value.get(name) for name in ("seq", "metric_version", "metric_params", "reward")}
    new = {
        **value,
        "metric_version": metric.name,
        "metric_params": metric.params,
        "reward": metric.reward(int(row.passed), row.q1, row.cost, row.refusal_penalty),
        "rescored_from": kept,
    }
    if row.is_training and row.run_id is not None:
        kept["winner_model_id"], new["winner_model_id"] = row.winner, winners.get(row.run_id)
    return new
