"""Give out a content whose section has not ended, line by line.

The last lines are held back: a mark that ends the content may begin in them. So what was given out
is a beginning of the content, whatever follows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...formats.open_contents import NearMarks
from ...patterns.regexes import Pattern
from ...text.source import Span, make_span

# Lines with text that are held back. The longest mark has three: two tags, and a name between.
_HELD = 3


class GrowingContent:
    """A content whose end has not arrived.

    Args:
        begin: The offset in the reply at which its section begins.
        place: The empty position before its first character.
        ending: The pattern of the marks that may end it.
        near_marks: Finds marks that may be corrected.
        emit: Called with each text and its position.

    Attributes:
        begin: The same as the argument.
        line_count: The number of lines that were given out.
        may_end: Whether a mark was found. Then no more is given out.
    """

    def __init__(
        self,
        begin: int,
        place: Span,
        ending: Pattern,
        near_marks: NearMarks,
        emit: Callable[[str, Span], None],
    ) -> None:
        self.begin = begin
        self.line_count = 0
        self.may_end = False
        self._first = place
        self._next = place
        self._ending = ending
        self._near_marks = near_marks
        self._emit = emit
        self._held: list[str] = []
        self._filled_count = 0  # lines with text among them

    @property
    def place(self) -> Span:
        """The position of what was given out."""
        return replace(self._first, end=self._next.start)

    def put(self, line: str) -> None:
        """Take in the next line of the text.

        Args:
            line: The line with its ending.
        """
        if self.may_end:
            return
        self._held.append(line)
        # No mark ends with a blank line.
        if not line.strip():
            return
        self._filled_count += 1
        text = "".join(self._held)
        is_strange = line.endswith("\r\n") or self._near_marks.are_in(line)
        if is_strange or self._ending.search(text):
            self.may_end = True
            return
        if self._filled_count > _HELD:
            self._give_first()

    def _give_first(self) -> None:
        """Give out the lines up to the first one with text."""
        count = 0
        for line in self._held:
            count += 1
            self._give(line.removesuffix("\n"))
            if line.strip():
                break
        del self._held[:count]
        self._filled_count -= 1

    def _give(self, line: str) -> None:
        start = self._next.start
        number = self._next.line
        column = self._next.column
        size = len(line)
        piece = line
        # The ending of the line before belongs to it.
        next_column = column + size
        next_number = number
        if self.line_count:
            piece = "\n" + line
            next_number += 1
            next_column = size + 1
        stop = start + len(piece)
        span = make_span(start, stop, number, column)
        self._emit(piece, span)
        self._next = make_span(stop, stop, next_number, next_column)
        self.line_count += 1
