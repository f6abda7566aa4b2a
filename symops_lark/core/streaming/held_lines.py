"""Keep the lines of a block that may come after its missing closer, until a line decides."""

from __future__ import annotations

from collections.abc import Iterator

from . import kinds
from .line_classifier import Token

# Limits of the lines that are held. They bound the memory, and how late content is announced: in a
# file that contains many sections as text they are reached again and again.
_MAX_LINES = 50
_MAX_CHARACTERS = 5_000
# A block may end at a line of these kinds, if a section follows.
_ENDS = frozenset(("near", "last", "glued"))


class HeldLines:
    """Lines, each with the kind that it would have after a closer.

    The kind is that of the line if it is exact. Else it is one of these:

        near    nearly a closer
        last    content, and a closer at the end of the line
        glued   a closer, and an action after it on the line
        prose   a sentence, below a line that is nearly a closer
    """

    def __init__(self) -> None:
        self._rows: list[tuple[Token, str]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[tuple[Token, str]]:
        return iter(self._rows)

    def hold(self, token: Token, kind: str) -> None:
        """Hold one more line.

        Args:
            token: The line.
            kind: Its kind after a closer.
        """
        self._rows.append((token, kind))

    def release_last(self) -> tuple[Token, str]:
        """Remove the last line and return it with its kind."""
        return self._rows.pop()

    def take(self, start: int = 0) -> list[Token]:
        """Remove the lines from an index on and return them.

        Args:
            start: The index of the first of them, from 0.
        """
        released = [token for token, _ in self._rows[start:]]
        self._rows = self._rows[:start]
        return released

    def take_from_offset(self, offset: int) -> list[Token]:
        """Remove the lines from an offset on, and the blank lines above it, and return them.

        Args:
            offset: The offset of a line in the text of the lines, from 0.
        """
        place = size = 0  # the index of a line, and the size of those above it
        while size < offset:
            token, _ = self._rows[place]
            size += len(token.text)
            place += 1
        while place and self._rows[place - 1][1] == "blank":
            place -= 1
        return self.take(place)

    def drop_blank_end(self) -> None:
        """Remove the blank lines after the last other line."""
        while self._rows and self._rows[-1][1] == "blank":
            self._rows.pop()

    @property
    def are_too_many(self) -> bool:
        """Whether the lines are beyond the limits, and must be announced."""
        held_size = sum(len(token.text) for token, _ in self._rows)
        return len(self._rows) > _MAX_LINES or held_size > _MAX_CHARACTERS

    @property
    def nearly_close(self) -> bool:
        """Whether one of the lines is nearly a closer, or ends with one."""
        return bool(self._rows) and any(kind in ("near", "last") for _, kind in self._rows)

    @property
    def end(self) -> int | None:
        """The index of the first line that the block can end at; None if there is no such line."""
        for place, (_, kind) in enumerate(self._rows):
            if kind in _ENDS:
                return place
        return None

    @property
    def end_with_head(self) -> bool:
        """Whether the last lines are a head, further lines of it, and blank lines."""
        for _, kind in reversed(self._rows):
            if kind in kinds.HEADS or kind == "glued":
                return True
            if kind not in kinds.PARTS and kind != "blank":
                return False
        return False
