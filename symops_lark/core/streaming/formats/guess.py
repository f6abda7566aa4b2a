"""Decide while a reply arrives whether it is in a format of another agent.

It is if a section that says its verb begins before any section of a dialect (`other_formats`). So
nothing is announced before such a section is certain, and before nothing else may own the reply.
"""

from __future__ import annotations

from ...document import Skipped
from ...formats.documents import file_sections
from ...formats.sections import has_opener
from ...grammar.agent_formats import is_agent_format
from ...other_formats import read_any
from ...processor import SymOpsProcessor
from ...result import Phase
from ..incoming import PlacedLine
from .reader import GROWTH, FormatReader


class FormatGuess:
    """Reads the beginning of a reply in the formats of other agents.

    Args:
        processor: Reads the whole reply.

    Attributes:
        reader: The reader of the formats. It has the events of what was read.
    """

    def __init__(self, processor: SymOpsProcessor) -> None:
        self.reader = FormatReader(None)
        self._processor = processor
        self._text = ""  # before a section may have begun
        self._lines: list[PlacedLine] = []  # before a section was certain
        self._has_begun = False
        self._strange: int | None = None  # the offset of the first line that may be a dialect's
        self._is_judged = False
        self._is_owner = False
        self._size_held = 0  # when a section was open

    def put(self, line: PlacedLine, *, is_plain: bool) -> bool:
        """Take in the next line.

        Args:
            line: The line.
            is_plain: Whether it is a line of prose in all dialects.

        Returns:
            Whether the reply is in the formats of other agents.
        """
        if not is_plain and self._strange is None:
            self._strange = line.start
        if not self._is_judged:
            self._lines.append(line)
        if self._has_begun:
            self.reader.read(line)
        else:
            self._text += line.text
            self._begin()
        if self.reader.owner is not None and not self._is_judged:
            self._is_judged = True
            self._is_owner = self._judge(self.reader.owner)
        return self._is_owner

    def _begin(self) -> None:
        """Begin to read if a section may have begun."""
        if not has_opener(self._text, file_sections()):
            return
        self._has_begun = True
        for line in self._lines:
            self.reader.read(line)

    def _judge(self, start: int) -> bool:
        """Return whether nothing before an offset may be a section of a dialect."""
        if self._strange is not None and self._strange <= start:
            return False
        before = [line for line in self._lines if line.start < start]
        # A mark may be inside of its line.
        text = "".join([line.text[: start - line.start] for line in before])
        sections = self._processor.read(text).document.sections
        return all(isinstance(section, Skipped) for section in sections)

    def holds(self) -> bool:
        """Return whether the last lines may be inside a section, or follow one that is certain."""
        if not self._has_begun:
            return False
        if self.reader.owner is not None:
            return True
        size = self.reader.size
        if (size - self._size_held) * GROWTH < self._size_held:
            return True
        if not self.reader.is_inside():
            return False
        self._size_held = size
        return True

    def owns(self, text: str) -> bool:
        """Return whether the whole reply is in the formats of other agents.

        Args:
            text: The reply.
        """
        if not self._has_begun:
            return False
        result = self._processor.read(text)
        if result.phase is not Phase.STRICT:
            result = read_any(result)
        name = result.document.dialect
        return bool(result.document.actions) and is_agent_format(name)
