"""Read the discourse of a reply: one list of passages for actions, JSON answers and tags."""

from __future__ import annotations

from collections.abc import Sequence

from ..grammar.codes import NOT_ASKED
from ..patterns.regexes import compile_pattern, is_encodable
from ..text.source import Source, Span
from .labels import find_labels
from .marks import Mark, Place, find_elements, find_tokens, mark_start
from .passages import Passage, Stance
from .stances import Doubt, find_doubts
from .tables import CHANNEL
from .turns import Stretch, read_turns

_HALF = compile_pattern(r"[\ud800-\udfff]")  # of a surrogate pair


def read_discourse(
    text: str,
    utterances: Sequence[Span],
    *,
    opaque: Sequence[Span] | None = None,
    own: Sequence[Span] = (),
    announced: bool = True,
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

    Returns:
        The passages in order. They partition the text, and each utterance is one of them.
    """
    readable = _readable(text)
    places = _places(utterances)
    hidden = places
    if opaque is not None:
        hidden = _places(opaque)
    labels, blocks = find_labels(readable, places, hidden)
    sections = _places(own)
    # A code block without an utterance mentions tokens, and uses none.
    unused = [*hidden, *blocks, *sections]
    tokens = find_tokens(readable, unused)
    elements = find_elements(readable, unused)
    marks = sorted([*tokens, *elements, *labels], key=mark_start)
    stretches = read_turns(text, places, marks)
    # Neither is prose: what a mark or a thought says doubts nothing.
    used = [(mark.start, mark.end) for mark in marks if not _is_heading(mark)]
    excluded = [*blocks, *used, *sections]
    doubts = find_doubts(readable, places, excluded, announced)
    source = Source(text)
    return tuple(_passage(stretch, doubts, source) for stretch in stretches)


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
    why = source.span(stretch.start, stretch.start)
    mark = stretch.mark
    if mark is not None:
        why = source.span(mark.start, mark.end)
    doubt = None
    if stretch.utterance >= 0:
        doubt = doubts[stretch.utterance]
    if doubt is not None:
        stance = doubt.stance
    # A turn or a channel is the better reason.
    if doubt is not None and not code:
        code = NOT_ASKED
        why = source.span(doubt.sentence.start, doubt.sentence.end)
    return Passage(
        span=source.span(stretch.start, stretch.end),
        speaker=stretch.speaker,
        channel=stretch.channel,
        turn=stretch.turn,
        stance=stance,
        code=code,
        why=why,
        certain=stretch.is_certain,
    )
