"""Join the lines of custom sections, which a dialect may define with several lines each."""

from __future__ import annotations

from collections.abc import Mapping

from ...grammar.dialect import Dialect
from ...patterns.regexes import Pattern, compile_pattern
from .kinds import BLANK, OWN, TEXT, Line, text_of
from .spelling import LineReader, LineRepairer

# A section is looked for in this number of lines, so that a text full of first lines is not read
# to its end for each of them. Twice the number costs twice the time of such a text.
_MAX_LINES = 400


def join_own(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Join the lines of each custom section; a first line without the others becomes text.

    Only the lines above a block are joined: the block itself is found as that of an action is.

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

    Args:
        text: The text that the offsets of the lines refer to.
        lines: The lines as the lexer read them.
        lexer: Gives the dialect and the repairer.
    """
    dialect = lexer.dialect
    repairer = lexer.repairer
    patterns = _compile_patterns(dialect)
    joined = []
    section_end = -1
    for at, line in enumerate(lines):
        if line.start < section_end:
            continue
        if line.kind in OWN:
            rule = _rule_of(text, line, dialect, repairer)
            if rule in patterns:
                section_end = _find_end(text, lines, at, patterns[rule], repairer)
                line = _join_to(text, line, section_end)
        joined.append(line)
    return joined


def _join_to(text: str, line: Line, end: int) -> Line:
    """Return a line that ends at an offset, or plain text if no section ends after it."""
    if end <= line.start:
        return line._replace(kind=TEXT)
    stop = end
    if text.startswith("\n", end - 1):
        stop -= 1
    return line._replace(stop=stop, end=end)


def _compile_patterns(dialect: Dialect) -> Mapping[str, Pattern]:
    """Return the patterns of the sections of several lines by rule, without their blocks."""
    patterns = {}
    for name, row in dialect.own_sections.items():
        if row[3]:
            patterns[name] = compile_pattern(row[3])
    return patterns


def spell_own(section: str, repairer: LineRepairer) -> str:
    """Return the lines of a custom section with the first one rewritten if a rule changes it.

    Args:
        section: The lines, without the ending of the last one.
        repairer: Rewrites the first line for the role `section`.
    """
    first, newline, below = section.partition("\n")
    spelling = repairer.candidate(first, "section")
    corrected = first
    if spelling is not None:
        corrected = spelling.text
    return corrected + newline + below


def _rule_of(text: str, line: Line, dialect: Dialect, repairer: LineRepairer) -> str:
    """Return the name of the rule that a line matches; empty if none."""
    first = text_of(line, text)
    if line.kind.is_respelt:
        first = spell_own(first, repairer)
    match = dialect.line_pattern.fullmatch(first + "\n")
    if match is not None:
        return str(match.lastgroup)
    return ""


def _find_end(
    text: str, lines: list[Line], at: int, pattern: Pattern, repairer: LineRepairer
) -> int:
    """Return the offset after the section that begins with a line, or 0 if there is none."""
    first = text_of(lines[at], text)
    if lines[at].kind.is_respelt:
        first = spell_own(first, repairer)
    below = lines[at + 1 : at + _MAX_LINES]
    below_start = lines[at].end
    below_end = below[-1].end if below else below_start
    below_text = text[below_start:below_end]
    match = pattern.match(f"{first}\n{below_text}\n")
    if match is None:
        return 0
    # The first line may have been rewritten, so the match is measured from the line below it.
    length_below = match.end() - len(first) - 1
    end = lines[at].end
    for line in below:
        is_matched = line.end - below_start <= length_below
        if is_matched and line.kind is not BLANK:
            end = line.end
    return end
