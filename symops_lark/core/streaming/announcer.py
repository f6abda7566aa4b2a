"""The section and the action at hand, and the events that come of them. Nothing of what is announced is kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from ..document import Action, Completeness, CustomSection, Skipped, Thought
from ..grammar.codes import UNREADABLE_SECTION, WRAPPED_THOUGHT
from ..grammar.mistakes import load_mistakes
from ..recovery.lines.spelling import Candidate
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import Span
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
    """Gathers the lines of a section, and puts events into `events`."""

    def __init__(self, classifier: LineClassifier, events: deque[Event]) -> None:
        self.section = ""  # the name of the one that may go on
        self.broken = False  # whether the text is known not to be valid
        self._classifier = classifier
        self._events = events
        self._mistakes = load_mistakes(classifier.dialect)
        self._writing = frozenset(classifier.dialect.verbs["writing"])
        self._lines: list[PlacedLine] = []  # of the section
        self._reasoned = False  # whether the reasoning at hand has a thought
        self._action: Action | None = None  # announced and not finished
        self._own_sections = bool(classifier.dialect.own_sections)
        self._own: CustomSection | None = None  # one that may have a block, while nothing else has begun
        self._own_block = ""  # whether its block is `needed`, `optional`, or `open`
        self._count = 0  # of actions

    # ---- sections

    def begin(self, section: str, line: PlacedLine) -> None:
        """Begin a section; nothing goes on with what is at hand."""
        self.settle()
        self.finish_action()
        self.section, self._lines, self._reasoned = section, [line], False
        if not self._classifier.grows(section, line.text):
            self.settle()

    def follow(self, line: PlacedLine) -> None:
        """Take in a further line of the section; each line of reasoning is a thought, announced at once."""
        if self.section != "reasoning":
            self._lines.append(line)
            return
        mark = self._lines[0]  # its line belongs to the first thought
        for node in self._classifier.read(mark.text + line.text)[-1:]:
            if isinstance(node, Thought):
                begin = line.span if self._reasoned else mark.span
                self._events.append(SectionParsed(replace(node, span=replace(begin, end=line.stop))))
        self._reasoned = True

    def pause(self) -> None:
        """Take in a blank line: a section ends, unless a part of an action's head may still come."""
        if self.section != "action" or self._classifier.read(self._text()):
            self.settle()
            if not self.wants_content:
                self.finish_action()

    def settle(self) -> None:
        """Announce the section at hand: nothing goes on with it."""
        lines, section, text = self._lines, self.section, self._text()
        self.section, self._lines = "", []
        if not lines or (section == "reasoning" and self._reasoned):
            return
        span = replace(lines[0].span, end=lines[-1].stop)
        found = self._classifier.read(text)
        if not found:
            self.notice(UNREADABLE_SECTION, span)
        for node in found:
            if isinstance(node, Action):
                self._action = replace(node, span=span)
                self._events.append(ActionStarted(self._count, self._action))
                self._count += 1
            elif not isinstance(node, Skipped):
                self._events.append(SectionParsed(replace(node, span=span)))

    def _text(self) -> str:
        return "".join(line.text for line in self._lines)

    def wrapped_thought(self, line: PlacedLine) -> None:
        """Announce a line that goes on with the thought above it as a thought of its own."""
        self.notice(WRAPPED_THOUGHT, line.span)
        self._events.append(SectionParsed(Thought(line.text.strip(), line.span)))

    def own(self, node: CustomSection, lines: Sequence[PlacedLine], block: str) -> None:
        """Announce a section of the dialect's own, which stands on these lines; one that may have a `block` later."""
        text = "".join([line.text for line in lines]).rstrip("\n").rstrip("\r")
        self._own = replace(node, text=text, span=replace(lines[0].span, end=lines[-1].stop))
        self._own_block = block
        if not block:
            self.finish_action()

    def open_own(self) -> None:
        """Announce that the block of a section begins, if it is one of the dialect's own that may have one."""
        if self._own is not None:
            self._own_block = "open"
            self._events.append(SectionStarted(replace(self._own, text="")))

    def _finish_own(self, completeness: Completeness, stop: int | None, content_span: Span | None) -> None:
        own, self._own = self._own, None
        if own is None:
            return
        if self._own_block == "open" and content_span is not None:
            span = replace(own.span, end=content_span.end if stop is None else stop)
            self._events.append(SectionFinished(completeness, span, content_span))
        elif self._own_block == "needed":
            self.notice(UNREADABLE_SECTION, own.span)
        else:
            self._events.append(SectionParsed(own))

    # ---- the action at hand

    @property
    def has_action(self) -> bool:
        """Whether an action, or a section that may have a block, is begun and not finished."""
        return self._action is not None or (self._own_sections and self._own is not None)

    @property
    def wants_content(self) -> bool:
        """Whether the action or section at hand is one that has content."""
        if self._own_sections and self._own is not None:
            return self._own_block == "needed"
        return self._action is not None and self._action.type in self._writing

    def take_content(self, text: str, span: Span) -> None:
        """Announce content of the action; that of a block without an action is nothing."""
        if self._action is not None:
            self._events.append(make_delta(self._count - 1, text, span))
        elif self._own_sections and self._own is not None:
            self._events.append(SectionContent(text, span))

    def finish_action(
        self,
        completeness: Completeness = Completeness.COMPLETE,
        stop: int | None = None,
        content_span: Span | None = None,
    ) -> None:
        """Announce the end of the action, if there is one; `stop` is the offset at which its block ends."""
        action, self._action = self._action, None
        if self._own_sections:
            self._finish_own(completeness, stop, content_span)
        if action is not None:
            span = action.span if stop is None else replace(action.span, end=stop)
            self._events.append(ActionFinished(self._count - 1, completeness, span, content_span))

    # ---- diagnostics

    def note(self, token: Token, spelling: Candidate) -> None:
        """Announce the repairs of a line."""
        self.broken = True
        for name in spelling.rules:
            rule = self._classifier.engine.rule(name)
            summary = rule.summary if rule is not None else name
            self._events.append(Noticed(Diagnostic(name, summary, token.line.span, Severity.NOTE)))

    def notice(self, code: str, span: Span) -> None:
        """Announce a mistake."""
        self.broken = True
        self._events.append(Noticed(self._mistakes[code].diagnose(span)))
