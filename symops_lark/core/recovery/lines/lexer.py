"""Split a text into lines and give each its kind; answer what the passes ask about single lines."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from ...patterns.regexes import Pattern, compile_pattern, escape
from ...text.source import BOM
from .classifier import KindClassifier
from .kinds import (
    BLOCKS,
    CLOSE,
    DELIM,
    FIELDS,
    OPEN,
    RESPELT,
    Kind,
    Line,
    Spelling,
    kinds_of,
    text_of,
)
from .passes import run_passes
from .roles import SPLIT_HEADS

_NEAR_DELIMITERS = kinds_of(OPEN, CLOSE, DELIM, spelling=RESPELT) | {Kind.NEAR_THOUGHT}
_AFTER_CLOSERS = kinds_of(spelling=(Spelling.BEHIND,))
_SECTIONS = ("thought", "action", "target", "depends", "open", "close")  # marks that begin a line


# Takes the lines so far, the last of which is an opening delimiter; returns where to continue.
_PassOver = Callable[[list[Line]], int]


class LineLexer(KindClassifier):
    """Reads the lines of texts in one dialect."""

    def read(self, text: str, pass_over: _PassOver | None = None) -> list[Line]:
        """Return all lines of a text with their kinds after all passes.

        Args:
            text: The text; its lines end with line feeds only.
            pass_over: Called at each opening delimiter with the lines so far, of which the
                delimiter is the last. It returns the offset at which to continue, and appends the
                lines up to there. None: read every line.
        """
        return run_passes(text, self.read_each(text, pass_over), self)

    def read_each(self, text: str, pass_over: _PassOver | None = None) -> list[Line]:
        """Return all lines of a text, each with the kind that it has alone, before any pass.

        Args:
            text: As in `read`.
            pass_over: As in `read`.
        """
        lines = []
        by_line = self._by_line
        tagged = self._tagged
        # The strict parser drops a byte order mark too: it is not an error in the first line.
        start = 0
        if text.startswith(BOM):
            start = 1
        size = len(text)
        while start < size:
            stop = text.find("\n", start)
            end = stop + 1
            if stop < 0:
                stop = end = size
            line = text[start:stop]
            if tagged and line[:1] in self._quick:
                if self.awaits_value(line):
                    stop, end = self._find_value(text, end) or (stop, end)
                    line = text[start:stop]
                above, opener = self._find_opener(line)
                if above is not None:
                    place = start + opener
                    lines.append(Line(above, start, place, place))
                    lines.append(Line(Kind.NEAR_OPEN, place, stop, end))
                    start = end
                    continue
            kind = by_line.get(line)
            if kind is None:
                kind = self.kind_of(line)
                # 100,000 lines of less than 500 characters: at most about 50 MB.
                if len(by_line) < 100_000 and len(line) < 500:
                    by_line[line] = kind
            lines.append(Line(kind, start, stop, end))
            start = end
            if pass_over is not None and kind in BLOCKS:
                start = pass_over(lines)
        return lines

    def _find_opener(self, line: str) -> tuple[Kind | None, int]:
        """Return the kind of the field before an opening delimiter at the end, and its place."""
        opener = line.find(self._open, 1)
        if opener < 0:
            return None, opener
        after = opener + len(self._open)
        if line[after:].strip():
            return None, opener
        above = self.kind_of(line[:opener])
        if above not in FIELDS:
            return None, opener
        return above, opener

    def opens_block(self, tag: str) -> bool:
        """Return whether a tag of another format can be read as an opening delimiter."""
        spelling = self.repairer.candidate(tag, "open")
        return spelling is not None and spelling.text == self._open

    def gives_path(self, text: str, line: Line) -> bool:
        """Return whether an attribute line gives a path.

        Args:
            text: The text that the offsets of the line refer to.
            line: An attribute line, exact or misspelled.
        """
        attribute = text_of(line, text)
        if line.kind is not Kind.ATTRIBUTE:
            spelling = self.repairer.candidate(attribute, "attribute")
            if spelling is not None:
                attribute = spelling.text
        match = self.dialect.line_pattern.fullmatch(attribute + "\n")
        return match is not None and match.lastgroup == "path_line"

    def kind_above_path(self, line: str) -> Kind | None:
        """Return the kind of a plain line as the first line of an action, or None.

        Without a path on the line below, the line stays plain.
        """
        spelling = self.repairer.candidate(line, "head")
        if spelling is None:
            return None
        first, *further = spelling.text.split("\n")
        head = first
        if further:
            head = further[0]
        kind = self._exact(head)
        if kind not in SPLIT_HEADS:
            return None
        near = Spelling.NEAR
        if further:
            near = Spelling.BEHIND
        return kind.spelt(near, split=True)

    def delimiters_of(self, text: str, line: Line) -> tuple[str, str]:
        """Return the opening and the closing delimiter that a line of a text is or holds.

        Args:
            text: The text that the offsets of the line refer to.
            line: Any line; of joined lines the first counts.
        """
        first = line
        if line.inside:
            first = line.inside[0]
        return self.delimiters(line.kind, text_of(first, text))

    def delimiters(self, kind: str, line: str) -> tuple[str, str]:
        """Return the opening and the closing delimiter that a line is or holds.

        Args:
            kind: The kind of the line.
            line: The line, without its ending.

        Returns:
            The two delimiters. Each is empty if there is none, or if a misspelled one leaves its
            length open: `<< <` may stand for a fence of two or of three characters.
        """
        bare = line.rstrip(" \t")
        if kind == OPEN:
            return bare, ""
        if kind == CLOSE:
            return "", bare
        if kind == Kind.ACTION_OPEN:
            return self._find_sure_mark(bare, "head", -1), ""
        if kind in _AFTER_CLOSERS:
            return "", self._find_sure_mark(bare, "head", 0)
        if kind not in _NEAR_DELIMITERS:
            return "", ""
        opener = self._find_sure_mark(bare, "open", 0)
        closer = self._find_sure_mark(bare, "close", -1)
        return opener, closer

    def _find_sure_mark(self, line: str, role: str, place: int) -> str:
        """Return the delimiter at a place of the rewritten line; empty if its length is unsure."""
        spelling = self.repairer.candidate(line, role)
        if spelling is None:
            return ""
        mark = spelling.text.split("\n")[place]
        closer_place = 0 if role == "head" else -1  # the closer is before a head, else last
        marks = self._closers if place == closer_place else self._openers
        if mark not in marks:
            return ""
        is_long = len(mark) > len(self._close)
        if is_long or mark in line:
            return mark
        return ""

    def is_reasoning(self, line: str) -> bool:
        """Return whether a line that opens a thinking section may be a heading over thoughts."""
        spelling = self.repairer.candidate(line, "reason")
        if spelling is None:
            return False
        first = spelling.text.split("\n")[0]
        return self._exact(first) is Kind.REASONING

    @cached_property
    def _alone(self) -> Pattern:
        """The pattern of a line that is only a tag: `[ACTION_PATH]`, but not `[ACTION_PATH] a`."""
        marks = self.dialect.marks
        names = ("action", "target", "depends")
        tags = "|".join(escape(marks[name]) for name in names)
        return compile_pattern(rf"(?:{tags})[ \t]*")

    def awaits_value(self, line: str) -> bool:
        """Return whether a line is a tag whose value may be on the line below."""
        return self._tagged and self._alone.fullmatch(line) is not None

    def _find_value(self, text: str, start: int) -> tuple[int, int] | None:
        """Return the stop and the end of the line below a lone tag if it may be the tag's value."""
        stop = text.find("\n", start)
        end = stop + 1
        if stop < 0:
            stop = end = len(text)
        if not self.is_value(text[start:stop]):
            return None
        return stop, end

    def is_value(self, line: str) -> bool:
        """Return whether a line may be the value of the tag above it."""
        value = line.strip()
        marks = self.dialect.marks
        begins_section = value.startswith(tuple(marks[name] for name in _SECTIONS))
        return bool(value) and not begins_section
