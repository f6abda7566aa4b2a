"""Going on where a reply was cut off: the two parts are joined at an overlap, and nothing that had arrived is lost."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ANCHOR = 3  # lines that the model is asked to repeat
_SEARCHED = 40  # lines at the beginning of an answer in which the anchor is looked for
_LEAST = 4  # characters that make an overlap
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Join:
    """Two parts of a reply made one: the whole text, the offset of the seam, and how sure that is.

    `anchored` says that the answer repeats the end of the first part, or all of it from the beginning.
    """

    text: str
    seam: int
    anchored: bool


def tail(text: str) -> str:
    """Return the last lines of a text that say something: what the model repeats before it goes on."""
    lines = text.rstrip("\n").split("\n")
    first = len(lines)
    said = 0
    while first > 0 and said < _ANCHOR:
        first -= 1
        said += bool(lines[first].strip())
    return "\n".join(lines[first:])


def join(text: str, answer: str) -> Join:
    """Return a text that was cut off, joined with the answer to "go on".

    The end of the text is looked for at the beginning of the answer: character for character, then as lines, since
    providers strip the blanks at the beginning of an answer. Without an overlap the answer is put behind the text.
    """
    if _begins_anew(text, answer):
        return Join(answer, 0, anchored=True)
    count = _overlap(text, answer)
    shared = answer[:count].strip()
    if len(shared) >= _LEAST or "\n" in shared:
        return Join(text + answer[count:], len(text), anchored=True)
    at = _find_last_lines(text, answer)
    if at is not None:
        return Join(text + answer[at:], len(text), anchored=True)
    if shared and text[-count - 1 :][:1] in ("\n", shared[0]):  # the last line, but too short to be sure of it
        return Join(text + answer[count:], len(text), anchored=False)
    return Join(text + answer, len(text), anchored=False)


def _begins_anew(text: str, answer: str) -> bool:
    """Return whether the answer is the whole reply again: its first lines are the text's, the text's end is not."""
    first = [line for line in text.split("\n")[:_SEARCHED] if line.strip()][:_ANCHOR]
    other = [line for line in answer.split("\n")[:_SEARCHED] if line.strip()][: len(first)]
    return len(first) == _ANCHOR and first == other and len(text.split("\n")) > 2 * _ANCHOR


def _overlap(text: str, answer: str) -> int:
    """Return the length of the longest end of the text that the answer begins with."""
    most = min(len(text), len(answer), _LONGEST)
    return next(length for length in range(most, -1, -1) if text.endswith(answer[:length]))


def _find_last_lines(text: str, answer: str) -> int | None:
    """Return the offset behind the text's last line, found among the first lines of the answer, or None.

    Of several places the one is taken that has most of the lines before it right as well.
    """
    last = [line.strip() for line in tail(text).split("\n")]
    if not last or len(last[-1]) < _LEAST:
        return None
    complete = text.endswith("\n")
    lines = answer.split("\n")[:_SEARCHED]
    offset, best = 0, (0, -1)
    for index, line in enumerate(lines):
        shown = line.strip()
        if shown == last[-1] or (not complete and shown.startswith(last[-1])):
            before = 0
            while before + 2 <= len(last) and before < index and lines[index - before - 1].strip() == last[-2 - before]:
                before += 1
            end = offset + len(line) + 1 if complete else offset + line.index(last[-1]) + len(last[-1])
            best = max(best, (before + 1, end))
        offset += len(line) + 1
    return min(best[1], len(answer)) if best[0] else None


def strip_wrapping(answer: str) -> str:
    """Return an answer without a Markdown fence that is wrapped around the whole of it."""
    match = _FENCED.fullmatch(answer.strip("\n"))
    return match[2] if match else answer


_FENCED = re.compile(r"(`{3,}|~{3,})[^\n`]*\n(.*)\n\1[`~]*[ \t]*", re.DOTALL)
