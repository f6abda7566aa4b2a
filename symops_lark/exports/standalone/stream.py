"""A stream in an exported parser: text in, events out, and at the end what the whole text says."""

from __future__ import annotations

from ...core.result import ProtocolError, Result
from ...core.streaming.announcements import Announcements
from ...core.streaming.differences import Difference
from ...core.streaming.events import Event, NeedText
from .entry import engine_of, process
from .tables import dialect


class Stream:
    """Reads one reply as it arrives, in the dialect of the export."""

    def __init__(self) -> None:
        self._announced = Announcements(engine_of, dialect())
        self.result: Result | None = None
        self.error: ProtocolError | None = None
        self.differences: tuple[Difference, ...] = ()

    def receive(self, text: str) -> None:
        """Take in the next piece of the text; raise `ValueError` if the stream is closed."""
        self._announced.receive(text)

    def next_event(self) -> Event | NeedText:
        """Return the next event, or `NEED_TEXT`."""
        return self._announced.next_event()

    def close(self, cut_off: bool | None = None) -> None:
        """End the text; `result`, `error` and `differences` say what it is, and the last events can be taken."""
        text = self._announced.close(cut_off)
        try:
            self.result = process(text, cut_off)
            self._announced.notice_doubts(self.result.diagnostics)
            self.differences = self._announced.find_differences(self.result.document)
        except ProtocolError as error:
            self.error = error
            self._announced.notice_doubts(error.diagnostics)
            self.differences = self._announced.find_differences(error.document)
