"""Plain lines: which are sentences for people, and how neighbours join to runs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .kinds import Line

_CODE = re.compile(r"[{}=<>\[\]\\|]")


_SENTENCE_END = re.compile(r".*([.:!?…][\"')*_]*|[。：！？])", re.DOTALL)


def looks_like_prose(line: str) -> bool:
    """Whether a line is surely a sentence for people: words, punctuation at its end, nothing that code is made of."""
    line = line.strip().lstrip("*_\"'(")
    if not 8 <= len(line) <= 1000 or line[0].islower() or not line[0].isalnum() or _CODE.search(line):
        return False
    words = line.count(" ") + line.count("\t") >= 2 or not line[0].isascii()
    return words and _SENTENCE_END.fullmatch(line) is not None


def merge_runs(text: str, lines: Sequence[Line]) -> list[Line]:
    """Join plain lines, and the blank ones between them, into runs: a run is one line to the recovery grammar.

    A run of nothing but sentences has the kind PROSE. The paragraph right behind a thought stays by itself: it may be
    the thought's continuation.
    """
    merged: list[Line] = []
    pending: Line | None = None  # blank lines that may join the run before them
    first: Line | None = None  # the run at hand: its first and last line, and whether it is all sentences
    last: Line | None = None
    alone = prose = False
    for line in (*lines, None):
        kind = line.kind if line is not None else ""
        if line is not None and kind == "BLANK":
            pending = line if pending is None else Line("BLANK", pending.start, line.stop, line.end)
            continue
        if line is not None and kind == "TEXT" and first is not None and not (alone and pending is not None):
            prose = prose and looks_like_prose(text[line.start : line.stop])
            last, pending = line, None
            continue
        if first is not None and last is not None:
            merged.append(Line("PROSE" if prose else "TEXT", first.start, last.stop, last.end))
            first = None
        if pending is not None:
            merged.append(pending)
            pending = None
        if line is None:
            break
        if kind == "TEXT":
            alone = bool(merged) and merged[-1].kind in ("THOUGHT", "NEAR_THOUGHT")
            prose = looks_like_prose(text[line.start : line.stop])
            first = last = line
        else:
            merged.append(line)
    return merged
