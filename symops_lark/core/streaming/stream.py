"""`StreamParser`: text in, events out, and at the end what the whole text says.

Laws, as in h11: it does no input and no output; `receive` takes what there is, `next_event` gives what follows from it
or `NEED_TEXT`; how the text was cut into pieces changes nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..document import Document
from ..grammar.dialect import Dialect
from ..grammar.loading import load_dialect
from ..ground.json_objects import read_object, write_object
from ..processor import SymOpsProcessor, known_processor
from ..replies.messages import Finish, Messages, Reply
from ..replies.sdk import Chunk, read_chunk
from ..result import ProtocolError, Result, TraceStep
from ..text.diagnostics import Diagnostic
from .announcements import Announcements
from .dialect_guess import DialectGuess
from .differences import Difference
from .events import NEED_TEXT, ActionStarted, Event, NeedText
from .growing import GrowingText


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
        written = write_object(self, "result", "differences")
        if self.error is None:
            return {**written, "error": None}
        partial = write_object(self.error, "document", "diagnostics", "trace")
        return {**written, "error": str(self.error), "partial": partial}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> StreamResult:
        """Read what `to_dict` wrote; raise `SymOpsError` with the keys that lead to what is wrong."""
        read = read_object(_Fields, data, exact=False)
        part = read.partial or _Partial(Document())
        error = (
            ProtocolError(read.error, part.document, part.diagnostics, part.trace) if read.error is not None else None
        )
        return cls(read.result, read.differences, error)


@dataclass(frozen=True, slots=True)
class _Partial:
    """What is known of a reply that no phase could read, in JSON."""

    document: Document
    diagnostics: tuple[Diagnostic, ...] = ()
    trace: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class _Fields:
    """What the result of a stream is in JSON."""

    result: Result | None
    differences: tuple[Difference, ...] = ()
    error: str | None = None
    partial: _Partial | None = None


class StreamParser:
    """Reads one reply as it arrives.

        parser = StreamParser("v2")
        for piece in pieces:  # texts, or what the client of OpenAI or Anthropic streams
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
        told = self._processor.format
        begin = DialectGuess(self._processor) if told == "auto" else load_dialect(told)
        self._announced = Announcements(self._processor.engine, begin, keep=keep)
        self._growing = GrowingText(self._processor, self._announced.assembly.sections) if keep else None
        self._finish = Finish.UNKNOWN
        self._result: StreamResult | None = None

    @property
    def dialect(self) -> Dialect | None:
        """The dialect that the text is read in; None before it is known."""
        return self._announced.dialect

    # ---- text in, events out

    def receive(self, piece: Chunk) -> None:
        """Take in the next piece: a text, or a chunk or event of a client's stream, which may have none.

        Raises `ValueError` if the stream is closed, `TypeError` for what is no piece of a reply.
        """
        if not isinstance(piece, str):
            said = read_chunk(piece)
            piece, self._finish = said.text, said.finish or self._finish
        self._announced.receive(piece)
        if self._growing is not None:
            self._growing.receive(piece)

    def next_event(self) -> Event | NeedText:
        """Return the next event, or `NEED_TEXT` if there is none before more text is received (or none any more)."""
        event = self._announced.next_event()
        if isinstance(event, ActionStarted) and self._growing is not None and self.dialect is not None:
            self._growing.read(event.action.span.start, self.dialect)
        return event

    def close(self, *, cut_off: bool | None = None, original_prompt: Messages = "") -> StreamResult:
        """Return what the whole text says: it ends here; further calls return the same.

        The events that are left can still be taken by `next_event`. `cut_off` tells whether the reply is known to end
        too early, which the last chunks of clients tell by themselves; `original_prompt` is for a processor that has a
        corrector.
        """
        if self._result is None:
            cut_off = True if cut_off is None and self._finish.cut_off else cut_off
            text = self._announced.close(cut_off)
            known = self._growing
            self._result = self._read(known, text, cut_off, original_prompt) if known else StreamResult(None)
        return self._result

    def _read(self, growing: GrowingText, text: str, cut_off: bool | None, prompt: Messages) -> StreamResult:
        """Return what the whole text says, and how that differs from what was announced."""
        known = None if cut_off else growing.finish(text)
        if known is not None and growing.agrees:
            return StreamResult(known)
        result: Result | None = None
        error: ProtocolError | None = None
        try:
            result = known or self._processor.process(Reply(text, self._finish), prompt, cut_off=cut_off)
            document = result.document
        except ProtocolError as raised:
            error, document = raised, raised.document
        too_long = len(text) > self._processor.max_characters
        return StreamResult(result, () if too_long else self._announced.find_differences(document), error)

    # ---- thin layers

    def events(self, pieces: Iterable[Chunk], *, cut_off: bool | None = None) -> Iterator[Event]:
        """Return the events of all pieces, texts or a client's chunks, and close; `close()` then gives the result."""
        for piece in pieces:
            self.receive(piece)
            yield from self._take()
        self.close(cut_off=cut_off)
        yield from self._take()

    async def aevents(self, pieces: AsyncIterable[Chunk], *, cut_off: bool | None = None) -> AsyncIterator[Event]:
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
