"""A reply while it arrives: pieces of text, and at any time the reply so far.

The reply is its pieces, joined. An error after the finish reason has no effect.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Generic, Protocol, Self, TypeVar

from ..core.replies.calls import join_calls
from ..core.replies.messages import Call, Finish, Messages, ModelError, Piece, Reply, Usage

_Item = TypeVar("_Item")


class Source(Protocol):
    """The origin of pieces."""

    def pieces(self) -> Iterator[Piece]:
        """Ask the model, and yield the pieces; one of them has the finish reason.

        Raises:
            ModelError: The model failed.
        """

    def cancel(self) -> None:
        """End the request now. Any thread may call it, at any time; `pieces` then ends."""


class _Arriving:
    """The part of a reply that has arrived."""

    def __init__(self, model: str) -> None:
        self._texts: list[str] = []
        self._finish: Finish | None = None
        self._usage: Usage | None = None
        self._calls: list[Call] = []
        self._model = model
        self._begun = False
        self._closed = False  # by its reader
        self._over = False  # no more pieces come, for any reason

    @property
    def reply(self) -> Reply:
        """The reply so far; it is complete after the last piece."""
        finish = self._finish
        if finish is None:
            finish = Finish.INTERRUPTED if self._over or self._closed else Finish.UNKNOWN
        text = "".join(self._texts)
        return Reply(text, finish, self._usage, self._model, join_calls(self._calls))

    def _add(self, piece: Piece) -> str:
        self._begun = True
        self._finish = self._finish.then(piece.finish) if self._finish else piece.finish
        # A provider may count on after the text, and correct its first numbers.
        self._usage = _newer(self._usage, piece.usage)
        self._model = piece.model or self._model
        self._calls += piece.calls
        if piece.text:
            self._texts.append(piece.text)
        return piece.text

    def _end(self, error: ModelError | None) -> None:
        """End the reply; without a finish reason, raise an error with the reply so far."""
        self._over = True
        if self._finish is not None:
            return
        message = (
            "no reply came: the stream ended before it began; does the server stream, and in this "
            "protocol?"
        )
        if self._begun:
            message = (
                "the reply broke off: the stream ended before the model said that it was done; "
                "try again"
            )
        failure = error or ModelError(message, retryable=self._begun)
        if self._begun:
            failure.partial = failure.partial or self.reply
        raise failure


class ReplyStream(_Arriving):
    """The pieces of a reply as they arrive; a context manager that ends the request at its end.

    If the stream breaks, a `ModelError` is raised, whose `partial` is the reply so far. `close` may
    be called from another thread. A reader that still waits for the first piece ends when it
    arrives.

    Args:
        source: The origin of the pieces.
        model: The name of the model, if no piece has another one.
    """

    def __init__(self, source: Source, model: str) -> None:
        super().__init__(model)
        self._source = source
        self._pieces = source.pieces()
        # Held while a thread runs the generator: CPython 3.11 crashes if another thread closes it.
        self._turn = Lock()

    def read(self) -> Reply:
        """Wait for the end, and return the whole reply."""
        with self:
            for _ in self:
                pass
        return self.reply

    def close(self) -> None:
        """End the request; the reply so far is kept."""
        if not self._over:
            self._closed = True
            self._source.cancel()
        # Else another thread is reading: it wakes, and closes the pieces itself.
        if self._turn.acquire(blocking=False):
            try:
                getattr(self._pieces, "close", list)()
            finally:
                self._turn.release()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        while not (self._over or self._closed):
            failure: ModelError | None = None
            try:
                with self._turn:
                    piece = next(self._pieces, None)
            except ModelError as error:
                piece, failure = None, error
            # Another thread closed the stream, but could not close the pieces.
            if self._closed:
                self.close()
            elif piece is None:
                self._end(failure)
            elif text := self._add(piece):
                return text
        raise StopIteration

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncReplyStream(_Arriving):
    """The pieces of a reply as they arrive, for `async for`; an asynchronous context manager.

    One task reads and closes it; to end it from elsewhere, cancel that task.
    """

    def __init__(self, pieces: AsyncIterator[Piece], model: str) -> None:
        super().__init__(model)
        self._pieces = pieces

    async def read(self) -> Reply:
        """Wait for the end, and return the whole reply."""
        async with self:
            async for _ in self:
                pass
        return self.reply

    async def aclose(self) -> None:
        """End the request; the reply so far is kept."""
        self._closed = True
        # An iterator need not be a generator.
        close = getattr(self._pieces, "aclose", None)
        if close is not None:
            await close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        while not (self._over or self._closed):
            failure: ModelError | None = None
            try:
                piece = await anext(self._pieces, None)
            except ModelError as error:
                piece, failure = None, error
            if piece is None:
                self._end(failure)
            elif text := self._add(piece):
                return text
        raise StopAsyncIteration

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class SourceModel(ABC):
    """A model whose replies come from a source. Asynchronous requests use threads."""

    name: str
    model = ""  # the provider's name of the model; empty: its replies have `name`

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    @abstractmethod
    def _source(self, messages: Messages) -> Source:
        """Return the source of the reply."""

    def generate(self, messages: Messages) -> Reply:
        """Ask, and wait for the whole reply."""
        return self.stream(messages).read()

    async def agenerate(self, messages: Messages) -> Reply:
        """Ask and wait for the whole reply; to cancel the task ends the request."""
        return await self.astream(messages).read()

    def stream(self, messages: Messages) -> ReplyStream:
        """Return the reply in pieces as they arrive; the model is asked when the first one is."""
        return ReplyStream(self._source(messages), self.model or self.name)

    def astream(self, messages: Messages) -> AsyncReplyStream:
        """Return the reply in pieces as they arrive, for `async for`."""
        return AsyncReplyStream(in_thread(self._source(messages)), self.model or self.name)


class LoopSource(Generic[_Item]):
    """A source that an event loop in a separate thread reads, so that `cancel` ends any wait.

    Args:
        arrivals: Returns the items.
    """

    def __init__(self, arrivals: Callable[[], AsyncIterator[_Item]]) -> None:
        self._arrivals = arrivals
        self._arrived: SimpleQueue[_Item | Exception | None] = SimpleQueue()  # None is the end
        self._lock = Lock()
        self._cancelled = False
        self._stop: Callable[[], object] | None = None

    def pieces(self) -> Iterator[_Item]:
        """Yield the items as they arrive; an error of the source is raised here."""
        with self._lock:
            if self._cancelled:
                return
        Thread(target=self._run, daemon=True).start()
        try:
            while (item := self._arrived.get()) is not None:
                if isinstance(item, Exception):
                    raise item
                yield item
        finally:
            self.cancel()

    def cancel(self) -> None:
        """End the task. A reader that waits for the next item gets the end."""
        with self._lock:
            self._cancelled = True
            if self._stop is not None:
                self._stop()
        self._arrived.put(None)

    def _run(self) -> None:
        import asyncio

        with suppress(asyncio.CancelledError):
            asyncio.run(self._read())

    async def _read(self) -> None:
        import asyncio

        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        with self._lock:
            if self._cancelled or task is None:
                return
            # A task may be cancelled only in the thread of its loop.
            self._stop = lambda: loop.call_soon_threadsafe(task.cancel)
        try:
            async for item in self._arrivals():
                self._arrived.put(item)
        except Exception as error:  # noqa: BLE001  (raised again where the items are read)
            self._arrived.put(error)
        finally:
            with self._lock:
                self._stop = None
            self._arrived.put(None)


async def in_thread(source: Source) -> AsyncIterator[Piece]:
    """Yield the pieces of a source that waits in another thread.

    If the task is cancelled, so is the source.
    """
    import asyncio

    pieces = source.pieces()
    try:
        while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
            yield piece
    finally:
        source.cancel()


def _newer(old: Usage | None, new: Usage | None) -> Usage | None:
    """Return the newest counts. A provider may send only those that have changed."""
    if old is None or new is None:
        return new or old
    return Usage(
        old.input_tokens if new.input_tokens is None else new.input_tokens,
        old.output_tokens if new.output_tokens is None else new.output_tokens,
    )
