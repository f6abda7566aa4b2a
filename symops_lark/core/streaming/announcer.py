"""Keep the current section and action, and put their events into a queue.

Memory is bounded by one section: an event that was put into the queue is not kept here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from ..document import (
    Action,
    Completeness,
    CustomSection,
    ErrorNote,
    Question,
    Skipped,
    Thought,
    Vitals,
)
from ..grammar.codes import UNREADABLE_SECTION, WRAPPED_THOUGHT
from ..grammar.mistakes import load_mistakes
from ..recovery.lines.spelling import Candidate
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import Span
from .content import Piece
from .doubts import Doubts
from .events import (
    ActionFinished,
    ActionStarted,
    Event,
    Noticed,
    SectionContent,
    SectionFinished,
    SectionParsed,
    SectionStarted,
    make_delta,
)
from .incoming import PlacedLine
from .line_classifier import LineClassifier, Token


class Announcer:
    """Gathers the lines of a section and announces what they are.

    Args:
        classifier: Reads the lines of a section.
        events: The queue that gets the events.

    Attributes:
        section: The name of the open section (a value of `kinds.BEGINS`); "" if no line can
            continue it.
        broken: Whether the text is already known to be invalid. In such a text, lines that are
            valid alone may be repaired, too, and actions are doubted.
        doubts: The doubts about actions; gets all lines that are not content.
    """

    def __init__(self, classifier: LineClassifier, events: deque[Event]) -> None:
        self.section = ""
        self.broken = False
        self.doubts = Doubts()
        self._classifier = classifier
        self._events = events
        self._mistakes = load_mistakes(classifier.dialect)
        self._writing = frozenset(classifier.dialect.verbs["writing"])
        self._lines: list[PlacedLine] = []  # of the section
        self._head = ""  # of the action: its first lines, once they are complete
        self._reasoned = False  # whether the current reasoning has a thought
        self._action: Action | None = None  # announced and not finished
        self._own_sections = bool(classifier.dialect.own_sections)
        # A custom section that may still get a block; None as soon as something else begins.
        self._own: CustomSection | None = None
        self._own_block = ""  # whether its block is `needed`, `optional`, or `open`
        self._count = 0  # of actions

    # ---- sections

    def begin(self, section: str, line: PlacedLine) -> None:
        """Begin a section; this ends the current section and action.

        Args:
            section: The name of the section.
            line: Its first line.
        """
        self.settle()
        self.finish_action()
        self.section = section
        self._lines = [line]
        self._head = ""
        self._reasoned = False
        # Most sections are one line: announce them now, and do not wait for the next line.
        if not self._classifier.grows(section, line.text):
            self.settle()

    def follow(self, line: PlacedLine) -> None:
        """Take in a further line of the section.

        Each line of reasoning is a thought and is announced at once: reasoning may be long.
        """
        if self.section != "reasoning":
            self._lines.append(line)
            return
        mark = self._lines[0]  # its line belongs to the first thought
        for node in self._classifier.read(mark.text + line.text)[-1:]:
            if isinstance(node, Thought):
                begin = line.span if self._reasoned else mark.span
                span = replace(begin, end=line.stop)
                self._parsed(replace(node, span=span))
        self._reasoned = True

    def accepts(self, kind: str, line: PlacedLine) -> bool:
        """Return whether a line belongs to the section.

        Args:
            kind: The kind of the line, if it is exact; else "".
            line: The line.
        """
        if self._classifier.follows(kind, self.section, line.text):
            return True
        # `@path: ::run` is no path, so not exact alone. It is an attribute if the head has a path.
        forms = self._classifier.dialect.forms
        if kind or self.section != "action" or "attributes" not in forms:
            return False
        # The shortest head that is one section: attributes may be many.
        if not self._head and self._classifier.read(self._text()):
            self._head = self._text()
        above = self._head or self._text()
        sections = self._classifier.read(above + line.text)
        return len(sections) == 1

    def pause(self) -> None:
        """Take in a blank line: it ends a section, unless the head of an action is incomplete."""
        # A head may be a verb alone, whose path is on a line below the blank one.
        if self.section != "action" or self._classifier.read(self._text()):
            self.settle()
            if not self.wants_content:
                self.finish_action()

    def settle(self) -> None:
        """Announce the current section: no further line belongs to it."""
        lines = self._lines
        section = self.section
        text = self._text()
        self.section = ""
        self._lines = []
        if not lines or (section == "reasoning" and self._reasoned):
            return
        span = replace(lines[0].span, end=lines[-1].stop)
        nodes = self._classifier.read(text)
        if not nodes:
            self.notice(UNREADABLE_SECTION, span)
        for node in nodes:
            if isinstance(node, Action):
                self._action = replace(node, span=span)
                self._doubt(span)
                self._events.append(ActionStarted(self._count, self._action))
                self._count += 1
            elif not isinstance(node, Skipped):
                self._parsed(replace(node, span=span))

    def _text(self) -> str:
        return "".join(line.text for line in self._lines)

    def wrapped_thought(self, line: PlacedLine) -> None:
        """Announce a line that continues the thought above it, as a separate thought."""
        self.notice(WRAPPED_THOUGHT, line.span)
        self._parsed(Thought(line.text.strip(), line.span))

    def _parsed(self, section: Thought | Vitals | Question | ErrorNote | CustomSection) -> None:
        """Announce a section that is not an action."""
        self.doubts.pass_over(section.span)
        self._events.append(SectionParsed(section))

    def own(self, node: CustomSection, lines: Sequence[PlacedLine], block: str) -> None:
        """Announce a custom section, or keep it until its block is there.

        Args:
            node: The section, without the block that ends it.
            lines: The lines of the section, at least one.
            block: Whether a block is "needed" or "optional"; "" if the section has none.
        """
        text = "".join([line.text for line in lines]).rstrip("\n").rstrip("\r")
        span = replace(lines[0].span, end=lines[-1].stop)
        self._own = replace(node, text=text, span=span)
        self._own_block = block
        if not block:
            self.finish_action()

    def open_own(self) -> None:
        """Announce the beginning of a block, if the current section is a custom one."""
        if self._own is not None:
            self._own_block = "open"
            self._doubt(self._own.span)
            self._events.append(SectionStarted(replace(self._own, text="")))

    def _finish_own(
        self, completeness: Completeness, stop: int | None, content_span: Span | None
    ) -> None:
        own = self._own
        self._own = None
        if own is None:
            return
        if self._own_block == "open" and content_span is not None:
            end = content_span.end if stop is None else stop
            span = replace(own.span, end=end)
            self.doubts.end(span)
            self._events.append(SectionFinished(completeness, span, content_span))
        elif self._own_block == "needed":
            self.notice(UNREADABLE_SECTION, own.span)
        else:
            self._doubt(own.span)
            self.doubts.end(own.span)
            self._events.append(SectionParsed(own))

    # ---- the current action

    @property
    def has_action(self) -> bool:
        """Whether an action, or a section that may have a block, has begun and not ended."""
        return self._action is not None or (self._own_sections and self._own is not None)

    @property
    def wants_content(self) -> bool:
        """Whether the current action or section is one that has content."""
        if self._own_sections and self._own is not None:
            return self._own_block == "needed"
        return self._action is not None and self._action.type in self._writing

    def take_content(self, pieces: Sequence[Piece]) -> None:
        """Announce content of the current action; ignore the content of a block without one.

        Args:
            pieces: Lines of it, in order.
        """
        if self._action is not None:
            index = self._count - 1
            self._events.extend([make_delta(index, text, span) for text, span in pieces])
        elif self._own_sections and self._own is not None:
            self._events.extend([SectionContent(text, span) for text, span in pieces])

    def finish_action(
        self,
        completeness: Completeness = Completeness.COMPLETE,
        stop: int | None = None,
        content_span: Span | None = None,
    ) -> None:
        """Announce the end of the current action, if there is one.

        Args:
            completeness: Whether its content is complete.
            stop: The offset at which its block ends; None if it has no block.
            content_span: The position of its content; None if it has no block.
        """
        action = self._action
        self._action = None
        if self._own_sections:
            self._finish_own(completeness, stop, content_span)
        if action is not None:
            span = action.span if stop is None else replace(action.span, end=stop)
            self.doubts.end(span)
            self._events.append(ActionFinished(self._count - 1, completeness, span, content_span))

    # ---- diagnostics

    def note(self, token: Token, spelling: Candidate) -> None:
        """Announce the repairs of a line, a diagnostic for each rule.

        Args:
            token: The line as it was written.
            spelling: The repaired line, with the names of its rules.
        """
        self.broken = True
        for name in spelling.rules:
            rule = self._classifier.engine.rule(name)
            summary = rule.summary if rule is not None else name
            self._events.append(Noticed(Diagnostic(name, summary, token.line.span, Severity.NOTE)))

    def _doubt(self, span: Span) -> None:
        """Announce the doubt about an action that begins now, unless the text may be valid."""
        self.doubts.begin(span)
        if not self.broken:
            return
        doubt = self.doubts.judge()
        if doubt is not None:
            self._events.append(Noticed(doubt))

    def notice(self, code: str, span: Span) -> None:
        """Announce a mistake.

        Args:
            code: The code of the diagnostic.
            span: The position of the mistake.
        """
        self.broken = True
        self._events.append(Noticed(self._mistakes[code].diagnose(span)))
