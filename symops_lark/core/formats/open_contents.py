"""Find the content of a section that has not ended, so that a stream can give it out.

Only the text of a file that is written as it is: further text may make it longer, and changes
nothing else. Arguments in JSON are escaped, and an edit may turn out to be another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..grammar.codes import REPEATED_PARAMETER
from ..patterns.regexes import Pattern, compile_pattern, escape
from .meaning import FIRST_LINES, accept, begins_like_edit, find_meanings
from .near_marks import correct_marks, find_near, halves_of, marks_by_format
from .reader import find_items
from .sections import Item, Section
from .tools import Meaning, fold, load_tools


class OpenContent(NamedTuple):
    """A content without an end.

    Attributes:
        begin: The offset at which its section begins.
        start: The offset at which it begins.
        ending: The pattern of the marks that may end it.
    """

    begin: int
    start: int
    ending: Pattern


def find_open_content(text: str, sections: Sequence[Section]) -> OpenContent | None:
    """Return the content that a text ends in; None if later text may make something else of it.

    Args:
        text: The text, of whole lines that end with line feeds only.
        sections: The sections to look for.
    """
    items = find_items(text, sections, accept)
    if not items:
        return None
    item = items[-1]
    part = item.parts[-1]
    if item.awaited is None or not _is_plain_file(text, item):
        return None
    # Its first lines decide whether it is an edit.
    content = text[part.start :]
    line_count = content.lstrip().count("\n")
    if line_count < FIRST_LINES:
        return None
    if begins_like_edit(content):
        return None
    # A corrected mark may end it before.
    if correct_marks(text, sections) is not None:
        return None
    return OpenContent(item.start, part.start, item.awaited)


def _is_plain_file(text: str, item: Item) -> bool:
    """Return whether an item is a file to write, whose text is what its last terminal has."""
    part = item.parts[-1]
    if part.name not in ("CONTENT", "VALUE"):
        return False
    fence = item.find("FENCE")
    start = item.start
    if fence is not None:
        start = fence.start
    # An indentation is taken off at the end, if all lines have it.
    if start and text[start - 1] != "\n":
        return False
    if part.name == "VALUE" and not _is_content(text, item):
        return False
    meanings = find_meanings(text, item)
    if REPEATED_PARAMETER in item.doubts:
        return False
    if len(meanings) != 1:
        return False
    meaning = meanings[0]
    if not isinstance(meaning, Meaning):
        return False
    if meaning.verb != "create":
        return False
    return meaning.content == text[part.start : part.end]


def _is_content(text: str, item: Item) -> bool:
    """Return whether the last value of a call is its content; another one may be replaced."""
    keys = [part for part in item.parts if part.name == "KEY"]
    last = keys[-1]
    key = text[last.start : last.end]
    return load_tools().parameters.get(fold(key)) == "content"


class NearMarks:
    """Searches lines for marks that are nearly right.

    Args:
        text: The text before the lines. Only formats count of which it has a mark.
        sections: The sections that are read.
    """

    def __init__(self, text: str, sections: Sequence[Section]) -> None:
        self._marks: list[str] = []
        for marks in marks_by_format(sections).values():
            if any(mark in text for mark in marks):
                self._marks += marks
        halves: set[str] = set()
        for mark in self._marks:
            halves.update(halves_of(mark))
        texts = map(escape, sorted(halves))
        alternatives = "|".join(texts)
        # In another case, both are.
        pattern = f"(?i){alternatives}" if alternatives else "(?!)"
        self._halves = compile_pattern(pattern)

    def are_in(self, line: str) -> bool:
        """Return whether a line has one of them.

        Args:
            line: The line.
        """
        # Most lines have not even a half.
        if self._halves.search(line) is None:
            return False
        exact = [mark for mark in self._marks if mark in line]
        corrections = [find_near(line, mark, exact) for mark in self._marks]
        return any(map(any, corrections))
