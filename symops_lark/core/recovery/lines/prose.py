"""Recognize sentences for people among plain lines, and join plain neighbors to runs."""

from __future__ import annotations

from collections.abc import Sequence

from ...patterns.regexes import compile_pattern
from ...text.source import size
from .kinds import BLANK, TEXT, Kind, Line, kinds_of, text_of

_CODE = compile_pattern(r"[{}=<>\[\]\\|]")
# Characters. Shorter lines are labels ("Done."), longer ones are data.
_MIN_LENGTH = 8
_MAX_LENGTH = 1000
_THOUGHTS = kinds_of(Kind.THOUGHT)


def looks_like_prose(line: str) -> bool:
    """Return whether a line is surely a sentence for people.

    Such a line begins with a capital letter or a digit, has three words, ends with a punctuation
    mark and holds no character that is typical of code. `x = 1.` and `see below.` are not prose.
    In scripts without blanks between words one word is enough.
    """
    line = line.strip().lstrip("*_\"'(")
    if not _MIN_LENGTH <= size(line) <= _MAX_LENGTH or _CODE.search(line):
        return False
    first = line[0]
    if first.islower() or not first.isalnum():
        return False
    gap_count = line.count(" ") + line.count("\t")
    if gap_count < 2 and first.isascii():
        return False
    bare_end = line.rstrip("\"')*_")[-1]  # the first character is not stripped: there is one
    return line[-1] in "。：！？" or bare_end in ".:!?…"


def merge_runs(text: str, lines: Sequence[Line]) -> list[Line]:
    """Join plain lines and the blank ones between them: a run is one line to the grammar.

    A run that has only sentences gets the kind PROSE. The paragraph directly after a thought stays
    separate, because it may continue the thought.

        was      becomes  line
        TEXT     PROSE    Here is what I did.
        BLANK    +
        TEXT     +        It works now.
        BLANK    BLANK
        ACTION   ACTION   ::create @a.py

        was      becomes  line
        THOUGHT  THOUGHT  >> a thought
        TEXT     TEXT     that continues
        BLANK    BLANK
        TEXT     TEXT     x = 1
        TEXT     +        That is all.

    Args:
        text: The text that the offsets of the lines refer to.
        lines: Its lines after all passes; not changed.
    """
    merged: list[Line] = []
    end = 0
    for at, line in enumerate(lines):
        if at < end:
            continue
        kind = line.kind
        if kind is TEXT:
            is_after_thought = bool(merged) and merged[-1].kind in _THOUGHTS
            end = _find_run_end(lines, at + 1, alone=is_after_thought)
            is_prose = _is_prose_run(text, lines, at, end)
            run_kind = TEXT
            if is_prose:
                run_kind = Kind.PROSE
            last = lines[end - 1]
            merged.append(Line(run_kind, line.start, last.stop, last.end))
        elif kind is BLANK and merged and merged[-1].kind is BLANK:
            merged[-1] = Line(BLANK, merged[-1].start, line.stop, line.end)
        else:
            merged.append(line)
    return merged


def _is_prose_run(text: str, lines: Sequence[Line], start: int, end: int) -> bool:
    """Return whether all plain lines of a run are sentences for people."""
    for at in range(start, end):
        part = lines[at]
        # A line of a block that was passed over may hold several lines of the text.
        if part.kind is TEXT and not _are_prose(text_of(part, text)):
            return False
    return True


def _are_prose(content: str) -> bool:
    return all(looks_like_prose(line) for line in content.split("\n"))


def _find_run_end(lines: Sequence[Line], start: int, *, alone: bool) -> int:
    """Return the end of a run of plain lines: blanks belong to it if a plain line follows them."""
    end = start
    for at in range(start, len(lines)):
        kind = lines[at].kind
        if kind is TEXT:
            end = at + 1
        elif alone or kind is not BLANK:
            break
    return end
