"""Read the sections of a stream line by line, and put their events into a queue.

Invariant: a line of a valid text is read as the strict parser reads it
(tests/core/streaming/test_laws.py). Any other line is repaired alone, if a rule fits, or reported.
That is a guess: when the whole text is there, recovery sees all lines together and may read it in
another way. `close` lists these differences.

A line passes three stages:

1. `_collect`: in dialects whose actions take several lines, lines that may be parts of a head are
   held back and repaired together (`head_collector`).
2. `_read_in_state`: by the state (`states.SectionState`), a block, a custom section or a section
   of thinking takes the line.
3. `_take`: an exact line continues the open section, begins one, or is a delimiter. Any other line
   is repaired (`_repair`) and passes this stage again, once.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from ..document import Completeness
from ..grammar.codes import (
    CLOSER_FOR_OPENER,
    FENCE_FOR_OPENER,
    MISSING_OPENER,
    PROSE,
    STRAY_DELIMITER,
    STRAY_FENCE,
    STRAY_TAG,
    STRAY_TEXT,
    THINK,
    UNREADABLE_SECTION,
)
from ..recovery.lines.kinds import Kind
from ..recovery.lines.spelling import Candidate
from ..text.source import size
from . import kinds
from .announcer import Announcer
from .blocks import Block
from .events import Event
from .head_collector import HeadCollector
from .incoming import Incoming, PlacedLine
from .line_classifier import LineClassifier, Token
from .own_sections import OwnSection
from .states import End, SectionState

# Limits of a section of thinking whose tag may never be closed. Up to here its lines are held, to
# be read as sections then; beyond, they are thinking, whatever follows.
_MAX_LINES = 50
_MAX_LINE = 200  # characters of one line


class _Bare(NamedTuple):
    """A head without its mark: an action if a block follows."""

    token: Token
    spelling: Candidate  # the line with its mark
    command: bool  # whether it is an action, too, if no text follows


class SectionReader:
    """Reads the lines of a text in one dialect.

    Args:
        classifier: Classifies the lines.
        events: The queue that gets the events.

    Attributes:
        classifier: The same.
        state: Where the next line is.
    """

    def __init__(self, classifier: LineClassifier, events: deque[Event]) -> None:
        self.classifier = classifier
        self.state = SectionState.SECTIONS
        self.events = events
        self._announcer = Announcer(classifier, events)
        self._heads = HeadCollector(classifier)
        self._one_mark = classifier.dialect.marks["open"] == classifier.dialect.marks["close"]
        self._block: Block  # in the state BLOCK
        self._own: OwnSection  # in the state OWN
        self._own_sections = classifier.dialect.own_sections
        # The lines in REMARK; in THINKING while they are few, and empty then.
        self._held: list[Token] = []
        self._bare: _Bare | None = None
        self._after_thought = False  # whether the line above is a thought
        # The code of the current run of text that belongs to nothing: a run is reported once.
        self._text_code = ""

    # ---- states

    def read(self, line: PlacedLine) -> None:
        """Read the next line."""
        self._read(Token(line, self.classifier))

    def skim(self, incoming: Incoming) -> bool:
        """Read the next lines if they are certainly content; return whether there were any."""
        return self.state is SectionState.BLOCK and self._block.skim(incoming)

    def _read(self, token: Token) -> None:
        """Read a line; lines that may be parts of one action are held back."""
        if self.state is not SectionState.BLOCK:
            self._announcer.doubts.put(token.line)
        may_be_head = self._heads.serves and self.state is SectionState.SECTIONS
        if not (may_be_head and self._collect(token)):
            self._read_in_state(token)

    def _collect(self, token: Token) -> bool:
        """Hold a line back if it may be a part of a head; else read it after those held back."""
        kind = token.kind_in(self._announcer.section)
        if not self._heads and kind == "thought" and not self._announcer.broken:
            return False  # a line of reasoning may look like anything
        if self._heads.take(token):
            return True
        if not self._heads:
            return False
        self._release_heads(kind)
        self._read(token)
        return True

    def _release_heads(self, kind: str) -> None:
        """Read the lines held back; `kind` is the kind of the next line if it is exact, else ""."""
        for token, spelling in self._heads.release(self._announcer.broken, kind):
            if spelling is not None:
                self._write(token, spelling)
            else:
                self._read_in_state(token)

    def _read_in_state(self, token: Token) -> None:
        match self.state:
            case SectionState.BLOCK:
                end = self._block.read(token)
                if end is not None:
                    self._end_block(end)
            case SectionState.SECTIONS:
                self._take(token.kind_in(self._announcer.section), token)
            case SectionState.REMARK:
                self._read_after_remark(token)
            case SectionState.THINKING:
                self._think(token)
            case SectionState.OWN if self._own_sections:
                if not self._own.take(token):
                    self._end_own()
                    self._read(token)
                elif self._own.done:
                    self._end_own()

    def finish(self, *, cut_off: bool | None, ended: bool) -> None:
        """Read the end of the text.

        Args:
            cut_off: Whether the text was truncated; None if that is not known.
            ended: Whether its last line has an ending. Without one, and if `cut_off` is None, a
                block that is open is taken as truncated.
        """
        if self.state is SectionState.THINKING:
            self._stop_thinking()
        while self._own_sections and self.state is SectionState.OWN:
            self._end_own()
        # Each of these may read lines that were held back, and these may begin another block.
        is_cut_off = not ended if cut_off is None else cut_off
        while self._heads or self.state in (SectionState.REMARK, SectionState.BLOCK):
            if self.state is SectionState.BLOCK:
                self._end_block(self._block.finish(is_cut_off))
            elif self.state is SectionState.REMARK:
                self._read_after_remark(None)
            else:
                self._release_heads("blank")
        self._announcer.settle()
        self._drop_bare(calm=True)
        self._announcer.settle()
        self._announcer.finish_action(Completeness.TRUNCATED if cut_off else Completeness.COMPLETE)

    def _read_after_remark(self, token: Token | None) -> None:
        """Decide whether the lines held back are content: they are if this is not an opener."""
        if token is not None and token.kind == "blank":
            self._held.append(token)
            return
        is_opener = token is not None and self._is_opener(token)
        tokens = self._held
        self._held = []
        self.state = SectionState.SECTIONS
        self._read_remark(tokens, is_opener)
        if token is not None:
            self._read(token)

    def _read_remark(self, held: list[Token], is_opener: bool) -> None:
        """Read lines that were held back: a remark, or content whose opener is missing."""
        if is_opener:
            self._announcer.notice(STRAY_TEXT, held[0].line.span)
        else:
            self._announcer.notice(MISSING_OPENER, held[0].line.span)
            self._open(held[0])
            for token in held:
                self._read(token)

    def _is_opener(self, token: Token) -> bool:
        if token.kind:
            return token.kind == "open"
        return token.near in kinds.FENCES or kinds.ROLES.get(token.near) == "open"

    def _end_block(self, end: End) -> None:
        self.state = SectionState.REMARK if self._held else SectionState.SECTIONS
        self._announcer.finish_action(end.completeness, end.last.stop, self._block.content.place)
        if end.mistake:
            self._announcer.notice(end.mistake, end.last.span)
        for token in end.following:
            self._read(token)

    def _think(self, token: Token) -> None:
        if token.near is Kind.THINK_CLOSE:
            self._held = []
            self.state = SectionState.SECTIONS
        elif len(self._held) >= _MAX_LINES or size(token.text) > _MAX_LINE:
            self._held = []
        elif self._held:  # not empty: the limit was not reached before
            self._held.append(token)

    def _stop_thinking(self) -> None:
        """Read the lines of a section of thinking that is not closed as if it were not one."""
        tokens = self._held
        self._held = []
        self.state = SectionState.SECTIONS
        if not tokens:
            return
        # In dialects with a tag over thoughts, the tag of thinking may be meant as this one.
        opener = tokens[0]
        spelling = opener.candidate("reason")
        if spelling is not None and opener.with_text(spelling.text).kind == "_reason_line":
            self._write(opener, spelling)
        for token in tokens[1:]:
            self._read(token)

    # ---- sections of the dialect's own

    def _begin_own(self, token: Token) -> None:
        self._drop_bare(calm=True)
        self._announcer.settle()
        self._announcer.finish_action()
        self._text_code = ""
        self._own = OwnSection(self.classifier, token)
        self.state = SectionState.OWN
        if self._own.done:
            self._end_own()

    def _end_own(self) -> None:
        """Announce the section, and read the lines that turned out not to belong to it."""
        self.state = SectionState.SECTIONS
        lines = self._own.lines
        node, count = self._own.read()
        if node is None:
            self._take_text(lines[0])
        else:
            self._announcer.own(node, [token.line for token in lines[:count]], self._own.block)
        for token in lines[max(1, count) :]:
            self._read(token)

    # ---- lines of sections

    def _take(self, kind: str, token: Token, *, is_repaired: bool = False) -> None:
        """Take in a line of a kind; a repaired line is not repaired again."""
        after_thought = self._after_thought
        self._after_thought = False
        # A rule may change an exact head, too. In a valid text it must not.
        odd = None
        if kind in kinds.HEADS and not is_repaired and self._announcer.broken:
            odd = token.candidate("head")
        if kind == "blank":
            self._text_code = ""
            self._announcer.pause()
        elif self._announcer.accepts(kind, token.line):
            self._announcer.follow(token.line)
        elif odd is not None:
            self._drop_bare(calm=True)
            self._write(token, odd)
        elif self._own_sections and kind in self._own_sections:
            self._begin_own(token)
        elif kind in kinds.BEGINS:
            self._drop_bare(calm=True)
            self._announcer.begin(kinds.BEGINS[kind], token.line)
            self._text_code = ""
            self._after_thought = kind == "thought"
        elif kind in ("open", "close"):
            self._take_delimiter(kind, token)
        elif is_repaired:
            self._announcer.notice(UNREADABLE_SECTION, token.line.span)
        else:
            self._repair(token, after_thought)

    def _take_delimiter(self, kind: str, token: Token) -> None:
        is_ready = self._is_ready()
        if kind == "close" and is_ready and self._announcer.wants_content:
            self._announcer.notice(CLOSER_FOR_OPENER, token.line.span)
        elif kind == "close" or not is_ready:
            self._announcer.notice(STRAY_DELIMITER, token.line.span)
            if kind == "close" or self._one_mark:
                return
        # Without an action, its content is read and dropped: it must not be read as sections.
        self._open(token, token.bare)

    def _is_ready(self) -> bool:
        """Return whether a block may begin here; a bare head above it becomes an action by that."""
        if self._bare is not None:
            bare = self._bare
            self._bare = None
            self._write(bare.token, bare.spelling)
        if self._announcer.section == "action":
            self._announcer.settle()
        return self._announcer.has_action

    def _open(self, token: Token, opener: str = "", *, fence: str = "", kind: str = "") -> None:
        self._text_code = ""
        if self._own_sections:
            self._announcer.open_own()
        emit = self._announcer.take_content
        self._block = Block(self.classifier, token, emit, opener=opener, fence=fence, kind=kind)
        self.state = SectionState.BLOCK

    # ---- lines that are not exact

    def _repair(self, token: Token, after_thought: bool) -> None:
        """Take in a line that is not exact: as a rule repairs it, or as text."""
        kind = token.near
        role = kinds.ROLES.get(kind, "")
        spelling = token.candidate(role) if role else None
        if kind in kinds.FENCES:
            self._take_fence(token)
        elif kind is Kind.THINK_OPEN:
            self._announcer.settle()
            self._held = [token]
            self.state = SectionState.THINKING
            self._announcer.notice(THINK, token.line.span)
        elif kind in kinds.BARE_HEADS and spelling is not None:
            is_command = kind is Kind.BARE_COMMAND
            self._drop_bare(calm=is_command)
            # A command needs no block, so text around it is what shows that it is a sentence.
            self._bare = _Bare(token, spelling, is_command and not self._text_code)
        elif role == "open" and spelling is not None and self._is_ready():
            self._open_nearly(token, spelling, kind)
        elif spelling is not None and role != "open":
            self._drop_bare(calm=True)
            self._write(token, spelling)
        elif kind is Kind.TAG:
            self._announcer.notice(STRAY_TAG, token.line.span)
        elif after_thought and kind is Kind.TEXT:
            self._announcer.wrapped_thought(token.line)
            self._after_thought = True
        else:
            self._take_text(token)

    def _open_nearly(self, token: Token, spelling: Candidate, kind: str) -> None:
        """Open a block at a malformed opener; content may follow it on its line."""
        opener, *content = spelling.text.split("\n")
        self._announcer.note(token, spelling)
        self._open(token, opener if opener in self.classifier.dialect.fences else "", kind=kind)
        for text in content:
            self._block.add_beside_opener(text, token)

    def _write(self, token: Token, spelling: Candidate) -> None:
        """Take in a line as it is repaired; the repaired text may be several lines."""
        self._announcer.note(token, spelling)
        for text in spelling.text.split("\n"):
            # Of "closer, then action" the closer has ended the block before: it is left out.
            if text not in self.classifier.dialect.closers or self._one_mark:
                repaired = token.with_text(text)
                kind = repaired.kind_in(self._announcer.section)
                self._take(kind, repaired, is_repaired=True)

    def _take_fence(self, token: Token) -> None:
        match = token.fence
        if match is not None and self._is_ready():
            self._announcer.notice(FENCE_FOR_OPENER, token.line.span)
            self._open(token, fence=match["run"])
        else:
            self._announcer.notice(STRAY_FENCE, token.line.span)

    def _take_text(self, token: Token) -> None:
        """Take in text that belongs to nothing, or is content of a block without its opener."""
        is_prose = token.is_prose
        self._drop_bare(calm=is_prose)
        if not is_prose and self._is_ready() and self._announcer.wants_content:
            self._held = [token]
            self.state = SectionState.REMARK
            return
        self._announcer.settle()
        code = PROSE if is_prose else STRAY_TEXT
        if code != self._text_code:
            self._announcer.notice(code, token.line.span)
        self._text_code = code

    def _drop_bare(self, *, calm: bool = False) -> None:
        """Read a bare head that no block follows; `calm`: no stray text follows it, either."""
        bare = self._bare
        self._bare = None
        if bare is not None and calm and bare.command:
            self._write(bare.token, bare.spelling)
        elif bare is not None:
            self._take_text(bare.token)
