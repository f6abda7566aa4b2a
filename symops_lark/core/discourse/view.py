"""A view of a reply without thinking and tokens, for a reader that knows neither."""

from __future__ import annotations

from collections.abc import Sequence

from ..patterns.regexes import compile_pattern
from ..text.source import Span
from .marks import Mark, Place, find_tokens
from .passages import Channel
from .tables import CHANNEL, CLOSE, OPEN

_NOT_LINE_FEED = compile_pattern(r"[^\n]")


def read_view(text: str, opaque: Sequence[Span]) -> str:
    """Return a reply with blanks in place of its sections of thinking and its tokens.

    It has the same length, so all offsets stay. Where text follows on the line of a blanked part,
    the last of these blanks is a line feed: in `<|channel|>final<|message|>::create @a.py` the
    action begins a line. A section of thinking that never ends stays as it is, because it may be
    the answer.

    Args:
        text: The reply.
        opaque: Where no token counts, such as the contents of the actions of a first reading.

    Returns:
        The view. If the text has no tokens of channels or thinking, the same object as `text`.
    """
    tokens = find_tokens(text, [(span.start, span.end) for span in opaque])
    if not any(mark.kind in (OPEN, CLOSE, CHANNEL) for mark in tokens):
        return text
    pieces: list[str] = []
    at = 0
    for start, end in _hidden(tokens):
        pieces += (text[at:start], _blanks(text, start, end))
        at = end
    return "".join([*pieces, text[at:]])


def _hidden(tokens: Sequence[Mark]) -> list[Place]:
    """Return the parts to blank, in order; parts that touch are one."""
    hidden: list[Place] = []
    opened = -1  # where a section of thinking begins
    has_answer = any(_begins_answer(mark) for mark in tokens)
    for mark in tokens:
        start = mark.start
        if _begins_answer(mark):
            if opened >= 0:
                start = opened
            elif mark.kind == CLOSE and not hidden:
                start = 0  # the opening token was in the prompt
            opened = -1
        elif mark.kind in (OPEN, CHANNEL):
            if opened < 0 and has_answer:
                opened = mark.start
            continue
        elif opened >= 0:
            continue
        if hidden and hidden[-1][1] == start:
            start, _ = hidden.pop()
        hidden.append((start, mark.end))
    return hidden


def _begins_answer(mark: Mark) -> bool:
    """Return whether the answer may follow a token."""
    if mark.kind == CLOSE:
        return True
    return mark.kind == CHANNEL and mark.value == Channel.FINAL


def _blanks(text: str, start: int, end: int) -> str:
    """Return blanks in place of a part; they end the line if text follows on it."""
    blanks: str = _NOT_LINE_FEED.sub(" ", text[start:end])
    is_followed = end < len(text) and text[end] != "\n"
    if not is_followed:
        return blanks
    return blanks[:-1] + "\n"
