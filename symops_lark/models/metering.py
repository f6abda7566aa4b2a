"""Count the calls and the tokens of the models of a run.

    meter = Meter(model, Ledger(calls=40, tokens=200_000))
    meter.generate("Write a haiku."), meter.ledger.usage

A ledger is shared by all models of a run. A call beyond its limits is refused before a model is
asked, so a run costs at most one reply of each model more than its limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import cast

from ..core.ground.numbers import counted
from ..core.replies.messages import Messages, ModelError, Reply, Usage, as_messages
from .forms import Form, FormModel, Way
from .protocol import Model
from .streams import AsyncReplyStream, ReplyStream


@dataclass(slots=True)
class Ledger:
    """The costs of the models of one run.

    Attributes:
        calls: The number of calls that are allowed. None: no limit.
        tokens: The number of tokens, read and written, above which no call begins. None: no limit.
        count: Counts the tokens of a text where a provider gives no number.
        begun: The number of calls so far.
        usage: The tokens so far, by the name of the model.
        estimated: Whether a part of the tokens was counted here.
    """

    calls: int | None = None
    tokens: int | None = None
    count: Callable[[str], int] = len
    begun: int = 0
    usage: dict[str, Usage] = field(default_factory=dict)
    estimated: bool = False
    _lock: Lock = field(default_factory=Lock, repr=False)

    @property
    def total(self) -> int:
        """All tokens so far."""
        total = 0
        for usage in self.usage.values():
            total += (usage.input_tokens or 0) + (usage.output_tokens or 0)
        return total

    @property
    def excess(self) -> str:
        """The limit that is reached, in words; empty: none is."""
        # A call is counted when it begins, and its tokens when it ends.
        if self.calls is not None and self.begun >= self.calls:
            return f"the limit of {counted(self.calls, 'call')} to models is reached"
        if self.tokens is not None and self.total >= self.tokens:
            return f"the limit of {counted(self.tokens, 'token')} is reached"
        return ""

    def begin(self) -> None:
        """Count a call that begins.

        Raises:
            ModelError: A limit is reached.
        """
        # Contestants are asked in threads.
        with self._lock:
            if self.excess:
                raise ModelError(self.excess)
            self.begun += 1

    def add(self, name: str, messages: Messages, reply: Reply) -> None:
        """Add the tokens of a reply.

        Args:
            name: The name of the model.
            messages: The conversation that it was sent.
            reply: The reply, or the part of it that arrived.
        """
        usage = reply.usage or Usage()
        tokens_in, tokens_out = usage.input_tokens, usage.output_tokens
        # Some servers report 0, or -1, for a number that they do not know.
        if not tokens_in or tokens_in < 0:
            tokens_in = sum(self.count(message.content) for message in as_messages(messages))
        if not tokens_out or tokens_out < 0:
            tokens_out = self.count(reply.text)
        counted_usage = Usage(tokens_in, tokens_out)
        with self._lock:
            self.estimated = self.estimated or counted_usage != usage
            self.usage[name] = self.usage.get(name, Usage(0, 0)) + counted_usage

    def read(self) -> Mapping[str, Usage]:
        """Return the tokens so far by model, as they are now."""
        with self._lock:
            return dict(self.usage)


class Meter:
    """A model whose calls and tokens are counted.

    Args:
        model: The model.
        ledger: Where they are counted. None: a ledger without limits.
        name: The name under which they are counted. Default: that of the model.
    """

    def __init__(self, model: Model, ledger: Ledger | None = None, name: str = "") -> None:
        self.model = model
        self.ledger = ledger or Ledger()
        self.label = name or model.name

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    @property
    def way(self) -> Way:
        """How the model is asked for a JSON object."""
        way: Way = getattr(self.model, "way", Way.PROMPT)
        return way

    @property
    def wants_strict(self) -> bool:
        """Whether its way accepts only strict schemas."""
        return bool(getattr(self.model, "wants_strict", False))

    def in_form(self, form: Form) -> Meter:
        """Return the model, with a form for all of its replies and the same ledger."""
        # Callers look at `way` first: only models with forms have one.
        return Meter(cast("FormModel", self.model).in_form(form), self.ledger, self.label)

    @contextmanager
    def _call(self, messages: Messages) -> Iterator[None]:
        """Count a call, and its tokens if it fails; any error becomes a `ModelError`."""
        self.ledger.begin()
        try:
            yield
        except ModelError as error:
            # A provider also counts the tokens of a reply that broke off.
            self.ledger.add(self.label, messages, error.partial or Reply(""))
            raise
        except Exception as error:
            self.ledger.add(self.label, messages, Reply(""))
            raise ModelError(f"{type(error).__name__}: {error}") from error

    def generate(self, messages: Messages) -> Reply:
        """Ask and wait for the whole reply.

        Args:
            messages: The conversation.

        Raises:
            ModelError: The model failed, or a limit of the ledger is reached.
        """
        with self._call(messages):
            reply = self.model.generate(messages)
        self.ledger.add(self.label, messages, reply)
        return reply

    async def agenerate(self, messages: Messages) -> Reply:
        """Ask and wait for the whole reply, as `generate` does.

        Args:
            messages: The conversation.

        Raises:
            ModelError: The model failed, or a limit of the ledger is reached.
        """
        with self._call(messages):
            reply = await self.model.agenerate(messages)
        self.ledger.add(self.label, messages, reply)
        return reply

    def stream(self, messages: Messages) -> ReplyStream:
        """Return the reply in pieces; the call is counted, and its tokens are not."""
        # The usage is known only when the reader has read all pieces.
        self.ledger.begin()
        return self.model.stream(messages)

    def astream(self, messages: Messages) -> AsyncReplyStream:
        """Return the reply in pieces, for `async for`, as `stream` does."""
        self.ledger.begin()
        return self.model.astream(messages)
