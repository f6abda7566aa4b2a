"""A log on standard error that nobody can flood: a few lines a minute, the rest are counted."""

from __future__ import annotations

import logging
import time

MOST_LINES = 20  # records a minute
MOST_CHARACTERS = 2_000  # of a record, with its traceback
_MINUTE = 60.0  # seconds


class BoundedHandler(logging.StreamHandler):  # type: ignore[type-arg]
    """Write at most `MOST_LINES` records a minute, and how many were left out.

    A record that is too long keeps its beginning and its end: a traceback ends with what went wrong.
    """

    def __init__(self) -> None:
        super().__init__()
        self._begun = time.monotonic()
        self._written = 0
        self._left_out = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, or count it."""
        if time.monotonic() - self._begun >= _MINUTE:
            self.report()
            self._begun, self._written = time.monotonic(), 0
        if self._written < MOST_LINES:
            self._written += 1
            super().emit(record)
        else:
            self._left_out += 1

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record, cut in its middle."""
        text = super().format(record)
        half = MOST_CHARACTERS // 2
        return text if len(text) <= MOST_CHARACTERS else f"{text[:half]} … {text[-half:]}"

    def report(self) -> None:
        """Write how many records were left out since this was last written."""
        if self._left_out:
            told = f"{self._left_out} further lines of the log were left out"
            self._left_out = 0
            super().emit(logging.LogRecord("symops", logging.WARNING, "", 0, told, None, None))

    def close(self) -> None:
        """Write what is still to be reported."""
        self.acquire()
        try:
            self.report()
        finally:
            self.release()
        super().close()
