"""Know the metrics of a run log: each name has the same weights in all of its rows."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from .folding import open_log, read_lines
from .rows import AnyMetric, RowError, RowReader

_NAME = b'"metric_version"'
_PARAMS = b'"metric_params"'
# Both as this program writes them. No text of a row contains this: its quotes are escaped there.
_METRIC = re.compile(_NAME + rb':"[^"\\]*"|' + _PARAMS + rb":\{[^{}\\]*\}")


class Weights:
    """The metrics of a log by name.

    It reads each line once, whatever is added later, unless another file takes the log's place. The
    first time takes longer for a longer log: 8,000 rows take about 20 ms, and 80 ms if their
    metrics are mixed. So keep one object for many rows.

    Args:
        path: The log, which need not exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._begin((0, 0))

    def _begin(self, file_id: tuple[int, int]) -> None:
        """Forget what was read: another file is the log now."""
        self._file_id = file_id
        self._metrics: dict[str, AnyMetric] = {}
        self._known_parts: set[tuple[bytes, ...]] = set()  # these metrics as they are written
        self._end = 0  # of the last complete line that was read
        self._line = b""  # this line
        self._reader = RowReader()

    def read(self) -> None:
        """Take in the lines that were added. A line that is not a row is skipped.

        Raises:
            SymOpsError: The file cannot be read.
        """
        if not self._path.exists():
            self._begin((0, 0))
            return
        with open_log(self._path) as file:
            state = os.fstat(file.fileno())
            file_id = (state.st_dev, state.st_ino)
            file.seek(self._end - len(self._line))
            # The number of a file that was deleted is used again: its last line tells them apart.
            if file_id != self._file_id or file.read(len(self._line)) != self._line:
                self._begin(file_id)
            for line, has_end in read_lines(file, (self._end, 1 << 62)):
                # Its writer is not done.
                if not has_end:
                    break
                self._line = line + b"\n"
                self._end += len(self._line)
                self._take(line)

    def _take(self, line: bytes) -> None:
        """Take in the metric of a line. Most lines have one that was seen, and are not parsed."""
        parts = tuple(_METRIC.findall(line))
        # Keys with escapes, and a second metric inside of a row, are left to the parser.
        is_plain = line.count(_NAME) == line.count(_PARAMS) == 1 and b"\\u" not in line
        is_plain = is_plain and len(parts) == 2
        if is_plain and parts in self._known_parts:
            return
        with suppress(RowError):
            metric = self._reader.read(line, 0).metric
            self._metrics.setdefault(metric.name, metric)
            if is_plain:
                self._known_parts.add(parts)

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
