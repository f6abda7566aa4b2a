"""Parse a reply as it arrives, in an exported parser: text in, events out, a result at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...core.result import ProtocolError
from ...core.streaming.announcements import Announcements
from ...core.streaming.differences import StreamResult
from ...core.streaming.events import NEED_TEXT, Event, NeedText
from .entry import engine_of, process
from .tables import dialect


class StreamParser:
    """Reads one reply as it arrives, in the dialect of the export."""

    def __init__(self) -> None:
        # Events are announced before the text ends, so the last result can differ from them.
        self._announced = Announcements(engine_of, dialect())
        self._result: StreamResult | None = None

    def receive(self, text: str) -> None:
        """Receive the next piece of the text.

        Raises:
            ValueError: The stream is closed.
        """
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
        """Yield the events that are available now."""
        event = self.next_event()
        while event is not NEED_TEXT:
            yield event
            event = self.next_event()

    def close(self, cut_off: bool | None = None) -> StreamResult:
        """End the text and return its result. The last events are available after this call."""
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
            # The differences are known although there is no result.
            self._result = StreamResult(None, differences, error)
        return self._result
