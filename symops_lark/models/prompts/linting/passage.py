"""A part of a file that knows the place of each of its characters in the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ....core.text.diagnostics import Diagnostic
from ....core.text.source import Source, Span


@dataclass(frozen=True)
class Passage:
    """A text that was taken from a file.

    Attributes:
        text: The text. Escapes are decoded, and indentation may be removed.
        places: The offset of each character in the file, and the offset after the last one.
    """

    text: str
    places: Sequence[int]

    @classmethod
    def whole(cls, text: str) -> Passage:
        """Return a whole file as a passage."""
        return cls(text, range(len(text) + 1))

    def part(self, start: int, stop: int) -> Passage:
        """Return a part of this passage."""
        return Passage(self.text[start:stop], self.places[start : stop + 1])

    def dedented(self, width: int) -> Passage:
        """Return this passage without the first blanks of each line, at most `width` of them."""
        pieces = []
        places: list[int] = []
        for start, stop in self.lines():
            line = self.text[start:stop]
            content = line.lstrip(" \t")
            start += min(width, len(line) - len(content))
            pieces.append(self.text[start:stop])
            places += self.places[start:stop]
        return Passage("".join(pieces), (*places, self.places[len(self.text)]))

    def lines(self) -> Iterator[tuple[int, int]]:
        """Yield the offsets of each line, with its line end."""
        start = 0
        size = len(self.text)
        while start < size:
            # The last line may have no line end.
            stop = self.text.find("\n", start) + 1 or size
            yield start, stop
            start = stop

    def span(self, start: int, stop: int, source: Source) -> Span:
        """Return the span of a part in the file.

        Args:
            start: The offset of the part in this passage.
            stop: The offset after it.
            source: The file.
        """
        size = len(self.text)
        begin = end = self.places[min(start, size)]
        if stop > start and size:
            # Not the place of the next character: an escape or an indentation may be before it.
            last = min(stop, size) - 1
            end = self.places[last] + 1
        return source.span(begin, max(begin, end))

    def carry(self, finding: Diagnostic, source: Source) -> Diagnostic:
        """Return a diagnostic of this passage as one of the file."""
        span = self.span(finding.span.start, finding.span.end, source)
        return replace(finding, span=span)
