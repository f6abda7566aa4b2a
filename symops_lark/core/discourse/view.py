"""A view of a reply without thinking and tokens, for a reader that knows neither."""

from __future__ import annotations

from collections.abc import Sequence

from ..text.source import Span
from .marks import Mark, Place, find_tokens
from .passages import Channel
from .tables import CHANNEL, CLOSE, OPEN, TURN
from .turns import match_thinking


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
    hidden = find_hidden(text, opaque)
    if not hidden:
        return text
    return blank_parts(text, hidden)


def blank_parts(text: str, parts: Sequence[Place]) -> str:
    """Return a text of the same length with blanks in place of some parts.

    Args:
        text: The text.
        parts: The parts in order, without overlaps. Where text follows on the line of one, the
            last of its blanks is a line feed.
    """
    pieces: list[str] = []
    at = 0
    for start, end in parts:
        pieces += (text[at:start], _blanks(text, start, end))
        at = end
    return "".join([*pieces, text[at:]])


def find_hidden(text: str, opaque: Sequence[Span]) -> list[Place]:
    """Return the parts that a view leaves out, in order.

    Args:
        text: The reply.
        opaque: Where no token counts.
    """
    tokens = find_tokens(text, [(span.start, span.end) for span in opaque])
    if not any(mark.kind in (OPEN, CLOSE, CHANNEL) for mark in tokens):
        return []
    return _hidden(tokens)


def _hidden(tokens: Sequence[Mark]) -> list[Place]:
    """Return the parts to blank, in order; parts that touch are one."""
    thinking = match_thinking(tokens)
    last_final = 0
    for mark in tokens:
        if _is_final(mark):
            last_final = mark.start
    hidden: list[Place] = []
    depth = 0  # of thinking tokens
    opened = -1  # where the section begins that is open; -1: none is
    for mark in tokens:
        start = mark.start
        if mark.kind == OPEN or (mark.kind == CHANNEL and not _is_final(mark)):
            is_closed = start in thinking.closed
            depth += is_closed
            if opened < 0 and (is_closed or start < last_final):
                opened = start
            continue
        if start in thinking.lone:
            # The opening token was in the prompt: everything before was thinking.
            hidden.clear()
            start = 0
        elif mark.kind == CLOSE:
            depth -= thinking.closing.get(start, 0)
            if depth:
                continue
            start = opened
        elif opened >= 0:
            # The next message begins, which may be a call.
            is_end = _is_final(mark) or mark.kind == TURN
            if not is_end or depth:
                continue
            start = opened
        opened = -1
        _add(hidden, start, mark.end)
    return hidden


def _add(hidden: list[Place], start: int, end: int) -> None:
    """Add a part; one that touches the last part makes it longer."""
    if hidden and hidden[-1][1] == start:
        start, _ = hidden.pop()
    hidden.append((start, end))


def _is_final(mark: Mark) -> bool:
    return mark.value == Channel.FINAL


def _blanks(text: str, start: int, end: int) -> str:
    """Return blanks in place of a part; they end the line if text follows on it."""
    blanks = "\n".join([" " * len(line) for line in text[start:end].split("\n")])
    is_followed = end < len(text) and text[end] != "\n"
    if not is_followed:
        return blanks
    return blanks[:-1] + "\n"
