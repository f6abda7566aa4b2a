"""Log to standard error with a limit: a few records a minute, others are only counted.

A client of a server can cause records, such as by invalid requests. Without a limit it could fill
the disk that the log goes to.
"""

from __future__ import annotations

import logging
import time

from .numbers import counted

MAX_LINES = 20  # records a minute
MAX_CHARACTERS = 2_000  # of a record, with its traceback
_MINUTE = 60.0  # seconds


class BoundedHandler(logging.StreamHandler):  # type: ignore[type-arg]
    """Writes at most `MAX_LINES` records a minute, then the number of the others.

    A record that is too long keeps its beginning and its end: a traceback ends with the error.
    """

    def __init__(self) -> None:
        super().__init__()
        self._begun = time.monotonic()
        self._written = 0
        self._left_out = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, or count it.

        Args:
            record: The record.
        """
        if time.monotonic() - self._begun >= _MINUTE:
            self.report()
            self._begun = time.monotonic()
            self._written = 0
        if self._written < MAX_LINES:
            self._written += 1
            super().emit(record)
        else:
            self._left_out += 1

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record; a long one without its middle.

        Args:
            record: The record.
        """
        text = super().format(record)
        if len(text) <= MAX_CHARACTERS:
            return text
        half = MAX_CHARACTERS // 2
        return f"{text[:half]} … {text[-half:]}"

    def report(self) -> None:
        """Write the number of records that were left out since the last report."""
        if self._left_out:
            lines = counted(
                self._left_out, "further line of the log was", "further lines of the log were"
            )
            message = f"{lines} left out"
            self._left_out = 0
            # Not by `self.emit`, which counts: a report is always written.
            super().emit(logging.LogRecord("symops", logging.WARNING, "", 0, message, None, None))

    def close(self) -> None:
        """Write the last report, and close the handler."""
        self.acquire()
        try:
            self.report()
        finally:
            self.release()
        super().close()
