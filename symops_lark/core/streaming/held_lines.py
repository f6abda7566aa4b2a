"""Lines of a block that may stand behind its forgotten closer: a bounded number of them, until a line tells."""

from __future__ import annotations

from collections.abc import Iterator

from . import kinds
from .line_classifier import Token

_ENDS = frozenset(("near", "last", "glued"))  # what a block can end at, if a section follows


class HeldLines:
    """Lines, each with what it could be behind a closer.

    That is its kind if it is exact, or `near` (a closer), `last` (content and a closer), `glued` (a closer and an
    action), or `prose`.
    """

    def __init__(self) -> None:
        self._rows: list[tuple[Token, str]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[tuple[Token, str]]:
        return iter(self._rows)

    def __getitem__(self, place: int) -> tuple[Token, str]:
        return self._rows[place]

    def hold(self, token: Token, kind: str) -> None:
        """Hold one more line."""
        self._rows.append((token, kind))

    def give_back(self) -> tuple[Token, str]:
        """Return the last line, which is then held no longer."""
        return self._rows.pop()

    def take(self, start: int = 0) -> list[Token]:
        """Return the lines from a place on, which are then held no longer."""
        taken = [token for token, _ in self._rows[start:]]
        self._rows = self._rows[:start]
        return taken

    @property
    def nearly_close(self) -> bool:
        """Whether one of them is nearly a closer, or ends with one."""
        return bool(self._rows) and any(kind in ("near", "last") for _, kind in self._rows)

    @property
    def end(self) -> int | None:
        """The place of the first line that the block can end at."""
        return next((place for place, (_, kind) in enumerate(self._rows) if kind in _ENDS), None)

    @property
    def end_with_head(self) -> bool:
        """Whether they end with a head, its further lines and blank ones."""
        for _, kind in reversed(self._rows):
            if kind in kinds.HEADS or kind == "glued":
                return True
            if kind not in kinds.PARTS and kind != "blank":
                return False
        return False
