"""Sections of a dialect's own that stand on several lines: which of the lines belong together."""

from __future__ import annotations

from collections.abc import Mapping

from ...grammar.dialect import Dialect
from ...patterns.regexes import Pattern, compile_pattern
from .kinds import BLANK, OWN, TEXT, Line
from .spelling import LineReader, LineRepairer

_MOST_LINES = 400


def join_own(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Return the lines of a text, those of one section joined to one; a first line without the others is text.

    Only what stands above a block is joined: the block is told as that of an action is.

        was      becomes  line
        SECTION  SECTION  == plan
        CHOICE   +         1. look
        CHOICE   +         2. act
        SECTION  TEXT     == plan
        TEXT     TEXT     nothing else

        was      becomes  line
        SECTION  SECTION  == plan
        CHOICE   +         1. look
        TEXT     TEXT     nothing else
    """
    dialect, repairer = lexer.dialect, lexer.repairer
    patterns = _patterns(dialect)
    joined: list[Line] = []
    end = -1
    for at, line in enumerate(lines):
        if line.start < end:
            continue
        if line.kind in OWN:
            rule = _rule_of(text, line, dialect, repairer)
            if rule in patterns:
                end = _find_end(text, lines, at, patterns[rule], repairer)
                stop = end - 1 if text.startswith("\n", end - 1) else end
                line = line._replace(stop=stop, end=end) if end > line.start else line._replace(kind=TEXT)
        joined.append(line)
    return joined


def _patterns(dialect: Dialect) -> Mapping[str, Pattern]:
    """Return the patterns of the sections that stand on several lines, without their blocks."""
    return {name: compile_pattern(row[3]) for name, row in dialect.own_sections.items() if row[3]}


def spell_own(shown: str, repairer: LineRepairer) -> str:
    """Return the lines of a section, the first of them respelt if it is not right."""
    first, more, rest = shown.partition("\n")
    spelling = repairer.candidate(first, "section")
    return (spelling.text if spelling is not None else first) + more + rest


def _rule_of(text: str, line: Line, dialect: Dialect, repairer: LineRepairer) -> str:
    shown = text[line.start : line.stop]
    if line.kind.is_respelt:
        shown = spell_own(shown, repairer)
    match = dialect.line_pattern.fullmatch(shown + "\n")
    return str(match.lastgroup) if match is not None else ""


def _find_end(text: str, lines: list[Line], at: int, pattern: Pattern, repairer: LineRepairer) -> int:
    """Return the end of the section that begins with a line, 0 if there is none."""
    first = text[lines[at].start : lines[at].stop]
    if lines[at].kind.is_respelt:
        first = spell_own(first, repairer)
    below = lines[at + 1 : at + _MOST_LINES]
    rest = text[below[0].start : below[-1].end] if below else ""
    match = pattern.match(first + "\n" + rest + "\n")
    if match is None:
        return 0
    taken = match.end() - len(first) - 1
    ends = [line.end for line in below if line.kind is not BLANK and line.end - below[0].start <= taken]
    return ends[-1] if ends else lines[at].end
