"""What a judgment is, by which method it was made, and what was asked and said on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.ground.json_objects import JsonObject, write_object
from ...core.ground.members import coerce_members
from ...models import Usage


class Method(StrEnum):
    """How a rule was found."""

    AUTO_SELECT = "auto_select"  # there is only one
    WHEN = "when"  # by facts
    AGGREGATE = "aggregate"  # by what the parallel parts matched
    STRUCTURED_OUTPUT = "structured_output"
    PHASE3_TAG = "phase3_tag"  # by a tag in the answer to a question about the status
    PHASE1_TAG = "phase1_tag"  # by a tag in the reply of the step itself
    AI_JUDGE = "ai_judge"  # a model compared the conditions with the report
    AI_JUDGE_FALLBACK = "ai_judge_fallback"  # the same, with all conditions, because nothing else was found


_LOGGED = {
    Method.STRUCTURED_OUTPUT: "structured_output",
    Method.PHASE3_TAG: "tag_fallback",
    Method.PHASE1_TAG: "tag_fallback",
    Method.AI_JUDGE: "ai_judge",
    Method.AI_JUDGE_FALLBACK: "ai_judge",
}


def to_judgment_match_method(name: str) -> str | None:
    """Return what the log of a session calls a method; None for methods that it has no word for."""
    return _LOGGED.get(name)  # type: ignore[call-overload, no-any-return]


@dataclass(frozen=True, slots=True)
class Stage(JsonObject):
    """One call: the number of its stage (1 to 3), how it asked, what was said, and what came of it.

    `status` is that of the reply (`answered`, `invalid`, `empty`, `cut_off`, `refused`, `failed`), or `out_of_range`
    for an answer that is no rule's number; `error` says why a call failed.
    """

    stage: int
    method: str
    status: str
    instruction: str
    response: str
    usage: Usage | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Judgment(JsonObject):
    """The rule that holds (`rule_index` from 0, in the caller's list), how it was found, its tag, the reason."""

    rule_index: int
    method: Method
    tag: str
    reason: str = ""
    stages: tuple[Stage, ...] = ()

    def __post_init__(self) -> None:
        coerce_members(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the judgment as a JSON object; `logged` is what the log of a session calls the method."""
        names = ("rule_index", "method", "tag", "reason", "stages")
        return write_object(self, *names) | {"logged": to_judgment_match_method(self.method)}


class StatusNotFound(SymOpsError):
    """No rule was found: `stages` are what was asked and said."""

    def __init__(self, message: str, stages: Sequence[Stage] = ()) -> None:
        self.stages = tuple(stages)
        super().__init__(message)


class JudgmentCancelled(StatusNotFound):
    """The run was cancelled before a rule was found; no call was started afterwards."""
