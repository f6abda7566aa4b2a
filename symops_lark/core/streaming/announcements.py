"""`Announcements`: the pieces of one reply in, events out. What the whole text says is asked by who stands above.

It knows a dialect and its rules, and no processor: `StreamParser` is made of it, and so are the streams of exported
parsers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from ..document import Document
from ..grammar.dialect import Dialect
from ..repairs.engine import RepairEngine
from .differences import Difference, find_differences
from .events import NEED_TEXT, Assembly, Event, NeedText
from .incoming import Incoming, PlacedLine
from .line_classifier import LineClassifier
from .sections import SectionReader


class Guess(Protocol):
    """What tells the dialect of a stream, holding lines back until it knows."""

    held: list[PlacedLine]

    def read(self, line: PlacedLine) -> Dialect | None:
        """Hold a line back; return the dialect if it is known now."""

    def choose(self) -> Dialect:
        """Return the dialect of what there is."""


class Announcements:
    """Reads one reply as it arrives, in a dialect or, by a `guess`, in the one that its lines tell.

    With `keep=False` the text is not remembered.
    """

    def __init__(
        self, make_engine: Callable[[Dialect], RepairEngine], begin: Dialect | Guess, *, keep: bool = True
    ) -> None:
        self.closed = False
        self.dialect: Dialect | None = None  # None before it is known
        self._make_engine = make_engine
        self._events: deque[Event] = deque()
        self._incoming = Incoming()
        self.assembly = Assembly()
        self._keep, self._kept = keep, list[str]()
        self._ended = True  # whether the last line received has an ending
        self._reader: SectionReader | None = None
        self._guess: Guess | None = None
        if isinstance(begin, Dialect):
            self._begin(begin, [])
        else:
            self._guess = begin

    def _begin(self, dialect: Dialect, held: list[PlacedLine]) -> None:
        """Read on in a dialect; first what was held back while it was not known."""
        self.dialect, self._guess = dialect, None
        self._reader = SectionReader(LineClassifier(dialect, self._make_engine(dialect)), self._events)
        for line in held:
            self._reader.read(line)

    def receive(self, text: str) -> None:
        """Take in the next piece of the text; raise `ValueError` if it is closed."""
        if self.closed:
            raise ValueError("the stream is closed")
        self._incoming.put(text)
        if text:
            self._ended = text.endswith("\n")
            if self._keep:
                self._kept.append(text)

    def next_event(self) -> Event | NeedText:
        """Return the next event, or `NEED_TEXT` if there is none before more text is received (or none any more)."""
        events, incoming = self._events, self._incoming
        while not events:
            if not incoming.has_lines:
                return NEED_TEXT
            if self._reader is None or not self._reader.skim(incoming):
                self._read(incoming.next_line())
        event = events.popleft()
        if self._keep and not self.closed:
            self.assembly.add(event)
        return event

    def take(self) -> list[Event]:
        """Return the events that there are."""
        taken: list[Event] = []
        while True:
            event = self.next_event()
            if isinstance(event, NeedText):
                return taken
            taken.append(event)

    def _read(self, line: PlacedLine) -> None:
        if self._reader is not None:
            self._reader.read(line)
        elif self._guess is not None:
            dialect = self._guess.read(line)
            if dialect is not None:
                self._begin(dialect, self._guess.held)

    def close(self, cut_off: bool | None) -> str:
        """Read the end of the text, and return the whole of it, as far as it was kept.

        The events that are left can still be taken.
        """
        if not self.closed:
            left = self.take()
            last = self._incoming.last_line()
            if last is not None:
                self._read(last)
            if self._guess is not None:
                self._begin(self._guess.choose(), self._guess.held)
            if self._reader is not None:
                self._reader.finish(cut_off=cut_off, ended=self._ended)
            left += self.take()
            self._events.extend(left)
            self.closed = True
        return "".join(self._kept)

    def find_differences(self, document: Document) -> tuple[Difference, ...]:
        """Return what was announced otherwise than a document says."""
        return find_differences(self.assembly.sections, document)
