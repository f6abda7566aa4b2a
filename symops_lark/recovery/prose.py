"""Plain lines: which are sentences for people, and how neighbours join to runs."""

from __future__ import annotations

from collections.abc import Sequence

from ..regexes import compile_pattern
from .kinds import Kind, Line, kinds_of

_CODE = compile_pattern(r"[{}=<>\[\]\\|]")


def looks_like_prose(line: str) -> bool:
    """Return whether a line is surely a sentence for people: words, an end mark, nothing that code is made of."""
    line = line.strip().lstrip("*_\"'(")
    if not 8 <= len(line) <= 1000 or line[0].islower() or not line[0].isalnum() or _CODE.search(line):
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
    at = 0
    while at < len(lines):
        place, first, at = at, lines[at], at + 1
        if first.kind is Kind.BLANK:
            while at < len(lines) and lines[at].kind is Kind.BLANK:
                at += 1
            merged.append(Line(Kind.BLANK, first.start, lines[at - 1].stop, lines[at - 1].end))
        elif first.kind is Kind.TEXT:
            alone = bool(merged) and merged[-1].kind in _THOUGHTS
            at = _find_run_end(lines, at, alone)
            last = lines[at - 1]
            run = (text[line.start : line.stop] for line in lines[place:at] if line.kind is Kind.TEXT)
            merged.append(
                Line(Kind.PROSE if all(map(looks_like_prose, run)) else Kind.TEXT, first.start, last.stop, last.end)
            )
        else:
            merged.append(first)
    return merged


_THOUGHTS = kinds_of(Kind.THOUGHT)


def _find_run_end(lines: Sequence[Line], at: int, alone: bool) -> int:
    """Return the end of a run of plain lines: blank ones belong to it if another plain line follows."""
    end = at
    while at < len(lines) and (lines[at].kind is Kind.TEXT or (lines[at].kind is Kind.BLANK and not alone)):
        at += 1
        if lines[at - 1].kind is Kind.TEXT:
            end = at
    return end
