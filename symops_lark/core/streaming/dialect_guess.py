"""Which dialect a stream is in, told from its beginning.

Lines are held back until one is exactly a section's in the dialects of one family only, and the processor's detection
agrees; or until the bound. Among dialects of one family the one with the most forms is taken, because what is valid in
a plainer one means the same in it. That has a limit: a line that only a richer dialect takes for a delimiter is one
here, though it may be content in the dialect that `process` finds for the whole text.
"""

from __future__ import annotations

from ..grammar.dialect import Dialect
from ..grammar.loading import dialects, load_dialect
from ..processor import SymOpsProcessor
from ..recovery.lines.lexer import LineLexer
from ..recovery.lines.spelling import NoRepairer
from .incoming import PlacedLine
from .kinds import TELLING

_MOST_LINES, _MOST_CHARACTERS = 40, 4_000  # held back at most


class DialectGuess:
    """Holds lines back until they tell the dialect."""

    def __init__(self, processor: SymOpsProcessor) -> None:
        self.held: list[PlacedLine] = []
        self._processor = processor
        self._size = 0
        known = [load_dialect(name) for name in dialects()]
        self._richest = {dialect.family: dialect for dialect in sorted(known, key=lambda d: (len(d.forms), d.name))}
        self._own = {dialect.fingerprint for dialect in processor.dialects}
        self._lexers = [LineLexer(dialect, NoRepairer()) for dialect in (*self._richest.values(), *processor.dialects)]

    def read(self, line: PlacedLine) -> Dialect | None:
        """Hold a line back; return the dialect if it is known now."""
        self.held.append(line)
        self._size += len(line.text)
        if len(self.held) >= _MOST_LINES or self._size >= _MOST_CHARACTERS:
            return self.choose()
        body = line.text.removesuffix("\n")
        speaking = [lexer.dialect for lexer in self._lexers if lexer.kind_of(body) in TELLING]
        if len(speaking) != 1:
            return None
        found = self._detect()
        return found if found is not None and found.family == speaking[0].family else None

    def choose(self) -> Dialect:
        """Return the dialect of what there is; of the recommended family where it tells none."""
        return self._detect() or self._richest["v2"]

    def _detect(self) -> Dialect | None:
        dialect = self._processor.detect("".join(line.text for line in self.held)).dialect
        if dialect is None or dialect.fingerprint in self._own:
            return dialect
        return self._richest[dialect.family]
