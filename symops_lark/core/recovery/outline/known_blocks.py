"""Blocks of a broken text that are surely whole: their lines are content, and are not read one by one.

Law: the outline is the same as without. `protect_blocks` makes plain text of what stands between an exact action line
with its delimiter and the next delimiter, unless some line there may begin an action: only such lines are looked at.
Where a dialect has further forms, a content that has signs of them is read line by line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from ...patterns.regexes import Pattern, Sieve, compile_pattern, escape
from ..lines.block_lines import GLUED, HEADS_OF_BLOCKS
from ..lines.further_forms import signs_of
from ..lines.kinds import (
    ATTRIBUTE_LIKE,
    BLANK,
    INNER_HEADS,
    JOINED,
    OPEN,
    TEXT,
    Kind,
    Line,
    Spelling,
    kinds_of,
)
from .outline import Outline


def read_known(text: str, lexer: Any, read: Callable[[list[Line]], Outline]) -> tuple[list[Line], Outline]:
    """Return the lines of a text, and what `read` makes of them: without those of known blocks where that is so."""
    known = find_known(text, lexer)
    if known:
        lines = lexer.read(text, known.pass_over)
        outline = read(lines)
        if known.are_bodies(outline):
            return lines, outline
    lines = lexer.read(text)
    return lines, read(lines)


def find_known(text: str, lexer: Any) -> KnownBlocks | None:
    """Return what passes over known blocks, None for dialects and rules in which no block is known."""
    dialect = lexer.dialect
    if not lexer.repairer.usual or dialect.own_sections or "lines" in dialect.forms:
        return None
    return KnownBlocks(text, lexer)


class KnownBlocks:
    """What the reader of lines asks at each delimiter; `passed` has where the contents begin that were passed over."""

    def __init__(self, text: str, lexer: Any) -> None:
        self._text, self._lexer, dialect = text, lexer, lexer.dialect
        self._shortest = min(dialect.fences, key=len)
        self._closers = dialect.fences[self._shortest]
        self._openers, self._targets = dialect.fences, (dialect.marks["target"], dialect.marks["depends"])
        verbs = [verb for group in dialect.verbs.values() for verb in group]
        self._lone = _lone((*dialect.fences, *dialect.closers))
        self._heads, self._odd = _signs(tuple(tuple(marks.items()) for marks in dialect.relatives), tuple(verbs))
        self._further = None if dialect.forms.isdisjoint(_FURTHER) else signs_of(dialect)
        self._is_open = self._is_lost = False  # whether a delimiter that is its own closer opened a block
        self.passed: set[int] = set()

    def pass_over(self, lines: list[Line]) -> int:
        """Return where to read on behind a delimiter, the last of the lines: behind the content, which is added."""
        start, text = lines[-1].end, self._text
        if not self._begins_block(lines):
            return start
        found = self._lone.search(text, start - 1)
        if found is None or (lines[-1].kind is OPEN and found[1] in self._openers):
            return start
        end = found.start() + 1
        content = text[start:end]
        opener = text[lines[-1].start : lines[-1].stop]
        further = self._further is not None and self._further.may_occur(f"\n{content}\n")
        if further or self._may_be_longer(opener, found[1], content):
            return start
        rows = self._heads.lines(content)
        if self._odd.may_occur("\n" + content) or any(self._lexer.kind_of(row) in _RISKY for row in rows):
            return start
        pieces = _PIECES.finditer(text, start, end)
        lines += [Line(TEXT if m.lastgroup else BLANK, m.start(), m.end() - 1, m.end()) for m in pieces]
        self.passed.add(start)
        return end

    def _may_be_longer(self, opener: str, closer: str, content: str) -> bool:
        """Return whether the delimiters are of two lengths, or longer than the shortest: a content may hold these.

        Or whether a longer one behind the block may belong to the content, whose last line may be an action's.
        """
        if len(self._openers) == 1:
            return False
        stop = len(content.rstrip(" \t\n"))
        last = content[content.rfind("\n", 0, stop) + 1 :].partition("\n")[0]
        sure = opener.rstrip(" \t") == self._shortest and closer in self._closers
        return not sure or self._lexer.kind_of(last) in JOINED

    def are_bodies(self, outline: Outline) -> bool:
        """Return whether a reading takes all that was passed over for the contents of actions."""
        if not self.passed:
            return True
        groups = [group for group in outline.groups if group.opener and group.closer and group.role == "head"]
        return self.passed <= {group.opener.line.end for group in groups if group.opener}

    def _begins_block(self, lines: list[Line]) -> bool:
        """Return whether the last line opens a block right below an exact action line."""
        if lines[-1].kind is OPEN:
            return len(lines) > 1 and lines[-2].kind in _EXACT
        if self._is_open or self._is_lost:
            self._is_open = False
            return False
        at = len(lines) - 2
        while at >= 0 and lines[at].kind is BLANK:
            at -= 1
        if at < 0:
            return False
        above = lines[at]
        self._is_open = above.kind in HEADS_OF_BLOCKS
        begins = self._text[above.start : above.stop].lstrip(" \t").startswith(self._targets)
        self._is_lost = above.kind in ATTRIBUTE_LIKE or (above.kind is TEXT and begins)  # it may be joined to a head
        return above.kind in _EXACT and at == len(lines) - 2


@lru_cache
def _lone(delimiters: tuple[str, ...]) -> Pattern:
    return compile_pattern(rf"\n({'|'.join(map(escape, sorted(delimiters, key=len, reverse=True)))})[ \t]*(?=\n|\Z)")


@lru_cache
def _signs(relatives: tuple[tuple[tuple[str, str], ...], ...], verbs: tuple[str, ...]) -> tuple[Sieve, Sieve]:
    """Return the signs that a line has which may begin an action, and those of lines whose neighbours matter.

    No rule makes an action line of a line of ASCII that has no sign of a target behind a letter, no verb behind a sign
    of an action, and none before one of an opener.
    """
    actions, targets, depends, opens = ([dict(marks).get(name, "") for marks in relatives] for name in _MARKS)
    action, target, opener = _class(actions), _class(targets), _class((*opens, "<&"))
    verb = f"(?i:{'|'.join(verbs)})"
    heads = rf"[^\x00-\x7f]|[A-Za-z][^\n]*{target}|{action}[^\n]*{verb}|{verb}[^\n]*{opener}"
    joined = rf"(?:{'|'.join(map(escape, actions))})[^\n]*\n[ \t]*(?:{'|'.join(map(escape, (*targets, *depends)))})"
    return Sieve(heads), Sieve(rf"{joined}|\n[ \t]*(?:</|\[/|\[[0-9A-Za-z_]*[_ ](?i:end)\])")


def _class(marks: Iterable[str]) -> str:
    return f"[{escape(''.join(sorted(set(''.join(marks)))))}]"


_MARKS = ("action", "target", "depends", "open")
_FURTHER = frozenset(("fences", "attributes", "numbers"))  # forms of which a content may have signs
_EXACT = kinds_of(Kind.ACTION, Kind.COMMAND, Kind.ODD_ACTION, spelling=(Spelling.EXACT,))
_RISKY = GLUED | INNER_HEADS
_PIECES = compile_pattern(r"(?P<run>(?:[ \t]*+[^ \t\n][^\n]*+\n)++)|[ \t]*+\n")
