"""The result of asking a model for a JSON object: the value, and the attempts that led to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from operator import add
from typing import Any

from ...core.ground.json_objects import JsonObject
from ...core.ground.members import coerce_members
from ...core.text.diagnostics import Diagnostic
from ...models import Finish, Message, Usage, Way


class Status(StrEnum):
    """The outcome of one attempt."""

    ANSWERED = "answered"  # a value that fits the schema
    INVALID = "invalid"  # a text without such a value
    EMPTY = "empty"  # no text
    CUT_OFF = "cut_off"  # the reply ended before the model was done
    REFUSED = "refused"  # the model, or a filter of its provider, would not answer
    FAILED = "failed"  # no reply arrived: `error` has the reason


@dataclass(frozen=True, slots=True)
class Attempt(JsonObject):
    """One call of a model.

    Attributes:
        way: How the model was asked: natively or by words.
        instruction: The messages.
        response: The text of the reply; empty without one.
        status: The outcome.
        finish: The reason why the reply ended.
        usage: The tokens; None if they are unknown.
        strategy: How the value was found in the response; None without a value.
        repaired: Whether the value is of a text that is not exactly JSON.
        diagnostics: What was rejected, with places in `response`.
        error: The reason of a failure; empty without one.
    """

    way: Way
    instruction: tuple[Message, ...]
    response: str
    status: Status
    finish: Finish = Finish.UNKNOWN
    usage: Usage | None = None
    strategy: str | None = None
    repaired: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    error: str = ""

    def __post_init__(self) -> None:
        coerce_members(self)


@dataclass(frozen=True, slots=True)
class Answer(JsonObject):
    """The answer of a model.

    Attributes:
        value: A JSON object that fits the schema; None without one.
        attempts: The calls, in order.
        cancelled: Whether the caller stopped before there was an answer.
        method: The name of this way to ask, for logs.
    """

    WRITTEN = (
        "value",
        "method",
        "way",
        "status",
        "refused",
        "cancelled",
        "repaired",
        "usage",
        "attempts",
    )

    value: dict[str, Any] | None
    attempts: tuple[Attempt, ...] = ()
    cancelled: bool = False
    method: str = "structured_output"

    @property
    def way(self) -> Way | None:
        """The way of the last attempt; None if there was none."""
        return self.attempts[-1].way if self.attempts else None

    @property
    def status(self) -> Status | None:
        """The status of the last attempt; None if there was none."""
        return self.attempts[-1].status if self.attempts else None

    @property
    def refused(self) -> bool:
        """Whether the model would not answer, also when it was asked again."""
        return self.status is Status.REFUSED

    @property
    def repaired(self) -> bool:
        """Whether the value is of a text that is not exactly JSON."""
        return bool(self.attempts) and self.attempts[-1].repaired

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of the last attempt."""
        return self.attempts[-1].diagnostics if self.attempts else ()

    @property
    def usage(self) -> Usage | None:
        """The tokens of all attempts; None if no number is known.

        A number that a reply leaves out is unknown in the sum.
        """
        # Servers do not charge for a failed call, unless it has a usage.
        usages = [
            attempt.usage
            for attempt in self.attempts
            if attempt.usage or attempt.status is not Status.FAILED
        ]
        if not any(usages):
            return None
        return reduce(add, (usage or Usage() for usage in usages))
