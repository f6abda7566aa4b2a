"""Collect the lines of a custom section until the next line shows that it is complete.

The block that ends a section is read line by line, as that of an action. Only blocks elsewhere in
the section are held here completely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..document import CustomSection
from . import kinds
from .line_classifier import LineClassifier, Token

# Lines above a block; a longer section ends here. A line may be parsed together with all lines
# above it, so the cost is quadratic up to this number.
_MAX_LINES = 400


class OwnSection:
    """The lines of one section, without the block that ends it.

    Args:
        classifier: Classifies and reads the lines.
        first: The first line of the section.

    Attributes:
        lines: The lines so far.
        name: The grammar's rule of the section.
        block: Whether a block at its end is "needed" or "optional"; "" if it has none.
        done: Whether no further line can belong to the section.
    """

    def __init__(self, classifier: LineClassifier, first: Token) -> None:
        self.lines = [first]
        self._classifier = classifier
        self._dialect = classifier.dialect
        self.name = first.kind
        _, self.block, _, following = self._dialect.own_sections[self.name]
        # The parser reads no section whose block is missing: an empty block is put in its place.
        self._placeholder = ""
        if self.block == "needed":
            fences = self._dialect.fences
            opener, closers = next(iter(fences.items()))
            self._placeholder = f"{opener}\n{closers[0]}\n"
        # The closers of an open block that does not end the section; None outside of such a block.
        self._closers: Sequence[str] | None = None
        self.done = following == ""

    def take(self, token: Token) -> bool:
        """Take in the next line if it may belong to the section.

        Args:
            token: The line.

        Returns:
            Whether the line may belong to the section.
        """
        if self.done or len(self.lines) >= _MAX_LINES:
            return False
        if self._closers is not None:
            if token.bare in self._closers:
                self._closers = None
        elif token.kind == "open":
            if self.block and self.read()[1] == len(self.lines):
                return False  # the block that ends the section
            self._closers = self._dialect.fences[token.bare]
        elif token.kind == "blank" or self._begins_another(token):
            return False
        self.lines.append(token)
        return True

    def _begins_another(self, token: Token) -> bool:
        """Return whether a line begins a section and does not continue this one."""
        kind = token.kind
        if kind not in kinds.BEGINS and kind not in self._dialect.own_sections:
            return False
        _, count = self._read([*self.lines, token])
        return count <= len(self.lines)

    def read(self) -> tuple[CustomSection | None, int]:
        """Read the lines.

        Returns:
            The section without the block that ends it, or None if the lines are not a section; and
            the number of lines that it takes, 0 with None.
        """
        return self._read(self.lines)

    def _read(self, lines: Sequence[Token]) -> tuple[CustomSection | None, int]:
        text = "".join([token.text for token in lines]) + self._placeholder
        end = self._dialect.compiled.find_end(text, self.name)
        # The placeholder is not one of the lines: the section may end inside it.
        count = len(lines)
        if end >= 0:
            count = min(count, text[:end].count("\n"))
        section = "".join([token.text for token in lines[:count]])
        nodes = self._classifier.read(section + self._placeholder)
        node = nodes[0] if len(nodes) == 1 else None
        if not isinstance(node, CustomSection):
            return None, 0
        if self._placeholder:
            node = replace(node, parts=node.parts[:-1])
        return node, count
