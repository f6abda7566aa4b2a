"""Plain lines: which are sentences for people, and how neighbours join to runs."""

from __future__ import annotations

from collections.abc import Sequence

from ...patterns.regexes import compile_pattern
from ...text.source import size
from .kinds import BLANK, TEXT, Kind, Line, kinds_of

_CODE = compile_pattern(r"[{}=<>\[\]\\|]")


def looks_like_prose(line: str) -> bool:
    """Return whether a line is surely a sentence for people: words, an end mark, nothing that code is made of."""
    line = line.strip().lstrip("*_\"'(")
    if not 8 <= size(line) <= 1000 or line[0].islower() or not line[0].isalnum() or _CODE.search(line):
        return False
    words = line.count(" ") + line.count("\t") >= 2 or not line[0].isascii()
    return words and (line[-1] in "。：！？" or line.rstrip("\"')*_")[-1] in ".:!?…")


def merge_runs(text: str, lines: Sequence[Line]) -> list[Line]:
    """Return the lines with plain ones, and the blank ones between them, joined: a run is one line to the grammar.

    A run of nothing but sentences has the kind PROSE. The paragraph right behind a thought stays by itself: it may be
    the thought's continuation.

        was      becomes  line
        TEXT     PROSE    Here is what I did.
        BLANK    +
        TEXT     +        It works now.
        BLANK    BLANK
        ACTION   ACTION   ::create @a.py

        was      becomes  line
        THOUGHT  THOUGHT  >> a thought
        TEXT     TEXT     that goes on
        BLANK    BLANK
        TEXT     TEXT     x = 1
        TEXT     +        That is all.
    """
    merged: list[Line] = []
    end = 0
    for at, line in enumerate(lines):
        if at < end:
            continue
        kind = line.kind
        if kind is TEXT:
            end = _find_run_end(lines, at + 1, alone=bool(merged) and merged[-1].kind in _THOUGHTS)
            prose = all(_are_prose(text[part.start : part.stop]) for part in lines[at:end] if part.kind is TEXT)
            merged.append(Line(Kind.PROSE if prose else TEXT, line.start, lines[end - 1].stop, lines[end - 1].end))
        elif kind is BLANK and merged and merged[-1].kind is BLANK:
            merged[-1] = Line(BLANK, merged[-1].start, line.stop, line.end)
        else:
            merged.append(line)
    return merged


def _are_prose(shown: str) -> bool:
    return all(looks_like_prose(line) for line in shown.split("\n"))


_THOUGHTS = kinds_of(Kind.THOUGHT)


def _find_run_end(lines: Sequence[Line], start: int, *, alone: bool) -> int:
    """Return the end of a run of plain lines: blank ones belong to it if another plain line follows."""
    end = start
    for at in range(start, len(lines)):
        kind = lines[at].kind
        if kind is TEXT:
            end = at + 1
        elif alone or kind is not BLANK:
            break
    return end
