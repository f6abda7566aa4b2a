"""What a text says so far that is valid and still arrives: its sections are read and checked while they come.

Law: what comes of it is what `process` says of the whole text, or nothing, where only the whole text can tell: it is
not valid, or what a section says depends on another.
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
    """A text of which `read` and `finish` read on; `announced` are the sections that the stream puts together.

    `agrees` says whether these are the sections that were read.
    """

    def __init__(self, processor: SymOpsProcessor, announced: Sequence[Section]) -> None:
        self.agrees = True
        self._processor, self._announced = processor, announced
        self._dialect: Dialect | None = None  # before anything was read
        self._sections: list[Section] = []
        self._findings: list[Diagnostic] = []
        self._sureness = 1.0
        self._targets: set[str] = set()
        self._places = PlaceCounter("")  # until the text is there
        self._pieces = [""]  # of the text, from the offset `_begin` on
        self._begin = self._done = 0  # what stands before the latter was read
        self._is_sure = processor.corrector is None  # whether what was read says the same in the whole text

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_is_sure": False, "_sections": []}  # their places are not known before the end

    def receive(self, piece: str) -> None:
        """Take in the next piece."""
        if self._is_sure:
            self._pieces.append(piece)

    def read(self, end: int, dialect: Dialect) -> None:
        """Read the sections before an offset, at which an action begins; `dialect` is that of the stream."""
        if not self._is_sure:
            return
        if self._dialect is None:
            is_guess = self._processor.format == "auto"
            self._dialect = load_dialect(dialect.family) if is_guess else dialect  # which `detect` prefers
            self._is_sure = not self._dialect.own_sections
        if len(self._pieces) > 1:
            self._pieces, self._begin = [self._left()], self._done
        text = self._pieces[0][self._done - self._begin : end - self._begin]
        sections, size = read_beginning(text, self._done, self._dialect, self._places)
        self._is_sure = self._is_sure and size == len(text)
        self._done = end
        self._take(sections, self._dialect)

    def _left(self) -> str:
        """Return the text of which nothing was read."""
        return "".join(self._pieces)[self._done - self._begin :]

    def finish(self, text: str) -> Result | None:
        """Read the end, and return what the whole text says; None if only the whole text can tell.

        What is announced from now on is read by nobody.
        """
        result = self._finish(text)
        self._is_sure = False
        return result

    def _finish(self, text: str) -> Result | None:
        self._places.read(text)
        left = self._left()
        if self._dialect is None or not self._is_sure or self._done + len(left) < len(text):  # lost between threads
            return None
        rest = read_end(left, self._done, self._dialect, self._places)
        self._take(rest or [], self._dialect)
        if rest is None or not self._is_sure or len(self._sections) < 2:  # one section may be one line
            return None
        self.agrees = self.agrees and len(self._announced) == len(self._sections)
        found, trace = tuple(self._findings), (TraceStep("strict", "parsed", text, True),)
        document = Document(tuple(self._sections), self._dialect.name, diagnostics=found)
        result = Result(Phase.STRICT, document, self._sureness, found, (), trace, text)
        return result if self._processor.confirms(text, Detection(self._dialect, document)) else None

    def _take(self, sections: list[Section], dialect: Dialect) -> None:
        """Check sections by themselves, if no check asks about others as well."""
        if not (sections and self._is_sure):
            return
        part, at = Document(tuple(sections), dialect.name), len(self._sections)
        targets = {action.path for action in part.actions}
        alone = self._targets.isdisjoint(targets) and is_ordinary(part, dialect.verbs)
        self._is_sure = alone and not any(map(is_unwrapped, part.actions))
        run = Run("", None, Detection(dialect, part), dialect, self._processor.engine)
        if self._is_sure and (result := run.strict()) is not None:
            self.agrees = self.agrees and list(self._announced[at : at + len(sections)]) == sections
            self._targets |= targets
            self._sections += result.document.sections
            self._findings += result.diagnostics
            self._sureness = min(self._sureness, result.confidence)
