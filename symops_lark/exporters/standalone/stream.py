"""A stream in an exported parser: text in, events out, and at the end what the whole text says."""

from __future__ import annotations

from collections import deque

from ...document import Document
from ...result import ProtocolError, Result
from ...streaming.differences import Difference, find_differences
from ...streaming.events import NEED_TEXT, Assembly, Event, NeedText
from ...streaming.incoming import Incoming
from ...streaming.line_classifier import LineClassifier
from ...streaming.sections import SectionReader
from .entry import dialect, engine, process


class Stream:
    """Reads one reply as it arrives, in the dialect of the export."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self._incoming = Incoming()
        self._assembly = Assembly()
        self._reader = SectionReader(LineClassifier(dialect(), engine()), self._events)
        self._kept: list[str] = []
        self._ended = True  # whether the last line received has an ending
        self._closed = False
        self.result: Result | None = None
        self.error: ProtocolError | None = None
        self.differences: tuple[Difference, ...] = ()

    def receive(self, text: str) -> None:
        """Take in the next piece of the text; raise `ValueError` if the stream is closed."""
        if self._closed:
            raise ValueError("the stream is closed")
        self._incoming.put(text)
        if text:
            self._ended = text.endswith("\n")
            self._kept.append(text)

    def next_event(self) -> Event | NeedText:
        """Return the next event, or `NEED_TEXT`."""
        while not self._events:
            line = self._incoming.next_line()
            if line is None:
                return NEED_TEXT
            self._reader.read(line)
        event = self._events.popleft()
        if not self._closed:
            self._assembly.add(event)
        return event

    def take(self) -> list[Event]:
        """Return the events that there are."""
        taken: list[Event] = []
        while True:
            event = self.next_event()
            if isinstance(event, NeedText):
                return taken
            taken.append(event)

    def close(self, cut_off: bool | None = None) -> None:
        """End the text; `result`, `error` and `differences` say what it is, and the last events can be taken."""
        if self._closed:
            return
        left = self.take()
        last = self._incoming.last_line()
        if last is not None:
            self._reader.read(last)
        self._reader.finish(cut_off=cut_off, ended=self._ended)
        left += self.take()
        document: Document
        try:
            self.result = process("".join(self._kept), cut_off)
            document = self.result.document
        except ProtocolError as error:
            self.error = error
            document = error.document
        self.differences = find_differences(self._assembly.sections, document)
        self._events.extend(left)
        self._closed = True
