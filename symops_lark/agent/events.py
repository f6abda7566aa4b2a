"""Events of a run: each step leaves one. The log of a run is its events, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..core.ground.json_objects import FieldError
from ..core.ground.members import coerce_members


class Kind(StrEnum):
    """What has happened."""

    TASK = "TASK"  # the task, as it was given
    RESUMED = "RESUMED"  # another process continues
    SESSION = "SESSION"  # a session of code intelligence began
    FRAME = "FRAME"  # what the request says, slot by slot
    EXPLORED = "EXPLORED"  # which files were opened
    UNDERSTOOD = "UNDERSTOOD"  # whether that is enough to write
    PROMPT = "PROMPT"  # what models are shown
    CONTEST = "CONTEST"  # an event of routing
    WINNER = "WINNER"  # the reply that passed
    PLAN = "PLAN"  # what it would change
    ASKED = "ASKED"  # what a person agreed to
    APPLYING = "APPLYING"  # files may change from now on
    APPLIED = "APPLIED"  # files have changed
    TESTED = "TESTED"  # how the tests went
    JUDGMENT = "JUDGMENT"  # which rule holds, and where it leads
    END = "END"  # the status of the run


_ENVELOPE = ("seq", "at", "run_id", "round", "event", "prev")


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a run's log. The JSON Schema is `symops_lark.schema("run")`.

    Attributes:
        seq: Its number, from 0, without gaps.
        at: When it happened, in UTC.
        run_id: The run.
        round: The round, from 1; 0 before the first one.
        kind: What has happened.
        data: Further members, by the kind.
    """

    seq: int
    at: str
    run_id: str
    round: int
    kind: Kind
    data: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        coerce_members(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the event as a JSON object, in which `event` is its kind."""
        head = {"seq": self.seq, "at": self.at, "run_id": self.run_id, "round": self.round}
        return {**head, "event": str(self.kind), **self.data}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Event:
        """Return the event that `to_dict` wrote.

        Args:
            data: The JSON object.

        Raises:
            FieldError: A member of each event is missing or wrong.
        """
        # `prev` chains the lines of the file, and says nothing of the run.
        members = {key: value for key, value in data.items() if key not in _ENVELOPE}
        try:
            kind = Kind(data["event"])
            numbers = int(data["seq"]), int(data["round"])
            texts = str(data["at"]), str(data["run_id"])
        except (KeyError, TypeError, ValueError) as error:
            raise FieldError(f"not an event of a run: {error}") from None
        return cls(numbers[0], texts[0], texts[1], numbers[1], kind, members)
