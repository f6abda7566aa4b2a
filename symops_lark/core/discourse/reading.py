"""Read the discourse of a reply: one list of passages for actions, JSON answers and tags."""

from __future__ import annotations

from collections.abc import Sequence

from ..grammar.codes import INVENTED_TURN, NOT_ASKED, OTHER_SPEAKER, THOUGHT
from ..patterns.regexes import compile_pattern, is_encodable
from ..text.source import Source, Span
from .labels import find_labels
from .marks import Mark, Place, find_elements, find_tokens, mark_start
from .passages import Passage, Stance
from .stances import Doubt, find_doubts
from .tables import CHANNEL
from .turns import Stretch, read_turns

_UNSAID = (THOUGHT, OTHER_SPEAKER, INVENTED_TURN)
_HALF = compile_pattern(r"[\ud800-\udfff]")  # of a surrogate pair


def read_discourse(
    text: str,
    utterances: Sequence[Span],
    *,
    opaque: Sequence[Span] | None = None,
    own: Sequence[Span] = (),
    announced: bool = True,
    verdicts: bool = False,
) -> tuple[Passage, ...]:
    """Return the passages of a reply.

    Takes time linear in the length of the text, and raises nothing for any text.

    Args:
        text: The reply.
        utterances: What a reader may act on: actions, JSON objects or tags. In order, without
            overlaps.
        opaque: Where no token or label counts, such as contents of actions and strings of JSON.
            None: the utterances.
        own: Sections that are neither utterances nor prose, such as thoughts and questions of
            Sym-Ops. They doubt nothing.
        announced: Whether a short question at the very end waits for an answer to it. False for
            answers, which wait for nothing.
        verdicts: Whether the utterances are verdicts, such as tags. A reply is nothing but its
            verdict and the reasons, so that more labels and tokens count (see `turns`).

    Returns:
        The passages in order. They partition the text, and each utterance is one of them.
    """
    readable = _readable(text)
    places = _places(utterances)
    hidden = places
    if opaque is not None:
        hidden = _places(opaque)
    sections = _places(own)
    marks, blocks = find_marks(readable, places, hidden, sections, verdicts)
    stretches = read_turns(text, places, marks, verdicts)
    # Neither is prose: what a mark, a thought or another speaker says doubts nothing.
    used = [(mark.start, mark.end) for mark in marks if not _is_heading(mark)]
    unsaid = [(part.start, part.end) for part in stretches if part.code in _UNSAID]
    excluded = [*blocks, *used, *unsaid, *sections]
    doubts = find_doubts(readable, places, excluded, announced)
    source = Source(text)
    return tuple(_passage(stretch, doubts, source) for stretch in stretches)


def find_marks(
    text: str,
    utterances: Sequence[Place],
    opaque: Sequence[Place],
    sections: Sequence[Place] = (),
    verdicts: bool = False,
) -> tuple[list[Mark], list[Place]]:
    """Return the marks of a reply in order, and the code blocks without utterances.

    Args:
        text: The reply.
        utterances: What the reader may act on, in order.
        opaque: Where no mark counts.
        sections: Where no token counts.
        verdicts: Whether the utterances are verdicts.
    """
    labels, blocks = find_labels(text, utterances, opaque, verdicts)
    # A code block without an utterance mentions tokens, and uses none.
    unused = [*opaque, *blocks, *sections]
    marks = find_tokens(text, unused)
    marks += find_elements(text, unused)
    # A token is certain, so it comes before a label at the same place: `<tool_response>`.
    marks += labels
    marks.sort(key=mark_start)
    return marks, blocks


def _is_heading(mark: Mark) -> bool:
    """Return whether a mark is the heading of a section, which is a lead as well."""
    return mark.kind == CHANNEL and not mark.is_token


def _readable(text: str) -> str:
    """Return a text of the same length that RE2 can read."""
    if is_encodable(text):
        return text
    readable: str = _HALF.sub("\ufffd", text)
    return readable


def _places(spans: Sequence[Span]) -> list[Place]:
    return [(span.start, span.end) for span in spans]


def _passage(stretch: Stretch, doubts: Sequence[Doubt | None], source: Source) -> Passage:
    code = stretch.code
    stance = Stance.ASSERTED
    why = (stretch.start, stretch.start)
    mark = stretch.mark
    if mark is not None:
        why = (mark.start, mark.end)
    doubt = None
    if stretch.utterance >= 0:
        doubt = doubts[stretch.utterance]
    if doubt is not None:
        stance = doubt.stance
    # A turn or a channel is the better reason.
    if doubt is not None and not code:
        code = NOT_ASKED
        why = (doubt.sentence.start, doubt.sentence.end)
    return Passage(
        span=source.span(stretch.start, stretch.end),
        speaker=stretch.speaker,
        channel=stretch.channel,
        turn=stretch.turn,
        stance=stance,
        code=code,
        why=source.span(*why),
        certain=stretch.is_certain,
    )
