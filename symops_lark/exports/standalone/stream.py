"""A stream in an exported parser: text in, events out, and at the end what the whole text says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...core.document import Document
from ...core.ground.json_objects import write_object
from ...core.result import ProtocolError, Result
from ...core.streaming.announcements import Announcements
from ...core.streaming.differences import Difference
from ...core.streaming.events import NEED_TEXT, Event, NeedText
from .entry import engine_of, process
from .tables import dialect


# Not that of `core.streaming.stream`: its module imports the clients of models.
@dataclass(frozen=True, slots=True)
class StreamResult:
    """What a closed stream says.

    Attributes:
        result: The result of `process` for the whole text; None if it raises an error.
        differences: What the stream had announced otherwise; nothing for a valid text.
        error: The error that `process` raises for the whole text.
    """

    result: Result | None
    differences: tuple[Difference, ...] = ()
    error: ProtocolError | None = None

    @property
    def document(self) -> Document | None:
        """The document of the result, or the best partial one."""
        if self.result is not None:
            return self.result.document
        return None if self.error is None else self.error.document

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        data = write_object(self, "result", "differences")
        if self.error is None:
            return {**data, "error": None}
        partial = write_object(self.error, "document", "diagnostics", "trace", "reason")
        return {**data, "error": str(self.error), "partial": partial}


class StreamParser:
    """Reads one reply as it arrives, in the dialect of the export."""

    def __init__(self) -> None:
        self._announced = Announcements(engine_of, dialect())
        self._result: StreamResult | None = None

    def receive(self, text: str) -> None:
        """Take in the next piece of the text; raise `ValueError` if the stream is closed."""
        self._announced.receive(text)

    def next_event(self) -> Event | NeedText:
        """Return the next event, or `NEED_TEXT`."""
        return self._announced.next_event()

    def events(self, pieces: Iterable[str], cut_off: bool | None = None) -> Iterator[Event]:
        """Yield the events of all pieces, then close the stream."""
        for piece in pieces:
            self.receive(piece)
            yield from self._take()
        self.close(cut_off)
        yield from self._take()

    def _take(self) -> Iterator[Event]:
        """Yield the events that there are."""
        event = self.next_event()
        while event is not NEED_TEXT:
            yield event
            event = self.next_event()

    def close(self, cut_off: bool | None = None) -> StreamResult:
        """End the text and return what it says; the last events can be taken after it."""
        if self._result is not None:
            return self._result
        text = self._announced.close(cut_off)
        try:
            result = process(text, cut_off)
            self._announced.notice_doubts(result.diagnostics)
            differences = self._announced.find_differences(result.document)
            self._result = StreamResult(result, differences)
        except ProtocolError as error:
            self._announced.notice_doubts(error.diagnostics)
            differences = self._announced.find_differences(error.document)
            self._result = StreamResult(None, differences, error)
        return self._result
