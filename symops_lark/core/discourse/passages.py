"""The values of a reading: who speaks in a part of a reply, how, and is it asked for now."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ..ground.members import coerce_members
from ..text.source import Span


class Speaker(StrEnum):
    """Who speaks."""

    ASSISTANT = "assistant"
    USER = "user"
    TOOL = "tool"
    SYSTEM = "system"


class Channel(StrEnum):
    """Whether a part is the answer, or thinking that no reader acts on."""

    FINAL = "final"
    THINKING = "thinking"


class Stance(StrEnum):
    """How the words around an utterance describe it."""

    ASSERTED = "asserted"  # nothing speaks against it
    EXAMPLE = "example"
    PLANNED = "planned"  # for later, or after somebody agrees
    CONDITIONAL = "conditional"
    DENIED = "denied"
    ALTERNATIVE = "alternative"  # one of several ways
    PAST = "past"
    FUTURE = "future"
    QUOTED = "quoted"  # someone else wrote it
    ASKED = "asked"  # the reply asks whether to do it
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a reply in which nothing of this changes. An utterance is one passage.

    Attributes:
        span: The part of the text.
        speaker: Who speaks.
        channel: The answer, or thinking.
        turn: The number of the turn, from 0; it grows where another speaker begins.
        stance: How the words around it describe it. Only utterances have one other than ASSERTED.
        code: Empty if the passage counts. Otherwise the code of a diagnostic: `invented-turn`,
            `other-speaker`, `behind-the-end`, `thought` or `not-asked`.
        why: The token, label or sentence that is the reason; empty without a code.
        certain: Whether the reason is a token of a chat template, not words.
    """

    span: Span
    speaker: Speaker
    channel: Channel
    turn: int
    stance: Stance
    code: str
    why: Span
    certain: bool

    def __post_init__(self) -> None:
        coerce_members(self)
