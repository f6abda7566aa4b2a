"""Join a truncated reply with its continuation, at an overlap. No text of the reply is lost."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ANCHOR = 3  # lines that the model is asked to repeat
_SEARCHED = 40  # lines at the beginning of an answer in which the anchor is searched for
_MIN_OVERLAP = 4  # characters
_MAX_OVERLAP = 4000  # characters
_FENCED = re.compile(r"(`{3,}|~{3,})[^\n`]*\n(.*)\n\1[`~]*[ \t]*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Join:
    """Two parts of a reply, joined.

    Attributes:
        text: The whole text.
        seam: The offset of the second part.
        anchored: Whether the answer repeats the end of the first part, or the whole reply.
    """

    text: str
    seam: int
    anchored: bool


def tail(text: str) -> str:
    """Return the last lines of a text that are not blank: the model repeats them."""
    lines = text.rstrip("\n").split("\n")
    first = len(lines)
    count = 0
    while first > 0 and count < _ANCHOR:
        first -= 1
        count += bool(lines[first].strip())
    return "\n".join(lines[first:])


def join(text: str, answer: str) -> Join:
    """Return a truncated text, joined with the answer that continues it.

    The end of the text is searched for at the beginning of the answer: character by character, then
    as lines, since providers strip the blanks at the beginning of an answer. Without an overlap the
    answer follows the text.

    Args:
        text: The truncated text.
        answer: The answer of the model.
    """
    if _is_repetition(text, answer):
        return Join(answer, 0, anchored=True)
    size = _overlap(text, answer)
    shared = answer[:size].strip()
    is_certain = len(shared) >= _MIN_OVERLAP or "\n" in shared
    if not is_certain:
        end = _find_last_lines(text, answer)
        if end is not None:
            size = end
            is_certain = True
        elif not shared or text[-size - 1 :][:1] not in ("\n", shared[0]):
            # Else the overlap is the whole last line, such as `}`: it is too short to be certain,
            # but writing it twice would be worse.
            size = 0
    return Join(text + answer[size:], len(text), is_certain)


def _is_repetition(text: str, answer: str) -> bool:
    """Return whether an answer is the whole reply again, from its first line."""
    # In a short text its first lines are also its last ones, and say nothing.
    if text.count("\n") < 2 * _ANCHOR:
        return False
    beginning = _first_lines(text)
    return len(beginning) == _ANCHOR and beginning == _first_lines(answer)


def _first_lines(text: str) -> list[str]:
    """Return the lines that identify a reply."""
    lines = [line for line in text.split("\n")[:_SEARCHED] if line.strip()]
    return lines[:_ANCHOR]


def _overlap(text: str, answer: str) -> int:
    """Return the length of the longest end of the text that the answer begins with."""
    length = min(len(text), len(answer), _MAX_OVERLAP)
    while not text.endswith(answer[:length]):
        length -= 1
    return length


def _find_last_lines(text: str, answer: str) -> int | None:
    """Return the offset after the text's last line in the first lines of the answer, or None.

    If the line occurs several times, the place with the most equal lines before it is taken.
    """
    *before, anchor = (line.strip() for line in tail(text).split("\n"))
    if len(anchor) < _MIN_OVERLAP:
        return None
    is_complete = text.endswith("\n")
    lines = answer.split("\n")[:_SEARCHED]
    offset = 0
    best = (0, -1)
    for index, line in enumerate(lines):
        content = line.strip()
        # A last line that is not complete may be longer in the answer.
        if content == anchor or (not is_complete and content.startswith(anchor)):
            matches = 1
            for earlier, expected in zip(reversed(lines[:index]), reversed(before), strict=False):
                if earlier.strip() != expected:
                    break
                matches += 1
            size = line.find(anchor) + len(anchor)
            if is_complete:
                size = len(line) + 1
            # Of equal places the last one: the answer continues from there.
            best = max(best, (matches, offset + size))
        offset += len(line) + 1
    matches, end = best
    return min(end, len(answer)) if matches else None


def strip_wrapping(answer: str) -> str:
    """Return an answer without a Markdown fence around the whole of it."""
    match = _FENCED.fullmatch(answer.strip("\n"))
    return match[2] if match else answer
