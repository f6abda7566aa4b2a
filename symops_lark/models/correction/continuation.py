"""Join a truncated reply with its continuation, where the continuation repeats the reply's end.

Invariants
    1. The joined text begins with all of the truncated reply.
    2. If a join is anchored, all that the answer says after the repeated lines follows.
    3. Only the beginning of the answer is left out: what is the end of the reply again, and the
       sentences or the Markdown fence before it. If lines that equal the end of the reply come
       later in the answer, they are part of what follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...core.recovery.lines.prose import looks_like_prose

_ANCHOR = 3  # lines that the model is asked to repeat
_SEARCHED = 100  # lines at the end of a reply that an answer may repeat; they are not blank
_MIN_OVERLAP = 20  # characters of an overlap that begins inside of a line
_MAX_OVERLAP = 4000
_MIN_LENGTH = 4  # characters of a line that is recognized without its indentation
_FENCED = re.compile(r"(`{3,}|~{3,}(?!~))[^\n`]*\n(.*)\n\1[`~]*[ \t]*", re.DOTALL)
_OPENER = re.compile(r"(?:`{3,}|~{3})[^\n`]*")


@dataclass(frozen=True, slots=True)
class Join:
    """Two parts of a reply, joined.

    Attributes:
        text: The whole text.
        seam: The offset of the second part.
        anchored: Whether the answer surely repeats the end of the first part. If not, lines may be
            missing after the seam, or be there twice.
        dropped: The number of characters at the beginning of the answer that were left out.
    """

    text: str
    seam: int
    anchored: bool
    dropped: int = 0


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

    What the answer repeats of the end of the text is left out. The join is anchored if these are
    the lines that the model is asked for (`tail`), or two lines or more. It is not anchored if

    - the answer repeats one line only, which may as well be an equal line that follows,
    - a larger number of lines would fit, too, or the repeated lines repeat themselves: a model that
      writes `0` ten times may mean any number of them, or
    - the answer repeats no two lines. A long overlap that begins inside of a line is left out;
      else the answer follows the text as it is.

    A model that repeats nothing is misread if its text continues with its last two lines again.

    Args:
        text: The truncated text.
        answer: The answer of the model.
    """
    dropped, anchored = _find_repeated(text, answer)
    return Join(text + answer[dropped:], len(text), anchored, dropped)


def starts_again(text: str, answer: str) -> bool:
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


def _find_repeated(text: str, answer: str) -> tuple[int, bool]:
    """Return the length of what an answer repeats of the end of a text, and whether it is sure.

    text ends with   answer begins with     repeated           sure
    a / b / c        a / b / c / d          three lines        yes, if no longer part fits as well
    a / b / c        c / d                  one line           no: the file may have it twice
    a / b / c        Sure: / a / b / c      with the preface   yes
    return value     value_of(x)            a part of a line   if complete lines are in it
    a / b / c        d                      nothing            no
    """
    content = text.rstrip()
    blanks = text[len(content) :]
    is_open = "\n" not in blanks  # the last line may be longer in the answer
    lines = [line.rstrip() for line in content.split("\n") if line.strip()]
    lines = lines[-_SEARCHED:]
    rows, starts = _find_rows(answer)
    counts = []
    for number in range(1, len(lines) + 1):
        ending = lines[-number:]
        if _fits(ending, rows, is_open=is_open):
            counts.append(number)
    count = min(_ANCHOR, len(lines))
    is_certain = True
    skipped = 0
    if count in counts:
        is_certain = counts[-1] == count
    elif counts:
        count = counts[-1]
        is_certain = count > 1
    else:
        skipped = _find_after_preface(lines[-count:], rows, is_open=is_open)
        if not skipped:
            return _find_overlap(text, answer)
    last = skipped + count - 1
    row = rows[last]
    end = starts[last] + len(row)
    if is_open:
        end -= len(row.lstrip())
        end += len(lines[-1].lstrip())
    end = _skip_blanks(answer, end, blanks)
    if _repeat_themselves(lines[-count:], is_open=is_open):
        is_certain = False
    return end, is_certain


def _find_overlap(text: str, answer: str) -> tuple[int, bool]:
    """Return the length of an overlap that begins inside of a line, and whether it is sure.

    It is long, and does not repeat itself: else the text may as well go on like that. It is sure
    if complete lines are in it.
    """
    size = min(len(text), len(answer), _MAX_OVERLAP)
    while size >= _MIN_OVERLAP and not text.endswith(answer[:size]):
        size -= 1
    if size < _MIN_OVERLAP:
        return 0, False
    overlap = answer[:size]
    half = size // 2
    for length in range(half, size):
        if overlap.startswith(overlap[-length:]):
            return 0, False
    line_count = overlap.strip().count("\n")
    return size, line_count > 1


def _find_rows(answer: str) -> tuple[list[str], list[int]]:
    """Return the lines of an answer that are not blank, and their offsets."""
    rows = []
    starts = []
    offset = 0
    for row in answer.split("\n"):
        if row.strip():
            rows.append(row)
            starts.append(offset)
        offset += len(row) + 1
    return rows, starts


def _fits(lines: Sequence[str], rows: Sequence[str], *, is_open: bool) -> bool:
    """Return whether rows begin with lines; if the last line is open, it may be longer there."""
    if not 0 < len(lines) <= len(rows):
        return False
    # Providers strip the blanks at the beginning of an answer.
    first = lines[0]
    if rows[0][0].strip() and (len(lines) > 1 or len(first.strip()) >= _MIN_LENGTH):
        first = first.lstrip()
    *complete, last = (first, *lines[1:])
    for row, line in zip(rows, complete, strict=False):
        if row.rstrip() != line:
            return False
    row = rows[len(complete)]
    return row.startswith(last) if is_open else row.rstrip() == last


def _find_after_preface(lines: Sequence[str], rows: Sequence[str], *, is_open: bool) -> int:
    """Return the number of sentences and fences before the lines in an answer; 0: not found."""
    # One line may as well be a line of the content that is like the last one.
    if len(lines) < 2:
        return 0
    for index, row in enumerate(rows[:-1], 1):
        if not (looks_like_prose(row) or _OPENER.fullmatch(row.strip())):
            return 0
        if _fits(lines, rows[index : index + len(lines)], is_open=is_open):
            return index
    return 0


def _skip_blanks(answer: str, start: int, blanks: str) -> int:
    """Return the offset after the blanks of an answer that repeat those at the end of the text."""
    *ends, indentation = blanks.split("\n")
    for _ in ends:
        end = answer.find("\n", start)
        if end < 0 or answer[start:end].strip():
            return start
        start = end + 1
    for blank in indentation:
        if not answer.startswith(blank, start):
            break
        start += 1
    return start


def _repeat_themselves(lines: Sequence[str], *, is_open: bool) -> bool:
    """Return whether half of the lines or more are their beginning and their end, as in `0 0 0`."""
    half = (len(lines) + 1) // 2
    for number in range(half, len(lines)):
        ending = lines[-number:]
        if _fits(ending, lines, is_open=is_open):
            return True
    return False


def strip_wrapping(answer: str) -> str:
    """Return an answer without a Markdown fence around the whole of it."""
    match = _FENCED.fullmatch(answer.strip("\n"))
    return match[2] if match else answer
