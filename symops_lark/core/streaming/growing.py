"""Read a valid text while it arrives, so that closing the stream does not read it again.

Its sections are parsed and checked as soon as each is complete.

Invariant: the result is exactly what `process` returns for the whole text, or None where only the
whole text decides: it is invalid, or the check of one section depends on another
(tests/core/streaming/test_growing.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..document import Document, Section
from ..grammar.dialect import Dialect
from ..grammar.loading import load_dialect
from ..pipeline import Run
from ..processor import SymOpsProcessor
from ..recovery.detected import Detection
from ..repairs.unwrapping import is_unwrapped
from ..result import Phase, Result, TraceStep
from ..strict.parser import read_beginning, read_end
from ..text.diagnostics import Diagnostic
from ..text.source import PlaceCounter
from ..validator.sections import is_ordinary


class GrowingText:
    """A text that is parsed as it arrives.

    Args:
        processor: The processor whose result is wanted.
        announced: The sections that the stream puts together from its events; it grows with them.

    Attributes:
        agrees: Whether the announced sections are those that were parsed.
    """

    def __init__(self, processor: SymOpsProcessor, announced: Sequence[Section]) -> None:
        self.agrees = True
        self._processor = processor
        self._announced = announced
        self._dialect: Dialect | None = None  # None before anything was read
        self._sections: list[Section] = []
        self._diagnostics: list[Diagnostic] = []
        self._confidence = 1.0  # the lowest of the parts
        self._targets: set[str] = set()
        self._places = PlaceCounter("")  # gets the text at the end
        self._pieces = [""]  # of the text, from the offset `_begin` on
        self._begin = 0
        self._done = 0  # the text before this offset was read
        # False as soon as what was read may mean something else in the whole text. Then nothing
        # more is read, and `finish` returns None. A corrector may replace the whole reply.
        self._is_sure = processor.corrector is None

    def __getstate__(self) -> dict[str, Any]:
        # The positions of the sections are computed from the text at the end: without it they
        # cannot be copied.
        return {**vars(self), "_is_sure": False, "_sections": []}

    def receive(self, piece: str) -> None:
        """Take in the next piece of the text."""
        if self._is_sure:
            self._pieces.append(piece)

    def read(self, end: int, dialect: Dialect) -> None:
        """Read the sections before an offset.

        Args:
            end: The offset at which an action begins.
            dialect: The dialect of the stream.
        """
        if not self._is_sure:
            return
        if self._dialect is None:
            # The stream reads in the richest dialect of a family, `detect` prefers the plain one.
            is_guess = self._processor.format == "auto"
            self._dialect = load_dialect(dialect.family) if is_guess else dialect
            self._is_sure = not self._dialect.own_sections
        if len(self._pieces) > 1:
            self._pieces = [self._unread()]
            self._begin = self._done
        text = self._pieces[0][self._done - self._begin : end - self._begin]
        sections, size = read_beginning(text, self._done, self._dialect, self._places)
        self._is_sure = self._is_sure and size == len(text)
        self._done = end
        self._take(sections, self._dialect)

    def _unread(self) -> str:
        """Return the part of the text that was not read yet."""
        return "".join(self._pieces)[self._done - self._begin :]

    def finish(self, text: str) -> Result | None:
        """Read the end of the text.

        Args:
            text: The whole text.

        Returns:
            The result of the whole text; None if `process` must read all of it.
        """
        result = self._finish(text)
        self._is_sure = False  # events that are taken from now on are not read
        return result

    def _finish(self, text: str) -> Result | None:
        self._places.read(text)
        unread = self._unread()
        if self._dialect is None or not self._is_sure:
            return None
        if self._done + len(unread) < len(text):
            return None  # threads shared the stream, and a piece was lost here
        last = read_end(unread, self._done, self._dialect, self._places)
        self._take(last or [], self._dialect)
        # A text of one line may stand for several lines, which `process` checks.
        if last is None or not self._is_sure or len(self._sections) < 2:
            return None
        self.agrees = self.agrees and len(self._announced) == len(self._sections)
        diagnostics = tuple(self._diagnostics)
        trace = (TraceStep("strict", "parsed", text, True),)
        document = Document(tuple(self._sections), self._dialect.name, diagnostics=diagnostics)
        result = Result(Phase.STRICT, document, self._confidence, diagnostics, (), trace, text)
        is_confirmed = self._processor.confirms(text, Detection(self._dialect, document))
        return result if is_confirmed else None

    def _take(self, sections: list[Section], dialect: Dialect) -> None:
        """Check sections without the others, if no check needs them."""
        if not (sections and self._is_sure):
            return
        part = Document(tuple(sections), dialect.name)
        start = len(self._sections)
        targets = {action.path for action in part.actions}
        # Two actions on one file, and anything unusual, are checked together with all sections.
        is_alone = self._targets.isdisjoint(targets) and is_ordinary(part, dialect.verbs)
        self._is_sure = is_alone and not any(map(is_unwrapped, part.actions))
        if not self._is_sure:
            return
        run = Run("", None, Detection(dialect, part), dialect, self._processor.engine)
        result = run.strict()
        if result is not None:
            announced = list(self._announced[start : start + len(sections)])
            self.agrees = self.agrees and announced == sections
            self._targets |= targets
            self._sections += result.document.sections
            self._diagnostics += result.diagnostics
            self._confidence = min(self._confidence, result.confidence)
