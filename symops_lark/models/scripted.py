"""A model that gives the replies of a script: for tests, examples and recorded replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from threading import Lock
from typing import Any

from ..core.ground.members import as_member
from ..core.ground.numbers import counted
from ..core.replies.messages import Finish, Message, Messages, ModelError, Piece, Reply, as_messages
from .forms import Form, Formable, Way
from .streams import Source, SourceModel

Answer = str | Reply | ModelError
Line = Answer | Callable[[tuple[Message, ...]], Answer]


class ScriptedModel(Formable, SourceModel):
    """A model that gives the replies of a script, one for each request, in order.

    A line of the script is a text, a `Reply`, a `ModelError` to raise (after the text of its
    `partial`), or a function that returns one of these for the messages. When the script runs out,
    a `ModelError` is raised.

    Args:
        script: The lines.
        chunk_size: Number of characters of a piece. None: the whole reply is one piece.
        name: The name of the model.
        way: How it is asked for a JSON object.

    Attributes:
        requests: The requests so far.
        forms: The form of each request, or None.

    Raises:
        ModelError: The chunk size is less than 1.
    """

    def __init__(
        self,
        script: Iterable[Line],
        *,
        chunk_size: int | None = None,
        name: str = "scripted",
        way: Way = Way.PROMPT,
    ) -> None:
        if chunk_size is not None and chunk_size < 1:
            size = counted(chunk_size, "character")
            raise ModelError(f"a chunk of {size} says nothing: chunk_size must be at least 1")
        self.name = name
        self.chunk_size = chunk_size
        self.way = as_member(Way, way, "way")
        self.requests: list[tuple[Message, ...]] = []
        self.forms: list[Form | None] = []
        self._script = tuple(script)
        self._lock = Lock()

    # Workers in other processes are sent the model, and a lock cannot be sent.
    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= {**state, "_lock": Lock()}

    def __repr__(self) -> str:
        replies = counted(len(self._script), "reply", "replies")
        return f"<{type(self).__name__} {self.name}: {len(self.requests)} of {replies} given>"

    def _source(self, messages: Messages) -> Source:
        return _Performance(self, as_messages(messages))

    def answer(self, messages: tuple[Message, ...]) -> Answer:
        """Record a request, and return its answer.

        Args:
            messages: The request.

        Raises:
            ModelError: The script has no more lines.
        """
        # Several threads may share a script: each request takes one line.
        with self._lock:
            turn = len(self.requests)
            self.requests.append(messages)
            self.forms.append(self._form)
        if turn >= len(self._script):
            count = counted(len(self._script), "reply", "replies")
            raise ModelError(
                f"the script has {count}, and request {turn + 1} came"
                f": give {self.name} a longer script"
            )
        # A function may answer by what it is asked, such as a benchmark's simulated model.
        line = self._script[turn]
        return line(messages) if callable(line) else line


class _Performance:
    def __init__(self, model: ScriptedModel, messages: tuple[Message, ...]) -> None:
        self._model = model
        self._messages = messages

    def pieces(self) -> Iterator[Piece]:
        reply = self._model.answer(self._messages)
        failure = None
        if isinstance(reply, ModelError):
            failure = reply
            reply = failure.partial or Reply("")
        elif isinstance(reply, str):
            reply = Reply(reply, Finish.STOP)
        size = self._model.chunk_size or len(reply.text) or 1
        for start in range(0, len(reply.text), size):
            yield Piece(reply.text[start : start + size])
        # A broken reply has no finish reason, but may have a usage.
        if failure is not None:
            yield Piece("", None, reply.usage, reply.model, reply.calls)
            raise failure
        yield Piece("", reply.finish, reply.usage, reply.model, reply.calls)

    def cancel(self) -> None:
        """There is nothing that waits."""
