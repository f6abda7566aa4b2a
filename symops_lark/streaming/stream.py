"""`StreamParser`: text in, events out, and at the end what the whole text says.

Laws, as in h11: it does no input and no output; `receive` takes what there is, `next_event` gives what follows from it
or `NEED_TEXT`; how the text was cut into pieces changes nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..document import Document
from ..grammar.dialect import Dialect
from ..grammar.loading import load_dialect
from ..processor import SymOpsProcessor, known_processor
from ..result import ProtocolError, Result
from .dialect_guess import DialectGuess
from .differences import Difference, find_differences
from .events import NEED_TEXT, Assembly, Event, NeedText
from .incoming import Incoming, PlacedLine
from .line_classifier import LineClassifier
from .sections import SectionReader


@dataclass(frozen=True, slots=True)
class StreamResult:
    """What the whole text says, and what the stream had announced otherwise (nothing, for a valid text).

    `result` is what `process` gives for the whole text; None if it raised `error`, or if the text was not kept.
    """

    result: Result | None
    differences: tuple[Difference, ...] = ()
    error: ProtocolError | None = None

    @property
    def document(self) -> Document | None:
        """The document of the result, or the best partial one; None if the text was not kept."""
        if self.result is not None:
            return self.result.document
        return self.error.document if self.error is not None else None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        shown = self.result.to_dict() if self.result is not None else None
        return {
            "result": shown,
            "differences": [difference.to_dict() for difference in self.differences],
            "error": str(self.error) if self.error is not None else None,
        }


class StreamParser:
    """Reads one reply as it arrives.

        parser = StreamParser("v2")
        for piece in pieces:
            parser.receive(piece)
            while (event := parser.next_event()) is not NEED_TEXT: ...
        result = parser.close()

    `format` is a dialect, its name, a path to a `.lark` file, a configured `SymOpsProcessor`, or "auto": then nothing
    is announced before a line tells the dialect (`DialectGuess`). With `keep=False` the text is not remembered, and
    memory is bounded by the section at hand (in a block, by one line): `close` then has no result. Raises
    `GrammarError` and `RuleError` if there is no such dialect, or its rules are wrong.
    """

    def __init__(self, format: str | Path | Dialect | SymOpsProcessor = "auto", *, keep: bool = True) -> None:
        self._processor = format if isinstance(format, SymOpsProcessor) else known_processor(format, ())
        self._incoming = Incoming()
        self._events: deque[Event] = deque()
        self._kept: list[str] | None = [] if keep else None
        self._assembly = Assembly() if keep else None
        self._result: StreamResult | None = None
        self._ended = True  # whether the last line received has an ending
        self._reader: SectionReader | None = None
        self._guess = DialectGuess(self._processor) if self._processor.format == "auto" else None
        if self._guess is None:
            self._begin(load_dialect(self._processor.format))

    @property
    def dialect(self) -> Dialect | None:
        """The dialect that the text is read in; None before it is known."""
        return self._reader.classifier.dialect if self._reader is not None else None

    def _begin(self, dialect: Dialect) -> None:
        """Read on in a dialect; first what was held back while it was not known."""
        self._reader = SectionReader(LineClassifier(dialect, self._processor.engine(dialect)), self._events)
        held, self._guess = self._guess.held if self._guess is not None else [], None
        for line in held:
            self._reader.read(line)

    # ---- text in, events out

    def receive(self, text: str) -> None:
        """Take in the next piece of the text; raise `ValueError` if the stream is closed."""
        if self._result is not None:
            raise ValueError("the stream is closed")
        self._incoming.put(text)
        if text:
            self._ended = text.endswith("\n")
            if self._kept is not None:
                self._kept.append(text)

    def next_event(self) -> Event | NeedText:
        """Return the next event, or `NEED_TEXT` if there is none before more text is received (or none any more)."""
        while not self._events:
            line = self._incoming.next_line()
            if line is None:
                return NEED_TEXT
            self._read(line)
        event = self._events.popleft()
        if self._assembly is not None and self._result is None:
            self._assembly.add(event)
        return event

    def _read(self, line: PlacedLine) -> None:
        if self._reader is not None:
            self._reader.read(line)
        elif self._guess is not None and (dialect := self._guess.read(line)) is not None:
            self._begin(dialect)

    def close(self, *, cut_off: bool | None = None, original_prompt: str = "") -> StreamResult:
        """Return what the whole text says: it ends here; further calls return the same.

        The events that are left can still be taken by `next_event`. `cut_off` tells whether the reply is known to end
        too early; `original_prompt` is for a processor that has a corrector.
        """
        if self._result is not None:
            return self._result
        left = self._finish(cut_off)
        result: Result | None = None
        error: ProtocolError | None = None
        differences: tuple[Difference, ...] = ()
        if self._kept is not None and self._assembly is not None:
            text = "".join(self._kept)
            self._kept.clear()
            try:
                result = self._processor.process(text, original_prompt, cut_off=cut_off)
                document = result.document
            except ProtocolError as raised:
                error, document = raised, raised.document
            if len(text) <= self._processor.max_characters:
                differences = find_differences(self._assembly.sections, document)
        self._events = left
        self._result = StreamResult(result, differences, error)
        return self._result

    def _finish(self, cut_off: bool | None) -> deque[Event]:
        """Read the end of the text; return the events that nobody has taken yet."""
        left = deque(self._take())
        last = self._incoming.last_line()
        if last is not None:
            self._read(last)
        if self._guess is not None:
            self._begin(self._guess.choose())
        if self._reader is not None:
            self._reader.finish(cut_off=cut_off, ended=self._ended)
        left.extend(self._take())
        return left

    # ---- thin layers

    def events(self, pieces: Iterable[str], *, cut_off: bool | None = None) -> Iterator[Event]:
        """Return the events of all pieces and close; `close()` then gives the result."""
        for piece in pieces:
            self.receive(piece)
            yield from self._take()
        self.close(cut_off=cut_off)
        yield from self._take()

    async def aevents(self, pieces: AsyncIterable[str], *, cut_off: bool | None = None) -> AsyncIterator[Event]:
        """Return the events of pieces that arrive asynchronously, and close; `close()` then gives the result."""
        async for piece in pieces:
            self.receive(piece)
            for event in self._take():
                yield event
        self.close(cut_off=cut_off)
        for event in self._take():
            yield event

    def _take(self) -> Iterator[Event]:
        while (event := self.next_event()) is not NEED_TEXT:
            yield event
