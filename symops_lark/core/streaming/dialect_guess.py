"""Detect the dialect of a stream from its first lines.

Lines are held back until both are true: one line is exactly a line of a section in the dialects of
a single family, and the processor's detection agrees. After a limit the detection decides alone.

In a family, the dialect with the most forms is chosen, because a text that is valid in a plainer
dialect means the same in it.

A reply may be in a format of another agent instead. Lines in which a section of one may be open
are held back beyond the limit, and what `process` would read decides (`formats.guess`).

Known weakness: a line that only the richer dialect reads as a delimiter is a delimiter here, though
it may be content in the dialect that `process` detects for the whole text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..grammar.dialect import Dialect
from ..grammar.loading import dialects, load_dialect
from ..processor import SymOpsProcessor
from ..recovery.lines.kinds import Kind
from ..recovery.lines.lexer import LineLexer
from ..recovery.lines.spelling import NoRepairer
from .announcements import Reader
from .incoming import PlacedLine
from .kinds import TELLING

if TYPE_CHECKING:
    from .formats.guess import FormatGuess

_PROSE = (Kind.BLANK, Kind.TEXT)
# Limits of the text that is held back. A model may write a preface before the first section: these
# are about a screen of text. Beyond them, waiting longer delays events and rarely helps.
_MAX_LINES = 40
_MAX_CHARACTERS = 4_000


class DialectGuess:
    """Holds lines back until the dialect is certain.

    Args:
        processor: Detects the dialect among the installed ones and its own.

    Attributes:
        held_lines: The lines that were held back, in order.
    """

    def __init__(self, processor: SymOpsProcessor) -> None:
        self.held_lines: list[PlacedLine] = []
        self._processor = processor
        self._size = 0  # characters of `held_lines`
        installed = map(load_dialect, dialects())
        self._richest: dict[str, Dialect] = {}  # by family
        # Sorted: the dialect with the most forms comes last and replaces the others of its family.
        for dialect in sorted(installed, key=lambda dialect: (len(dialect.forms), dialect.name)):
            self._richest[dialect.family] = dialect
        self._formats: FormatGuess | None = None
        self._own = {dialect.fingerprint for dialect in processor.dialects}
        self._lexers = [
            LineLexer(dialect, NoRepairer())
            for dialect in (*self._richest.values(), *processor.dialects)
        ]

    def read(self, line: PlacedLine) -> Dialect | Reader | None:
        """Hold a line back.

        Args:
            line: The next line of the stream.

        Returns:
            The dialect, if it is certain now or the limit is reached; the reader of another format
            if the reply is certainly in one; else None.
        """
        self.held_lines.append(line)
        self._size += len(line.text)
        body = line.text.removesuffix("\n")
        candidates = []
        is_plain = True
        for lexer in self._lexers:
            kind = lexer.kind_of(body)
            is_plain = is_plain and kind in _PROSE
            if kind in TELLING:
                candidates.append(lexer.dialect)
        if self._may_be_format(line, is_plain=is_plain):
            assert self._formats is not None
            return self._formats.reader
        is_full = len(self.held_lines) >= _MAX_LINES or self._size >= _MAX_CHARACTERS
        if not is_full and len(candidates) != 1:
            return None
        if self._formats is not None and self._formats.holds():
            return None
        if is_full:
            return self._choose_dialect()
        detected = self._detect()
        if detected is None or detected.family != candidates[0].family:
            return None
        return detected

    def _may_be_format(self, line: PlacedLine, *, is_plain: bool) -> bool:
        """Return whether the reply is in a format of another agent, up to this line."""
        # Lines of a dialect before any prose do not load the formats.
        if self._formats is None and line.text.strip() and is_plain and not self._own:
            # Imported here: most streams begin with a line of a dialect.
            from .formats.guess import FormatGuess

            self._formats = FormatGuess(self._processor)
            for earlier in self.held_lines[:-1]:
                self._formats.put(earlier, is_plain=not earlier.text.strip())
        return self._formats is not None and self._formats.put(line, is_plain=is_plain)

    def choose(self) -> Dialect | Reader:
        """Return the most likely dialect of the whole reply, or the reader of other formats."""
        if self._formats is not None and self._formats.owns(self._text()):
            return self._formats.reader
        return self._choose_dialect()

    def _choose_dialect(self) -> Dialect:
        """Return the most likely dialect of the lines so far; v2's family if none is likely."""
        return self._detect() or self._richest["v2"]

    def _text(self) -> str:
        return "".join([line.text for line in self.held_lines])

    def _detect(self) -> Dialect | None:
        text = self._text()
        dialect = self._processor.detect(text).dialect
        if dialect is None or dialect.fingerprint in self._own:
            return dialect
        return self._richest[dialect.family]
