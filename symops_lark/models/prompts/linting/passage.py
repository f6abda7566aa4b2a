"""A stretch of a file that knows, for each of its characters, where it stands in the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ....core.text.diagnostics import Diagnostic
from ....core.text.source import Source, Span


@dataclass(frozen=True)
class Passage:
    """A text taken out of a file: `places` has the offset of each character, and that behind the last one."""

    text: str
    places: Sequence[int]

    @classmethod
    def whole(cls, text: str) -> Passage:
        """Take a whole file."""
        return cls(text, range(len(text) + 1))

    def part(self, start: int, stop: int) -> Passage:
        """Take a stretch of this passage."""
        return Passage(self.text[start:stop], self.places[start : stop + 1])

    def dedented(self, width: int) -> Passage:
        """Take up to so many blanks from the beginning of each line."""
        pieces: list[str] = []
        places: list[int] = []
        for start, stop in self.lines():
            line = self.text[start:stop]
            cut = min(width, len(line) - len(line.lstrip(" \t")))
            pieces.append(line[cut:])
            places += self.places[start + cut : stop]
        return Passage("".join(pieces), (*places, self.places[len(self.text)]))

    def lines(self) -> Iterator[tuple[int, int]]:
        """Yield the offsets of each line, its ending included."""
        start, size = 0, len(self.text)
        while start < size:
            stop = self.text.find("\n", start) + 1 or size
            yield start, stop
            start = stop

    def span(self, start: int, stop: int, source: Source) -> Span:
        """Carry a stretch back to the file (`source`)."""
        begin = self.places[min(start, len(self.text))]
        end = self.places[min(stop - 1, len(self.text) - 1)] + 1 if stop > start and self.text else begin
        return source.span(begin, max(begin, end))

    def carry(self, finding: Diagnostic, source: Source) -> Diagnostic:
        """Carry a finding about this passage back to the file."""
        return replace(finding, span=self.span(finding.span.start, finding.span.end, source))
