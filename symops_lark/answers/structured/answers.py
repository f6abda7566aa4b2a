"""What comes of asking a model for a JSON object: the value, and each attempt that led there."""

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
    """What came of one attempt."""

    ANSWERED = "answered"  # a value that fits the schema
    INVALID = "invalid"  # a text without such a value
    EMPTY = "empty"  # no text
    CUT_OFF = "cut_off"  # the reply ended before the model was done
    REFUSED = "refused"  # the model, or a filter behind it, would not answer
    FAILED = "failed"  # no reply came: `error` says why


@dataclass(frozen=True, slots=True)
class Attempt(JsonObject):
    """One call: how and what was asked, what came back, and what was made of it.

    `diagnostics` have places in `response`; `strategy` and `repaired` say how the value was found there.
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
    """A JSON object that fits the schema as `value`, or None, and the attempts that led there."""

    WRITTEN = ("value", "method", "way", "status", "refused", "cancelled", "repaired", "usage", "attempts")

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
        """Whether the model would not answer, asked again as well."""
        return self.status is Status.REFUSED

    @property
    def repaired(self) -> bool:
        """Whether the value is that of a text that is not JSON as it stands."""
        return bool(self.attempts) and self.attempts[-1].repaired

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the last attempt has to say of its response."""
        return self.attempts[-1].diagnostics if self.attempts else ()

    @property
    def usage(self) -> Usage | None:
        """The tokens of all attempts; None if none is known, and what a reply does not say is unknown in the sum.

        A call that failed without saying counts nothing: servers do not charge for what they refuse.
        """
        counted = [each.usage for each in self.attempts if each.usage or each.status is not Status.FAILED]
        return reduce(add, (usage or Usage() for usage in counted)) if any(counted) else None
