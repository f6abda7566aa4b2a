"""Announce the actions of a reply in a format of another agent, each as soon as its section ends.

The content of a new file is given out before (`growing_content`), unless it is written in another
way there, as in JSON. Of other sections nothing is announced before: a call may name its file after
the content, and the marks at the end decide whether an edit is complete.

The text since the last announced action is read again as it grows: after lines that may end a
section, and whenever it has grown by a sixteenth. So the time for a reply is linear in its length.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from ...document import Action, Completeness, Document
from ...formats.documents import read_format
from ...formats.loading import Format, all_sections
from ...formats.meaning import accept
from ...formats.open_contents import NearMarks, find_open_content
from ...formats.reader import find_items
from ...formats.results import break_off, says_verb
from ...grammar.codes import FILE_WITHOUT_VERB, NAME_IN_SENTENCE
from ...patterns.regexes import compile_pattern, escape
from ...text.diagnostics import Diagnostic
from ...text.source import Source, Span
from ..doubts import Doubts
from ..events import ActionFinished, ActionStarted, ContentDelta, Event, Noticed
from ..incoming import Incoming, PlacedLine
from .growing_content import GrowingContent
from .settled import (
    LINES_AFTER,
    find_doubts,
    is_same_file,
    is_settled,
    is_thinking,
    needs_whole,
    pieces_of,
)

_BRACKETS = "{["  # a line of one of them may begin JSON
# Doubts that do not depend on the end of a section.
_OF_HEADS = (FILE_WITHOUT_VERB, NAME_IN_SENTENCE)
GROWTH = 16  # the text is read again when it has grown by this part of it
_MOST_READ = 32  # characters that are read again for each character received
_ALWAYS_READ = 4_000  # characters: a text of this length is read again at any mark
# A fence or another row of signs, or a word alone, as a here-document ends.
_ROW = compile_pattern(r"[ \t]*(?:[`~<>=*+-]{3}.*|[A-Za-z_]+[ \t\r]*)")


class FormatReader:
    """Reads the lines of a reply in a format of another agent.

    Args:
        format: The format; None for all installed ones.

    Attributes:
        events: The events that were not taken yet.
        owner: The offset of the first announced action whose section says its verb; None if there
            is none.
    """

    def __init__(self, format: Format | None) -> None:
        self.events: deque[Event] = deque()
        self.owner: int | None = None
        self._format = format
        self._sections = list(all_sections() if format is None else format.sections)
        marks: set[str] = set()
        for section in self._sections:
            marks.update(map(str.strip, section.mark_texts))
        alternatives = "|".join(map(escape, sorted(marks)))
        self._marks = compile_pattern(alternatives or "(?!)")
        self._growing: GrowingContent | None = None
        self._count = 0  # of announced actions
        self._doubts = Doubts()
        self._files: dict[str, Action] = {}  # the first action of each path
        # The text since the last announced action, and where it begins.
        self._lines: list[str] = []
        self._begin = Span(0, 0)
        self._size = 0
        self._size_read = 0  # when it was read last
        self._filled_count = 0  # lines with text since the last mark
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
        if self._may_end(text):
            self._filled_count = 0
        elif text.strip():
            self._filled_count += 1
        growing = self._growing
        # Nothing is read again before its content may end.
        if growing is not None and not growing.may_end:
            growing.put(text)
        elif self._is_due():
            self._announce_settled()

    def finish(self, *, cut_off: bool | None, ended: bool) -> None:
        """Read the end of the text.

        Args:
            cut_off: Whether the text was truncated; None if that is not known.
            ended: Whether its last line has an ending.
        """
        text = "".join(self._lines)
        if not ended:
            text = text.removesuffix("\n")
        document = read_format(text, self._format)
        if cut_off:
            document = break_off(document, text)
        actions = document.actions
        # Only the whole reply decides, and a part of it may be forgotten.
        if self._count and needs_whole(document):
            actions = actions[:1] if self._growing else ()
        done = 0
        for action in actions:
            self._announce(action, document.diagnostics, text, done)
            done = action.span.end
        if self._growing is not None:
            self._break_off(self._growing)
        self._lines = []

    @property
    def size(self) -> int:
        """The number of characters that were received."""
        return self._received

    def is_inside(self) -> bool:
        """Return whether the text so far ends inside a section, or has one that says its verb."""
        text = "".join(self._lines)
        if self._growing is not None:
            return True
        items = find_items(text.replace("\r\n", "\n"), self._sections, accept)
        if not items:
            return False
        last = items[-1]
        if last.is_truncated and last.section.rule != "sample":
            return True
        document = read_format(text, self._format)
        return any(says_verb(action, text) for action in document.actions)

    def _is_due(self) -> bool:
        """Return whether the text must be read again."""
        grown = self._size - self._size_read
        if grown * GROWTH >= self._size:
            return True
        allowed = _MOST_READ * (self._received + _ALWAYS_READ)
        if self._spent + self._size > allowed:
            return False
        # The lines after a mark show that the section has ended.
        return self._filled_count == LINES_AFTER

    def _may_end(self, line: str) -> bool:
        """Return whether a section may end at a line."""
        if _ROW.fullmatch(line.rstrip("\n")):
            return True
        return self._marks.search(line) is not None

    def _announce_settled(self) -> None:
        """Announce the actions that further text does not change."""
        text = "".join(self._lines)
        self._lines = [text]
        self._size_read = len(text)
        self._spent += len(text)
        document = read_format(text, self._format)
        if needs_whole(document):
            return
        done = 0
        for action in document.actions:
            # What a section of thinking shows is not meant, if it ends.
            is_shown = is_thinking(text[done : action.span.start])
            if is_shown or not is_settled(action, document, text):
                break
            self._announce(action, document.diagnostics, text, done)
            done = action.span.end
        if done:
            self._drop(text, done)
        elif self._growing is None:
            self._begin_content(document, text)

    def _drop(self, text: str, end: int) -> None:
        """Forget the text before an offset."""
        # A mark begins a line: what follows in this line must not look like the beginning of one.
        # Nor may JSON after it look like the whole reply. So its last character stays.
        last = len(text[:end].rstrip()) - 1
        if text[end - 1] != "\n" or text[last] not in _BRACKETS:
            end = last
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
        growing = self._growing
        if growing is not None and growing.begin != self._move(action.span).start:
            # Another reading has replaced it, such as one of corrected marks.
            self._break_off(growing)
            growing = None
        if growing is None:
            doubt = self._judge(action, text, start)
            # The result has a file once, although the reply repeats it.
            first = self._files.get(action.path)
            if first is not None and is_same_file(first, action):
                return
            self._start(action, text, doubt, find_doubts(action, diagnostics))
        else:
            doubts = find_doubts(action, diagnostics)
            self._notice(finding for finding in doubts if finding.code not in _OF_HEADS)
        line_count = 0 if growing is None else growing.line_count
        self._growing = None
        self._files.setdefault(action.path, action)
        span = self._move(action.span)
        content_span = None
        if action.content is not None:
            # An argument in JSON is escaped, so its text has no place.
            place = action.content_span or action.span
            content_span = self._move(place)
            pieces = pieces_of(action.content, place, text)
            # Its first lines may have been given out.
            for piece, line_span in islice(pieces, line_count, None):
                delta = ContentDelta(self._count, piece, self._move(line_span))
                self.events.append(delta)
        finished = ActionFinished(self._count, action.completeness, span, content_span)
        self.events.append(finished)
        self._doubts.end(span)
        self._count += 1

    def _start(
        self, action: Action, text: str, doubt: Diagnostic | None, doubts: list[Diagnostic]
    ) -> None:
        """Announce the head of an action of a text, after the doubts about it."""
        self._notice(doubts)
        if doubt is not None:
            self.events.append(Noticed(doubt))
        span = self._move(action.span)
        if self.owner is None and says_verb(action, text):
            self.owner = span.start
        head = replace(action, content=None, content_span=None, span=span)
        self.events.append(ActionStarted(self._count, head))

    def _notice(self, doubts: Iterable[Diagnostic]) -> None:
        for finding in doubts:
            moved = replace(finding, span=self._move(finding.span))
            self.events.append(Noticed(moved))

    def _begin_content(self, document: Document, text: str) -> None:
        """Announce a file whose content the text ends in, if no later text changes its head."""
        if len(document.actions) != 1:
            return
        action = document.actions[0]
        # The same text for the same file would not be announced again.
        is_again = action.path in self._files
        if is_again or action.completeness is not Completeness.TRUNCATED or "\r" in text:
            return
        content = find_open_content(text, self._sections)
        if content is None or content.begin != action.span.start:
            return
        doubt = self._judge(action, text, 0)
        doubts = find_doubts(action, document.diagnostics)
        of_head = [finding for finding in doubts if finding.code in _OF_HEADS]
        self._start(action, text, doubt, of_head)
        self._growing = GrowingContent(
            self._move(action.span).start,
            self._move(Source(text).span(content.start, content.start)),
            content.ending,
            NearMarks(text[: content.start], self._sections),
            partial(self._give, self._count),
        )
        received = text[content.start :].removesuffix("\n")
        for line in received.split("\n"):
            self._growing.put(line + "\n")

    def _give(self, index: int, piece: str, span: Span) -> None:
        self.events.append(ContentDelta(index, piece, span))

    def _break_off(self, growing: GrowingContent) -> None:
        """Announce that an action that was begun has no end; the differences show what it is."""
        self._growing = None
        place = growing.place
        finished = ActionFinished(self._count, Completeness.TRUNCATED, place, place)
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
