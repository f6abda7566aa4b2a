"""How a broken text is best read: its lines' kinds, the cheapest reading of them, and once more without the drafts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..grammar.dialect import Dialect
from .drafts import find_drafts
from .engines import read_kinds
from .heads import HeadReader
from .kinds import Line
from .lexer import LineLexer
from .outline import Outline, Part
from .prose import merge_runs
from .spelling import LineRepairer, NoRepairer


def read_outline(
    text: str, dialect: Dialect, repairer: LineRepairer | None = None, *, engine: str | None = None
) -> Outline:
    """Return the cheapest reading of a text whose lines end with line feeds alone (`source.LineEndings`).

    The automaton's time grows linearly with the length of the text.
    """
    repairer = repairer or NoRepairer()
    lines = LineLexer(dialect, repairer).read(text)
    outline = _read(text, lines, dialect, engine)
    drafts = find_drafts(outline, lines, HeadReader(dialect, repairer, text))
    if drafts.kinds:
        for at, kind in drafts.kinds.items():
            lines[at] = lines[at]._replace(kind=kind, inside=())
        outline = _read(text, lines, dialect, engine)
    return replace(outline, doubtful=drafts.doubtful) if drafts.doubtful else outline


def _read(text: str, lines: Sequence[Line], dialect: Dialect, engine: str | None) -> Outline:
    lines = merge_runs(text, lines)
    reading, note = read_kinds(dialect, [line.kind for line in lines], engine)
    parts = tuple(Part(line, step) for line, step in zip(lines, reading.steps, strict=True))
    return Outline(text, parts, reading.at_end, reading.price, note)
