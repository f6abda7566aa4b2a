"""Parse a reply as it arrives: text in, events out, the result at the end.

`StreamParser` does no input and no output, like h11: `receive` takes text, `next_event` returns
what follows from it, or `NEED_TEXT`. How the text was cut into pieces changes nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from pathlib import Path

from ..grammar.dialect import Dialect
from ..grammar.loading import load_dialect
from ..known_processors import known_processor
from ..processor import SymOpsProcessor
from ..replies.messages import Call, Finish, Messages, Reply
from ..replies.sdk import Chunk, read_chunk
from ..result import ProtocolError, Result
from .announcements import Announcements
from .dialect_guess import DialectGuess
from .differences import StreamResult
from .events import NEED_TEXT, ActionStarted, Event, NeedText
from .growing import GrowingText


class StreamParser:
    """Reads one reply as it arrives.

        parser = StreamParser("v2")
        for piece in pieces:  # strings, or the chunks of an OpenAI or Anthropic client
            parser.receive(piece)
            while (event := parser.next_event()) is not NEED_TEXT: ...
        result = parser.close()

    Args:
        format: A dialect, its name, a path to a `.lark` file, or a configured `SymOpsProcessor`.
            With "auto" the dialect, or that the reply is in formats of other agents, is detected
            from the first lines, and events begin after them.
            In a format of another agent, by name or path, an action is announced when its section
            has ended, and the content of a new file while it arrives, unless it is in JSON.
        keep: Whether the text is kept. Without it, memory is bounded by the current section (in a
            block, by one line; in a format of another agent, by the text since the last action),
            `close` returns no result, and doubts about actions that later text raises are not
            announced.

    Raises:
        GrammarError: There is no such dialect, or its grammar is wrong.
        RuleError: A repair rule is wrong.
    """

    def __init__(
        self, format: str | Path | Dialect | SymOpsProcessor = "auto", *, keep: bool = True
    ) -> None:
        if isinstance(format, SymOpsProcessor):
            self._processor = format
        else:
            self._processor = known_processor(format, ())
        self._keep = keep
        self._announced = Announcements(self._processor.engine, self._begin(), keep=keep)
        self._growing = None
        if self._processor.agent_format is not None:
            # Imported here: streams in dialects need none of it.
            from .formats.reader import FormatReader

            self._announced.use(FormatReader(self._processor.agent_format))
        elif keep:
            self._growing = GrowingText(self._processor, self._announced.assembly.sections)
        self._finish = Finish.UNKNOWN
        self._calls: list[Call] = []  # and parts of them
        self._result: StreamResult | None = None

    def _begin(self) -> Dialect | DialectGuess | None:
        """Return the dialect, or what detects it; None for a format of another agent."""
        if self._processor.agent_format is not None:
            return None
        dialect = self._processor.format
        return DialectGuess(self._processor) if dialect == "auto" else load_dialect(dialect)

    @property
    def dialect(self) -> Dialect | None:
        """The dialect of the text; None before it is detected, and for another agent's format."""
        return self._announced.dialect

    # ---- text in, events out

    def receive(self, piece: Chunk) -> None:
        """Take in the next piece of the reply.

        Args:
            piece: A string, or a chunk or event of an OpenAI, Anthropic or LangChain client, which
                may be without text.

        Raises:
            ValueError: The stream is closed.
            TypeError: The value is not a piece of a reply.
            ModelError: The content of a chunk is not text.
        """
        if not isinstance(piece, str):
            chunk = read_chunk(piece)
            piece = chunk.text
            self._finish = self._finish.then(chunk.finish)
            self._calls += chunk.calls
        self._announced.receive(piece)
        if self._growing is not None:
            self._growing.receive(piece)

    def next_event(self) -> Event | NeedText:
        """Return the next event.

        Returns:
            The event; `NEED_TEXT` if there is none before more text is received, or, after `close`,
            if there are no more.
        """
        event = self._announced.next_event()
        if (
            isinstance(event, ActionStarted)
            and self._growing is not None
            and self.dialect is not None
        ):
            self._growing.read(event.action.span.start, self.dialect)
        return event

    def close(self, *, cut_off: bool | None = None, original_prompt: Messages = "") -> StreamResult:
        """End the text and return the result of the whole of it.

        The remaining events can still be taken by `next_event`. The last of them are the doubts
        about actions that only the whole text raises. Further calls return the same result,
        whatever their arguments are.

        Args:
            cut_off: Whether the reply was truncated. None: use the finish reason of the last chunk,
                else detect it from the last line.
            original_prompt: The request that was sent, as a string or messages. Only a processor
                with a corrector uses it.

        Returns:
            The result of the whole text. A `ProtocolError` is returned in it, not raised.

        Raises:
            ModelError: The corrector's model could not be reached.
        """
        if self._result is None:
            if cut_off is None and self._finish.cut_off:
                cut_off = True
            text = self._announced.close(cut_off)
            if self._keep:
                self._result = self._read(text, cut_off, original_prompt)
            else:
                self._result = StreamResult(None)
        return self._result

    def _read(self, text: str, cut_off: bool | None, prompt: Messages) -> StreamResult:
        """Return the result of the whole text, and its differences from the events."""
        # A text that was valid all along was parsed while it arrived, and is not parsed again.
        growing = self._growing
        result = None
        if growing is not None and not cut_off:
            result = growing.finish(text)
        if growing is not None and result is not None and growing.agrees:
            return StreamResult(result)
        error: ProtocolError | None = None
        try:
            if result is None:
                reply = Reply(text, self._finish, calls=self._join_calls())
                result = self._processor.process(reply, prompt, cut_off=cut_off)
            document = result.document
        except ProtocolError as raised:
            error = raised
            document = raised.document
        # A text over the limit has no document that the events could differ from.
        if len(text) > self._processor.max_characters:
            return StreamResult(result, (), error)
        self._notice_doubts(text, result, error)
        return StreamResult(result, self._announced.find_differences(document), error)

    def _join_calls(self) -> tuple[Call, ...]:
        if not self._calls:
            return ()
        # Imported here: most replies are texts.
        from ..replies.calls import join_calls

        return join_calls(self._calls)

    def _notice_doubts(self, text: str, result: Result | None, error: ProtocolError | None) -> None:
        """Announce what only the whole text says about actions, unless a model has changed it."""
        if error is not None:
            self._announced.notice_doubts(error.diagnostics)
        elif result is not None and result.text == text:
            self._announced.notice_doubts(result.diagnostics)

    # ---- thin layers

    def events(self, pieces: Iterable[Chunk], *, cut_off: bool | None = None) -> Iterator[Event]:
        """Yield the events of all pieces, then close the stream.

        Args:
            pieces: Strings, or the chunks of a client.
            cut_off: Whether the reply was truncated; see `close`.

        Yields:
            The events. After the last one, `close()` returns the result.
        """
        for piece in pieces:
            self.receive(piece)
            yield from self._take()
        self.close(cut_off=cut_off)
        yield from self._take()

    async def aclose(
        self, *, cut_off: bool | None = None, original_prompt: Messages = ""
    ) -> StreamResult:
        """Do the same as `close` in a thread, so that other tasks of the loop go on.

        Args:
            cut_off: Whether the reply was truncated; see `close`.
            original_prompt: The request that was sent; see `close`.

        Returns:
            The same as `close`, which raises the same errors, too.
        """
        from asyncio import to_thread

        return await to_thread(self.close, cut_off=cut_off, original_prompt=original_prompt)

    async def aevents(
        self,
        pieces: AsyncIterable[Chunk],
        *,
        cut_off: bool | None = None,
        original_prompt: Messages = "",
    ) -> AsyncIterator[Event]:
        """Yield the events of pieces that arrive asynchronously, then close the stream.

        Each piece is read in a thread. If the task is cancelled, use the parser no more.

        Args:
            pieces: Strings, or the chunks of a client.
            cut_off: Whether the reply was truncated; see `close`.
            original_prompt: The request that was sent; see `close`.

        Yields:
            The events. After the last one, `close()` returns the result.
        """
        # Imported here: programs without a loop need none of it.
        from asyncio import to_thread

        async for piece in pieces:
            for event in await to_thread(self._receive_events, piece):
                yield event
        await self.aclose(cut_off=cut_off, original_prompt=original_prompt)
        for event in await to_thread(list, self._take()):
            yield event

    def _receive_events(self, piece: Chunk) -> list[Event]:
        self.receive(piece)
        return list(self._take())

    def _take(self) -> Iterator[Event]:
        while (event := self.next_event()) is not NEED_TEXT:
            yield event
