"""Detect the dialect of a stream from its first lines.

Lines are held back until both are true: one line is exactly a line of a section in the dialects of
a single family, and the processor's detection agrees. After a limit the detection decides alone.

In a family, the dialect with the most forms is chosen, because a text that is valid in a plainer
dialect means the same in it.

Known weakness: a line that only the richer dialect reads as a delimiter is a delimiter here, though
it may be content in the dialect that `process` detects for the whole text.
"""

from __future__ import annotations

from ..grammar.dialect import Dialect
from ..grammar.loading import dialects, load_dialect
from ..processor import SymOpsProcessor
from ..recovery.lines.lexer import LineLexer
from ..recovery.lines.spelling import NoRepairer
from .incoming import PlacedLine
from .kinds import TELLING

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
        self._own = {dialect.fingerprint for dialect in processor.dialects}
        self._lexers = [
            LineLexer(dialect, NoRepairer())
            for dialect in (*self._richest.values(), *processor.dialects)
        ]

    def read(self, line: PlacedLine) -> Dialect | None:
        """Hold a line back.

        Args:
            line: The next line of the stream.

        Returns:
            The dialect, if it is certain now or the limit is reached; else None.
        """
        self.held_lines.append(line)
        self._size += len(line.text)
        if len(self.held_lines) >= _MAX_LINES or self._size >= _MAX_CHARACTERS:
            return self.choose()
        body = line.text.removesuffix("\n")
        candidates = [lexer.dialect for lexer in self._lexers if lexer.kind_of(body) in TELLING]
        if len(candidates) != 1:
            return None
        detected = self._detect()
        if detected is None or detected.family != candidates[0].family:
            return None
        return detected

    def choose(self) -> Dialect:
        """Return the most likely dialect of the lines so far; v2's family if none is likely."""
        return self._detect() or self._richest["v2"]

    def _detect(self) -> Dialect | None:
        text = "".join(line.text for line in self.held_lines)
        dialect = self._processor.detect(text).dialect
        if dialect is None or dialect.fingerprint in self._own:
            return dialect
        return self._richest[dialect.family]
