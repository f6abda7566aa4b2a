"""Records of a judgment: the result, the method that found it, and each call to a model."""

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
    AGGREGATE = "aggregate"  # by the conditions that the parallel parts matched
    STRUCTURED_OUTPUT = "structured_output"
    PHASE3_TAG = "phase3_tag"  # by a tag in the answer to a question about the status
    PHASE1_TAG = "phase1_tag"  # by a tag in the reply of the step itself
    AI_JUDGE = "ai_judge"  # a model compared the conditions with the report
    AI_JUDGE_FALLBACK = "ai_judge_fallback"  # the same with all conditions, as the last resort


# Words of the log of a session. The other methods need no model, and the log has no word for them.
_LOG_WORDS = {
    Method.STRUCTURED_OUTPUT: "structured_output",
    Method.PHASE3_TAG: "tag_fallback",
    Method.PHASE1_TAG: "tag_fallback",
    Method.AI_JUDGE: "ai_judge",
    Method.AI_JUDGE_FALLBACK: "ai_judge",
}


def to_judgment_match_method(name: str) -> str | None:
    """Return the word of a session's log for a method; None if the log has no word for it."""
    return _LOG_WORDS.get(name)  # type: ignore[call-overload, no-any-return]


@dataclass(frozen=True, slots=True)
class Stage(JsonObject):
    """One call to a model.

    Attributes:
        stage: The number of the stage, 1 to 3.
        method: How the stage asked.
        status: The status of the reply (`answered`, `invalid`, `empty`, `cut_off`, `refused`,
            `failed`), or `out_of_range` if the number is not that of a rule.
        instruction: The question.
        response: The reply.
        usage: The tokens that were used. None: unknown.
        error: Why the call failed. Empty: it did not.
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
    """The rule that holds.

    Attributes:
        rule_index: Its index in the caller's list, from 0.
        method: How it was found.
        tag: Its tag.
        reason: The reason that the model gave. Empty: none.
        stages: The calls that were made, in order.
    """

    rule_index: int
    method: Method
    tag: str
    reason: str = ""
    stages: tuple[Stage, ...] = ()

    def __post_init__(self) -> None:
        # `from_dict` passes words and dicts, which become members and stages here.
        coerce_members(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the judgment as a JSON object; `logged` is the log's word for the method."""
        names = ("rule_index", "method", "tag", "reason", "stages")
        return write_object(self, *names) | {"logged": to_judgment_match_method(self.method)}


class StatusNotFound(SymOpsError):
    """No rule was found.

    Attributes:
        stages: The calls that were made, in order.
    """

    def __init__(self, message: str, stages: Sequence[Stage] = ()) -> None:
        self.stages = tuple(stages)
        super().__init__(message)


class JudgmentCancelled(StatusNotFound):
    """The run was cancelled before a rule was found; no call was started afterwards."""
