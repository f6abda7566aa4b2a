"""Announce the actions of a reply in a format of another agent, each as soon as its section ends.

Nothing of a section is announced before: a call may name its file after the content, and the marks
at the end decide whether the content is complete.

The text since the last announced action is read again as it grows: at lines that may end a section,
and whenever it has grown by a sixteenth. So the time for a reply is linear in its length.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...document import Action, Completeness, Document
from ...formats.documents import read_format
from ...formats.loading import Format
from ...grammar.codes import SHELL_FENCE
from ...patterns.regexes import compile_pattern
from ...text.diagnostics import Diagnostic, Severity
from ...text.source import Source, Span
from ..doubts import DOUBTS, Doubts
from ..events import ActionFinished, ActionStarted, ContentDelta, Event, Noticed
from ..incoming import Incoming, PlacedLine

_LINES_AFTER = 2  # lines with text after a section: they show that no mark of it follows
_GROWTH = 16  # the text is read again when it has grown by this part of it
_MOST_READ = 32  # characters that are read again for each character received
_ALWAYS_READ = 4_000  # characters: a text of this length is read again at any mark
# A fence or another row of signs, or a word alone, as a here-document ends.
_ROW = compile_pattern(r"[ \t]*(?:[`~<>=*+-]{3,}.*|[A-Za-z_]+)[ \t\r]*")


class FormatReader:
    """Reads the lines of a reply in a format of another agent.

    Args:
        format: The format.

    Attributes:
        events: The events that were not taken yet.
    """

    def __init__(self, format: Format) -> None:
        self.events: deque[Event] = deque()
        self._format = format
        self._marks: set[str] = set()
        for section in format.sections:
            self._marks.update(map(str.strip, section.mark_texts))
        self._count = 0  # of announced actions
        self._doubts = Doubts()
        self._files: set[tuple[str, str | None]] = set()  # paths and contents of files
        # The text since the last announced action, and where it begins.
        self._lines: list[str] = []
        self._begin = Span(0, 0)
        self._size = 0
        self._size_read = 0  # when it was read last
        self._received = 0
        self._spent = 0  # characters that were read, some of them several times

    def skim(self, incoming: Incoming) -> bool:
        """Return that no lines were read at once: each line may end a section."""
        return False

    def read(self, line: PlacedLine) -> None:
        """Read the next line.

        Args:
            line: The line.
        """
        if not self._lines:
            self._begin = line.span
        text = line.text.removesuffix("\n")
        text += line.ending
        size = len(text)
        self._lines.append(text)
        self._size += size
        self._received += size
        if self._is_due():
            self._announce_settled()

    def finish(self, *, cut_off: bool | None, ended: bool) -> None:
        """Read the end of the text.

        Args:
            cut_off: Whether the text was truncated. The reader of formats finds that out itself.
            ended: Whether its last line has an ending.
        """
        text = "".join(self._lines)
        if not ended:
            text = text.removesuffix("\n")
        document = read_format(text, self._format)
        done = 0
        for action in document.actions:
            self._announce(action, document.diagnostics, text, done)
            done = action.span.end
        self._lines = []

    def _is_due(self) -> bool:
        """Return whether the text must be read again."""
        grown = self._size - self._size_read
        if grown * _GROWTH >= self._size:
            return True
        allowed = _MOST_READ * (self._received + _ALWAYS_READ)
        if self._spent + self._size > allowed:
            return False
        # The lines after a mark show that the section has ended.
        recent = self._lines[-1 - _LINES_AFTER :]
        return any(map(self._may_end, recent))

    def _may_end(self, line: str) -> bool:
        """Return whether a section may end at a line."""
        if _ROW.fullmatch(line.rstrip("\n")):
            return True
        return any(map(line.__contains__, self._marks))

    def _announce_settled(self) -> None:
        """Announce the actions that further text does not change."""
        text = "".join(self._lines)
        self._lines = [text]
        self._size_read = len(text)
        self._spent += len(text)
        document = read_format(text, self._format)
        # The fence of a shell counts only if it is the last fence of the reply.
        if SHELL_FENCE in [finding.code for finding in document.diagnostics]:
            return
        done = 0
        for action in document.actions:
            if not _is_settled(action, document, text):
                break
            self._announce(action, document.diagnostics, text, done)
            done = action.span.end
        if done:
            self._drop(text, done)

    def _drop(self, text: str, end: int) -> None:
        """Forget the text before an offset."""
        # A mark begins a line: what follows in this line must not look like the beginning of one.
        if text[end - 1] != "\n":
            end -= 1
        self._begin = self._move(Source(text).span(end, end))
        following = text[end:]
        self._lines = [following]
        self._size = len(following)
        self._size_read = 0

    def _announce(
        self, action: Action, diagnostics: Sequence[Diagnostic], text: str, start: int
    ) -> None:
        """Announce an action of a text.

        Args:
            action: The action.
            diagnostics: The findings in the text.
            text: The text.
            start: Where the action before it ends.
        """
        doubt = self._judge(action, text, start)
        # The result has a file once, although the reply repeats it.
        file = (action.path, action.content)
        if action.type == "create" and file in self._files:
            return
        self._files.add(file)
        span = self._move(action.span)
        for finding in diagnostics:
            is_doubt = finding.severity is Severity.WARNING and finding.span == action.span
            # The text before it may be known no more here: all of it is judged below.
            if is_doubt and finding.code not in DOUBTS:
                moved = replace(finding, span=span)
                self.events.append(Noticed(moved))
        if doubt is not None:
            self.events.append(Noticed(doubt))
        head = replace(action, content=None, content_span=None, span=span)
        self.events.append(ActionStarted(self._count, head))
        content_span = None
        if action.content is not None:
            # An argument in JSON is escaped, so its text has no place.
            place = action.content_span or action.span
            content_span = self._move(place)
            for piece, line_span in _pieces_of(action.content, place, text):
                delta = ContentDelta(self._count, piece, self._move(line_span))
                self.events.append(delta)
        finished = ActionFinished(self._count, action.completeness, span, content_span)
        self.events.append(finished)
        self._count += 1

    def _judge(self, action: Action, text: str, start: int) -> Diagnostic | None:
        """Return the doubt that the words before an action raise, those of earlier text too."""
        first = action.span.start
        section = text[first:]
        head, _, _ = section.partition("\n")
        between = text[start:first]
        *lines, before = between.split("\n")
        place = start
        for line in lines:
            self._put(line, place)
            # Its line feed, too.
            place += len(line) + 1
        # A mark may be inside of its line.
        if before:
            self._put(before, place)
        self._put(head, first)
        span = self._move(action.span)
        self._doubts.begin(span)
        return self._doubts.judge()

    def _put(self, line: str, place: int) -> None:
        """Let a line be judged: a line of prose, or the first line of an action."""
        begin = self._begin.start + place
        end = begin + len(line)
        text = line.rstrip("\r")
        text += "\n"
        placed = PlacedLine(text, begin, end, 0)
        self._doubts.put(placed)

    def _move(self, span: Span) -> Span:
        """Return a span of the text since the last action as one of the whole reply."""
        begin = self._begin
        line = span.line + begin.line - 1
        column = span.column
        # Only its first line begins inside of a line.
        if span.line == 1:
            column += begin.column - 1
        start = span.start + begin.start
        end = span.end + begin.start
        return Span(start, end, line, column)


def _is_settled(action: Action, document: Document, text: str) -> bool:
    """Return whether further text does not change an action."""
    if action.completeness is Completeness.TRUNCATED:
        return False
    end = action.span.end
    if document.actions[-1].span.start >= end:
        return True
    following = text[end:]
    if text[end - 1] != "\n":
        # What follows in its last line is not a line after it.
        _, _, following = following.partition("\n")
    lines = filter(str.strip, following.split("\n"))
    return len(list(lines)) >= _LINES_AFTER


def _pieces_of(content: str, place: Span, text: str) -> Iterator[tuple[str, Span]]:
    """Yield the lines of a content with their places.

    Each begins with the ending of the line before it. Lines that are written in another way in the
    text, as in JSON, have the place of the whole content.
    """
    lines = content.split("\n")
    source_text = text[place.start : place.end]
    source_lines = source_text.split("\n")
    # The end of a source may be a mark.
    del source_lines[len(lines) :]
    plain_lines = [line.removesuffix("\r") for line in source_lines]
    is_literal = plain_lines == lines
    begin = place
    offset = place.start
    ending = ""
    for index, line in enumerate(lines):
        piece = ending + line
        ending = "\n"
        if not is_literal:
            yield piece, place
            continue
        size = len(line)
        stop = offset + size
        yield piece, replace(begin, end=stop)
        # The next piece begins where this line ends.
        column = size + 1
        if index == 0:
            column += place.column - 1
        number = place.line + index
        begin = Span(stop, stop, number, column)
        source_line = source_lines[index]
        offset += len(source_line) + 1
