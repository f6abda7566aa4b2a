"""Turn the pieces of one reply into events.

`Announcements` knows a dialect and its rules, but no processor. `StreamParser` adds the result of
the whole text, and the streams of exported parsers use this class alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Protocol

from ..document import Document
from ..grammar.dialect import Dialect
from ..repairs.engine import RepairEngine
from ..text.diagnostics import Diagnostic
from .differences import Difference, find_differences
from .doubts import DOUBTS
from .events import NEED_TEXT, Assembly, Event, NeedText, Noticed
from .incoming import Incoming, PlacedLine
from .line_classifier import LineClassifier
from .sections import SectionReader


class Guess(Protocol):
    """Detects the dialect of a stream; holds lines back until it is certain."""

    held_lines: list[PlacedLine]

    def read(self, line: PlacedLine) -> Dialect | Reader | None:
        """Hold a line back; return the dialect if it is certain now.

        A reader is returned for a format of another agent; it has read all lines.
        """

    def choose(self) -> Dialect | Reader:
        """Return the most likely dialect of the whole text, or a reader that has read it."""


class Reader(Protocol):
    """Reads the lines of a reply into events.

    Attributes:
        events: The events that were not taken yet.
    """

    events: deque[Event]

    def skim(self, incoming: Incoming) -> bool:
        """Read the next lines at once, if they are content; return whether there were any."""

    def read(self, line: PlacedLine) -> None:
        """Read the next line."""

    def finish(self, *, cut_off: bool | None, ended: bool) -> None:
        """Read the end of the text."""


class Announcements:
    """Reads one reply as it arrives and returns its events.

    Args:
        make_engine: Returns the repair engine of a dialect.
        begin: The dialect of the reply, or a `Guess` that detects it; None if another reader is
            used.
        keep: Whether the text is kept. Without it, `close` returns "" and `find_differences` knows
            no sections.

    Attributes:
        closed: Whether the text has ended.
        dialect: The dialect of the text; None before it is detected.
        assembly: The sections of the events so far; empty without `keep`.
    """

    def __init__(
        self,
        make_engine: Callable[[Dialect], RepairEngine],
        begin: Dialect | Guess | None,
        *,
        keep: bool = True,
    ) -> None:
        self.closed = False
        self.dialect: Dialect | None = None
        self._make_engine = make_engine
        self._events: deque[Event] = deque()
        self._incoming = Incoming()
        self.assembly = Assembly()
        self._keep = keep
        self._kept: list[str] = []
        # The codes and offsets of the doubts that were announced; empty without `keep`.
        self._doubted: set[tuple[str, int]] = set()
        self._ended = True  # whether the last line received has an ending
        # Exactly one of these two is set: the reader as soon as the dialect is known.
        self._reader: Reader | None = None
        self._guess: Guess | None = None
        if isinstance(begin, Dialect):
            self._begin(begin, [])
        else:
            self._guess = begin

    def use(self, reader: Reader) -> None:
        """Read the text by another reader than that of a dialect.

        Args:
            reader: The reader. From now on it adds its events to those of the stream.
        """
        self._events.extend(reader.events)
        reader.events = self._events
        self._reader = reader
        self._guess = None

    def _begin(self, chosen: Dialect | Reader, held: list[PlacedLine]) -> None:
        """Continue in a dialect, first with the lines that were held back before it was known."""
        if not isinstance(chosen, Dialect):
            self.use(chosen)
            return
        dialect = chosen
        self.dialect = dialect
        self._guess = None
        classifier = LineClassifier(dialect, self._make_engine(dialect))
        self._reader = SectionReader(classifier, self._events)
        for line in held:
            self._reader.read(line)

    def receive(self, text: str) -> None:
        """Take in the next piece of the text.

        Args:
            text: The piece. It may be empty, or end inside a line.

        Raises:
            ValueError: The stream is closed.
        """
        if self.closed:
            raise ValueError("the stream is closed")
        self._incoming.put(text)
        if text:
            self._ended = text.endswith("\n")
            if self._keep:
                self._kept.append(text)

    def next_event(self) -> Event | NeedText:
        """Return the next event; `NEED_TEXT` if there is none before more text is received."""
        events = self._events
        incoming = self._incoming
        while not events:
            if not incoming.has_lines:
                return NEED_TEXT
            # Most lines are content. `skim` reads a run of them at once; one by one, each takes
            # about twenty calls.
            if self._reader is None or not self._reader.skim(incoming):
                self._read(incoming.next_line())
        event = events.popleft()
        # `close` takes all remaining events once, and puts them back for the caller. They are in
        # the assembly then, and must not be added a second time.
        if self._keep and not self.closed:
            self.assembly.add(event)
            if isinstance(event, Noticed) and event.diagnostic.code in DOUBTS:
                self._doubted.add((event.diagnostic.code, event.diagnostic.span.start))
        return event

    def take(self) -> list[Event]:
        """Return all events of the text received so far."""
        events: list[Event] = []
        while True:
            event = self.next_event()
            if isinstance(event, NeedText):
                return events
            events.append(event)

    def _read(self, line: PlacedLine) -> None:
        if self._reader is not None:
            self._reader.read(line)
        elif self._guess is not None:
            dialect = self._guess.read(line)
            if dialect is not None:
                self._begin(dialect, self._guess.held_lines)

    def close(self, cut_off: bool | None) -> str:
        """End the text. The remaining events can still be taken; further calls change nothing.

        Args:
            cut_off: Whether the reply was truncated. None: an open block is taken as truncated
                if the last line has no ending.

        Returns:
            The whole text; "" without `keep`.
        """
        if not self.closed:
            remaining = self.take()
            last = self._incoming.last_line()
            if last is not None:
                self._read(last)
            if self._guess is not None:
                self._begin(self._guess.choose(), self._guess.held_lines)
            if self._reader is not None:
                self._reader.finish(cut_off=cut_off, ended=self._ended)
            remaining += self.take()
            self._events.extend(remaining)
            self.closed = True
        return "".join(self._kept)

    def notice_doubts(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Announce the doubts about actions that only the whole text gives.

        Args:
            diagnostics: The diagnostics of the whole text, with positions in it.
        """
        for note in diagnostics:
            if note.code in DOUBTS and (note.code, note.span.start) not in self._doubted:
                self._events.append(Noticed(note))

    def find_differences(self, document: Document) -> tuple[Difference, ...]:
        """Return the differences between the sections of the events and a document.

        Args:
            document: The document of the whole text.
        """
        return find_differences(self.assembly.sections, document)
