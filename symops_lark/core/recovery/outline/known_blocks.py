"""Pass over blocks that are certainly complete: their lines are content and need no kinds.

Invariant: the outline is the same as if every line was read (`test_known_blocks.py`). The pass
`protect_blocks` turns everything into text between an exact action line with its delimiter and the
next delimiter, unless some line there may begin an action. So only such lines must be read. In
dialects with further forms, a content with signs of them is read line by line.

`find_known` is the first row of `reading.PASSES`. Whether each block that was passed over is the
content of an action (`KnownBlocks.are_bodies`) shows only in the outline, so `read_outline` asks
afterwards, and reads every line if one is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from ...patterns.regexes import Pattern, Sieve, compile_pattern, escape
from ..lines.block_lines import GLUED, HEADS_OF_BLOCKS
from ..lines.further_forms import signs_of
from ..lines.kinds import (
    ATTRIBUTE_LIKE,
    BLANK,
    HEAD_BASES,
    INNER_HEADS,
    JOINED,
    OPEN,
    TEXT,
    Line,
    Spelling,
    kinds_of,
    text_of,
)
from .outline import Outline

_MARKS = ("action", "target", "depends", "open")
_FURTHER = frozenset(("fences", "attributes", "numbers"))  # forms that a content may have signs of
_EXACT = kinds_of(*HEAD_BASES, spelling=(Spelling.EXACT,))
_RISKY = GLUED | INNER_HEADS
# Matches a run of lines that are not blank (group `run`), or one blank line.
_PIECES = compile_pattern(r"(?P<run>(?:[ \t]*+[^ \t\n][^\n]*+\n)++)|[ \t]*+\n")


def find_known(text: str, lexer: Any) -> KnownBlocks | None:
    """Return the object that passes over the known blocks of a text.

    Args:
        text: The text; its lines end with line feeds only.
        lexer: The `LineLexer` of the dialect.

    Returns:
        None for dialects and custom rules for which the signs of this module are not sufficient.
    """
    dialect = lexer.dialect
    if not lexer.repairer.usual:  # custom rules may rewrite any line
        return None
    if dialect.own_sections or "lines" in dialect.forms:
        return None
    return KnownBlocks(text, lexer)


class KnownBlocks:
    """Decides at each opening delimiter whether the lexer passes over the content after it.

    Attributes:
        passed: The offsets at which the contents begin that were passed over.
    """

    def __init__(self, text: str, lexer: Any) -> None:
        dialect = lexer.dialect
        self._text = text
        self._lexer = lexer
        self._shortest = min(dialect.fences, key=len)
        self._closers = dialect.fences[self._shortest]
        self._openers = dialect.fences
        self._targets = (dialect.marks["target"], dialect.marks["depends"])
        self._lone = _lone((*dialect.fences, *dialect.closers))
        relatives = tuple(tuple(marks.items()) for marks in dialect.relatives)
        self._heads, self._odd = _signs(relatives, dialect.any_verb)
        self._further: Sieve | None = None
        if not dialect.forms.isdisjoint(_FURTHER):
            self._further = signs_of(dialect)
        # For a delimiter that is its own closer: whether one has opened a block, and whether it is
        # no longer clear which of them open.
        self._is_open = False
        self._is_lost = False
        self.passed: set[int] = set()

    def pass_over(self, lines: list[Line]) -> int:
        """Return the offset at which the lexer continues after a delimiter.

        Args:
            lines: The lines so far; the delimiter is the last. If the content is passed over, its
                lines are added.
        """
        text = self._text
        start = lines[-1].end
        if not self._begins_block(lines):
            return start
        closer = self._lone.search(text, start - 1)
        # Two openers in a row: the first may be doubled, or a longer block may hold the second.
        if closer is None or (lines[-1].kind is OPEN and closer[1] in self._openers):
            return start
        end = closer.start() + 1  # the match begins with the line feed before the closer
        opener = text_of(lines[-1], text)
        if not self._is_certain(opener, closer[1], text[start:end]):
            return start
        for piece in _PIECES.finditer(text, start, end):
            kind = TEXT if piece.lastgroup else BLANK
            end_of_piece = piece.end()
            lines.append(Line(kind, piece.start(), end_of_piece - 1, end_of_piece))
        self.passed.add(start)
        return end

    def _is_certain(self, opener: str, closer: str, content: str) -> bool:
        """Return whether no line of a content can be anything but content."""
        if self._further is not None and self._further.may_occur(f"\n{content}\n"):
            return False
        if self._may_be_longer(opener, closer, content):
            return False
        if self._odd.may_occur("\n" + content):
            return False
        # The sieve finds candidates in one pass of RE2; most contents have none.
        candidates = self._heads.lines(content)
        return _RISKY.isdisjoint(map(self._lexer.kind_of, candidates))

    def _may_be_longer(self, opener: str, closer: str, content: str) -> bool:
        """Return whether the block may end at another delimiter than the next one.

        The delimiters may have different lengths, or be longer than the shortest, so that a content
        may hold those. Or the last line of the content may be an action line, so that a longer
        delimiter after the block may belong to the content.
        """
        if len(self._openers) == 1:
            return False
        if closer not in self._closers:
            return True
        if opener.rstrip(" \t") != self._shortest:
            return True
        stop = len(content.rstrip(" \t\n"))
        last_start = content.rfind("\n", 0, stop) + 1
        last = content[last_start:].partition("\n")[0]
        return self._lexer.kind_of(last) in JOINED

    def are_bodies(self, outline: Outline) -> bool:
        """Return whether a reading takes all that was passed over as contents of actions."""
        if not self.passed:
            return True
        contents = set()
        for group in outline.groups:
            has_block = group.role == "head" and group.closer
            if has_block and group.opener:
                contents.add(group.opener.line.end)
        return self.passed <= contents

    def _begins_block(self, lines: list[Line]) -> bool:
        """Return whether the last line opens a block directly below an exact action line."""
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
        # A pass may join such a line to an action line above it, which then has the block.
        is_text = above.kind is TEXT
        content = text_of(above, self._text).lstrip(" \t")
        has_target = content.startswith(self._targets)
        self._is_lost = above.kind in ATTRIBUTE_LIKE or (is_text and has_target)
        is_directly_above = at == len(lines) - 2
        return is_directly_above and above.kind in _EXACT


@lru_cache
def _lone(delimiters: tuple[str, ...]) -> Pattern:
    """Return the pattern of a line that is exactly one of some delimiters (group 1)."""
    longest_first = sorted(delimiters, key=len, reverse=True)
    marks = "|".join(map(escape, longest_first))
    return compile_pattern(rf"\n({marks})[ \t]*(?=\n|\Z)")


@lru_cache
def _signs(
    relatives: tuple[tuple[tuple[str, str], ...], ...], any_verb: str
) -> tuple[Sieve, Sieve]:
    """Return the signs of lines that may begin an action, and of lines whose neighbors matter.

    No rule makes an action line of an ASCII line unless it has a target mark after a letter, a verb
    after an action mark, or a verb before an opening delimiter.
    """
    marks_of = {}
    for name in _MARKS:
        # A dialect of the family may lack a mark, which then adds no sign.
        marks_of[name] = [dict(marks).get(name, "") for marks in relatives]
    action = _class(marks_of["action"])
    target = _class(marks_of["target"])
    opener = _class((*marks_of["open"], "<&"))  # `&`: an escaped delimiter
    verb = f"(?i:{any_verb})"
    heads = [
        r"[^\x00-\x7f]",
        # The last letter before the mark: `re` would read each line to its end for every letter.
        rf"[A-Za-z][^A-Za-z\n]*{target}",
        rf"{action}[^\n]*{verb}",
        rf"{verb}[^\n]*{opener}",
    ]
    # An action line that the next line continues: "::create\n  @a.py".
    actions = "|".join(map(escape, marks_of["action"]))
    continued = "|".join(map(escape, (*marks_of["target"], *marks_of["depends"])))
    joined = rf"(?:{actions})[^\n]*\n[ \t]*(?:{continued})"
    closing_tag = r"\n[ \t]*(?:</|\[/|\[[0-9A-Za-z_]*[_ ](?i:end)\])"
    head_sieve = Sieve("|".join(heads))
    return head_sieve, Sieve(f"{joined}|{closing_tag}")


def _class(marks: Iterable[str]) -> str:
    """Return the pattern of one character of some marks."""
    characters = sorted(set("".join(marks)))
    return f"[{escape(''.join(characters))}]"
