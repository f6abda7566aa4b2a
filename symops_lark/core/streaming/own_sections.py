"""A section of the dialect's own in a stream: its lines, held until the next one tells that it is complete.

A block that ends it is read like that of an action, line by line; only blocks elsewhere in it are held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..document import CustomSection
from . import kinds
from .line_classifier import LineClassifier, Token

_MOST_LINES = 400  # above a block


class OwnSection:
    """The lines of one section, without the block that ends it; `block` says whether one is needed, or optional."""

    def __init__(self, classifier: LineClassifier, first: Token) -> None:
        self.lines = [first]
        self._classifier = classifier
        self.name = first.kind
        _, self.block, _, more = classifier.dialect.own_sections[self.name]
        opener, closers = next(iter(classifier.dialect.fences.items())) if self.block else ("", [""])
        self._stand_in = f"{opener}\n{closers[0]}\n" if self.block == "needed" else ""
        self._closers: Sequence[str] | None = None  # of a block that does not end the section
        self.done = more == ""

    def take(self, token: Token) -> bool:
        """Take in the next line if it may belong to the section; return whether it does."""
        if self.done or len(self.lines) >= _MOST_LINES:
            return False
        if self._closers is not None:
            self._closers = None if token.bare in self._closers else self._closers
        elif token.kind == "open":
            if self.block and self.read()[1] == len(self.lines):
                return False  # the block that ends the section
            self._closers = self._classifier.dialect.fences[token.bare]
        elif token.kind == "blank" or self._begins_another(token):
            return False
        self.lines.append(token)
        return True

    def _begins_another(self, token: Token) -> bool:
        """Return whether a line begins a section, and does not go on with this one."""
        begins = token.kind in kinds.BEGINS or token.kind in self._classifier.dialect.own_sections
        return begins and self._read([*self.lines, token])[1] <= len(self.lines)

    def read(self) -> tuple[CustomSection | None, int]:
        """Return the section without the block that ends it, and of how many of the lines it is."""
        return self._read(self.lines)

    def _read(self, lines: Sequence[Token]) -> tuple[CustomSection | None, int]:
        text = "".join([token.text for token in lines]) + self._stand_in
        end = self._classifier.dialect.compiled.find_end(text, self.name)
        count = len(lines) if end < 0 else min(len(lines), text[:end].count("\n"))
        found = self._classifier.read("".join([token.text for token in lines[:count]]) + self._stand_in)
        node = found[0] if len(found) == 1 else None
        if not isinstance(node, CustomSection):
            return None, 0
        return (replace(node, parts=node.parts[:-1]) if self._stand_in else node), count
