"""Know the metrics of a run log: each name has the same weights in all of its rows."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from .folding import open_log, read_lines
from .rows import AnyMetric, RowError, RowReader


class Weights:
    """The metrics of a log by name. It reads each line once, whatever is added later.

    Args:
        path: The log, which need not exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._metrics: dict[str, AnyMetric] = {}
        self._end = 0  # of the last complete line that was read
        self._reader = RowReader()

    def read(self) -> None:
        """Take in the lines that were added. A line that is not a row is skipped.

        Raises:
            SymOpsError: The file cannot be read.
        """
        if not self._path.exists():
            return
        with open_log(self._path) as file:
            for line, has_end in read_lines(file, (self._end, 1 << 62)):
                # Its writer is not done.
                if not has_end:
                    break
                self._end += len(line) + 1
                with suppress(RowError):
                    metric = self._reader.read(line, 0).metric
                    self._metrics.setdefault(metric.name, metric)

    def check(self, metric: AnyMetric) -> None:
        """Refuse a metric whose name has other weights in the log.

        Raises:
            RowError: It has them: the rewards of one name could not be compared.
        """
        logged = self._metrics.get(metric.name, metric)
        if logged != metric:
            raise RowError(
                f"{self._path}: {metric.name} has other weights in this log ({logged.params}): "
                "give the metric a new name, or name another log"
            )
