"""A section of the dialect's own in a stream: its lines, held until the next one tells that it is complete."""

from __future__ import annotations

from collections.abc import Sequence

from ..document import CustomSection
from . import kinds
from .line_classifier import LineClassifier, Token

_MOST_LINES = 400


class OwnSection:
    """The lines of one section: those above its block, and the block."""

    def __init__(self, classifier: LineClassifier, first: Token) -> None:
        self.lines = [first]
        self._classifier = classifier
        self.name = first.kind
        _, block, _, more = classifier.dialect.own_sections[self.name]
        self._may_have_block, self._grows = block != "", more != ""
        self._closers: Sequence[str] | None = None  # of the block at hand
        self.done = not (self._may_have_block or self._grows)

    def take(self, token: Token) -> bool:
        """Take in the next line if it may belong to the section; return whether it does."""
        if self.done or len(self.lines) >= _MOST_LINES:
            return False
        if self._closers is not None:
            self.done = token.bare in self._closers
        elif token.kind == "open" and self._may_have_block:
            self._closers = self._classifier.dialect.fences[token.bare]
        elif not self._grows or token.kind == "blank" or self._begins_another(token):
            return False
        self.lines.append(token)
        return True

    def _begins_another(self, token: Token) -> bool:
        """Return whether a line begins a section, and does not go on with this one."""
        begins = token.kind in kinds.BEGINS or token.kind in self._classifier.dialect.own_sections
        return begins and self._read([*self.lines, token])[1] <= len(self.lines)

    def read(self) -> tuple[CustomSection | None, int]:
        """Return the section, and of how many of the lines it is."""
        return self._read(self.lines)

    def _read(self, lines: Sequence[Token]) -> tuple[CustomSection | None, int]:
        text = "".join([token.text for token in lines])
        end = self._classifier.dialect.compiled.find_end(text, self.name)
        count = len(lines) if end < 0 else text[:end].count("\n")
        found = self._classifier.read("".join([token.text for token in lines[:count]]))
        node = found[0] if len(found) == 1 else None
        return (node, count) if isinstance(node, CustomSection) else (None, 0)
