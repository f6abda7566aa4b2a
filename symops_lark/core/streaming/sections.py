"""Lines in, events out: the sections of a stream, one after the other.

Laws: a line of a valid text is read as the strict parser reads it. Any other line is put right by itself, if the
repairs know how, or noticed; that is a guess, and the whole text may be read otherwise when it is all there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from enum import Enum, auto
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
from .blocks import Block, End
from .events import Event
from .head_collector import HeadCollector
from .incoming import Incoming, PlacedLine
from .line_classifier import LineClassifier, Token
from .own_sections import OwnSection


class State(Enum):
    """Where a line can stand."""

    SECTIONS = auto()  # in a section that may go on, or between two
    REMARK = auto()  # below a head that wants a block, and below a line that is no opener: a remark, or content
    BLOCK = auto()
    THINKING = auto()  # in a section of thinking in tags
    OWN = auto()  # in a section of the dialect's own


MOVES: Mapping[State, frozenset[State]] = {  # the tests hold the reader to it
    State.SECTIONS: frozenset((State.REMARK, State.BLOCK, State.THINKING, State.OWN)),
    State.REMARK: frozenset((State.SECTIONS, State.REMARK, State.BLOCK)),
    State.BLOCK: frozenset((State.SECTIONS, State.REMARK)),  # the latter where a misspelt head opened it
    State.THINKING: frozenset((State.SECTIONS,)),
    State.OWN: frozenset((State.SECTIONS,)),
}
_MOST_LINES, _LONGEST = 50, 200  # of a section of thinking that may never be closed


class _Bare(NamedTuple):
    """A line that is an action if a block follows, and a command (`command`) if no text does."""

    token: Token
    spelling: Candidate
    command: bool


class SectionReader:
    """Reads the lines of a text in one dialect; the events that come of them are put into `events`."""

    def __init__(self, classifier: LineClassifier, events: deque[Event]) -> None:
        self.classifier = classifier
        self.state = State.SECTIONS
        self._announcer = Announcer(classifier, events)
        self._heads = HeadCollector(classifier)
        self._one_mark = classifier.dialect.marks["open"] == classifier.dialect.marks["close"]
        self._block: Block  # of the state BLOCK
        self._own: OwnSection  # of the state OWN
        self._own_sections = classifier.dialect.own_sections
        self._held: list[Token] = []  # the lines of REMARK, or of THINKING while they are few: it may never be closed
        self._bare: _Bare | None = None
        self._after_thought = False
        self._text_code = ""  # of the run of text that belongs to nothing: it is noticed once

    # ---- states

    def read(self, line: PlacedLine) -> None:
        """Read the next line."""
        self._read(Token(line, self.classifier))

    def skim(self, incoming: Incoming) -> bool:
        """Read the next lines if they are surely content; return whether there were any."""
        return self.state is State.BLOCK and self._block.skim(incoming)

    def _read(self, token: Token) -> None:
        """Read a line; those that may be parts of one action are held back, to be told together."""
        if not (self._heads.serves and self.state is State.SECTIONS and self._collect(token)):
            self._read_in_state(token)

    def _collect(self, token: Token) -> bool:
        """Hold a line back that may be a part of an action; read those held back before any other line."""
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
        """Read the lines held back; `kind` is that of the line behind them, if it is exact."""
        for token, spelling in self._heads.release(self._announcer.broken, kind):
            if spelling is not None:
                self._write(token, spelling)
            else:
                self._read_in_state(token)

    def _read_in_state(self, token: Token) -> None:
        match self.state:
            case State.BLOCK:
                end = self._block.read(token)
                if end is not None:
                    self._end_block(end)
            case State.SECTIONS:
                self._take(token.kind_in(self._announcer.section), token)
            case State.REMARK:
                self._read_behind_remark(token)
            case State.THINKING:
                self._think(token)
            case State.OWN if self._own_sections:
                if not self._own.take(token):
                    self._end_own()
                    self._read(token)
                elif self._own.done:
                    self._end_own()

    def finish(self, *, cut_off: bool | None, ended: bool) -> None:
        """Read the end of the text; `ended` says whether its last line had an ending."""
        if self.state is State.THINKING:
            self._stop_thinking()
        while self._own_sections and self.state is State.OWN:
            self._end_own()
        while self._heads or self.state in (State.REMARK, State.BLOCK):
            if self.state is State.BLOCK:
                self._end_block(self._block.finish(not ended if cut_off is None else cut_off))
            elif self.state is State.REMARK:
                self._read_behind_remark(None)
            else:
                self._release_heads("blank")
        self._announcer.settle()
        self._drop_bare(calm=True)
        self._announcer.settle()
        self._announcer.finish_action(Completeness.TRUNCATED if cut_off else Completeness.COMPLETE)

    def _read_behind_remark(self, token: Token | None) -> None:
        """Decide by the next line what the ones held back are: a remark if an opener follows, or else content."""
        if token is not None and token.kind == "blank":
            self._held.append(token)
            return
        held, self._held, self.state = self._held, [], State.SECTIONS
        if token is not None and (token.kind == "open" or (not token.kind and self._opens_nearly(token))):
            self._announcer.notice(STRAY_TEXT, held[0].line.span)
            held = []
        else:
            self._announcer.notice(MISSING_OPENER, held[0].line.span)
            self._open(held[0])
        for each in (*held, token):
            if each is not None:
                self._read(each)

    def _opens_nearly(self, token: Token) -> bool:
        return token.near in kinds.FENCES or kinds.ROLES.get(token.near) == "open"

    def _end_block(self, end: End) -> None:
        self.state = State.REMARK if self._held else State.SECTIONS
        self._announcer.finish_action(end.completeness, end.last.stop, self._block.content.place)
        if end.mistake:
            self._announcer.notice(end.mistake, end.last.span)
        for token in end.behind:
            self._read(token)

    def _think(self, token: Token) -> None:
        if token.near is Kind.THINK_CLOSE:
            self._held, self.state = [], State.SECTIONS
        elif len(self._held) >= _MOST_LINES or size(token.text) > _LONGEST:
            self._held = []
        elif self._held:
            self._held.append(token)

    def _stop_thinking(self) -> None:
        """Read a section of thinking that nothing closes as what it holds; its tag may be one over thoughts."""
        held, self._held, self.state = self._held, [], State.SECTIONS
        if held:
            spelling = held[0].candidate("reason")
            if spelling is not None and held[0].respelt(spelling.text).kind == "_reason_line":
                self._write(held[0], spelling)
            for token in held[1:]:
                self._read(token)

    # ---- sections of the dialect's own

    def _begin_own(self, token: Token) -> None:
        self._drop_bare(calm=True)
        self._announcer.settle()
        self._announcer.finish_action()
        self._text_code = ""
        self._own, self.state = OwnSection(self.classifier, token), State.OWN
        if self._own.done:
            self._end_own()

    def _end_own(self) -> None:
        """Announce the section; lines that turn out not to belong to it are read by themselves."""
        self.state = State.SECTIONS
        lines = self._own.lines
        node, count = self._own.read()
        if node is None:
            self._take_text(lines[0])
        else:
            self._announcer.own(node, [token.line for token in lines[:count]], self._own.block)
        for token in lines[max(1, count) :]:
            self._read(token)

    # ---- lines of sections

    def _take(self, kind: str, token: Token, *, respelt: bool = False) -> None:
        """Take in a line of a kind; one that was respelt is not respelt again."""
        after_thought, self._after_thought = self._after_thought, False
        if kind == "blank":
            self._text_code = ""
            self._announcer.pause()
        elif self.classifier.follows(kind, self._announcer.section, token.text):
            self._announcer.follow(token.line)
        elif kind in kinds.HEADS and not respelt and self._announcer.broken and (odd := token.candidate("head")):
            self._drop_bare(calm=True)
            self._write(token, odd)
        elif self._own_sections and kind in self._own_sections:
            self._begin_own(token)
        elif kind in kinds.BEGINS:
            self._drop_bare(calm=True)
            self._announcer.begin(kinds.BEGINS[kind], token.line)
            self._text_code, self._after_thought = "", kind == "thought"
        elif kind in ("open", "close"):
            self._take_delimiter(kind, token)
        elif respelt:
            self._announcer.notice(UNREADABLE_SECTION, token.line.span)
        else:
            self._respell(token, after_thought)

    def _take_delimiter(self, kind: str, token: Token) -> None:
        ready = self._is_ready()
        if kind == "close" and ready and self._announcer.wants_content:
            self._announcer.notice(CLOSER_FOR_OPENER, token.line.span)
        elif kind == "close" or not ready:
            self._announcer.notice(STRAY_DELIMITER, token.line.span)
            if kind == "close" or self._one_mark:
                return
        self._open(token, token.bare)  # without an action, a block of nothing

    def _is_ready(self) -> bool:
        """Return whether a block may begin here."""
        if self._bare is not None:
            bare, self._bare = self._bare, None
            self._write(bare.token, bare.spelling)
        if self._announcer.section == "action":
            self._announcer.settle()
        return self._announcer.has_action

    def _open(self, token: Token, opener: str = "", *, fence: str = "", kind: str = "") -> None:
        self._text_code = ""
        if self._own_sections:
            self._announcer.open_own()
        self._block = Block(self.classifier, token, self._announcer.take_content, opener=opener, fence=fence, kind=kind)
        self.state = State.BLOCK

    # ---- lines that are not exact

    def _respell(self, token: Token, after_thought: bool) -> None:
        kind = token.near
        role = kinds.ROLES.get(kind, "")
        spelling = token.candidate(role) if role else None
        if kind in kinds.FENCES:
            self._take_fence(token)
        elif kind is Kind.THINK_OPEN:
            self._announcer.settle()
            self._held, self.state = [token], State.THINKING
            self._announcer.notice(THINK, token.line.span)
        elif kind in kinds.BARE_HEADS and spelling is not None:
            self._drop_bare(calm=kind is Kind.BARE_COMMAND)
            self._bare = _Bare(token, spelling, kind is Kind.BARE_COMMAND and not self._text_code)
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
        opener, *rest = spelling.text.split("\n")
        self._announcer.note(token, spelling)
        self._open(token, opener if opener in self.classifier.dialect.fences else "", kind=kind)
        for text in rest:
            self._block.say(text, token)

    def _write(self, token: Token, spelling: Candidate) -> None:
        """Take in a line as it is respelt; the spelling may be several lines."""
        self._announcer.note(token, spelling)
        for text in spelling.text.split("\n"):
            if text not in self.classifier.dialect.closers or self._one_mark:
                respelt = token.respelt(text)
                self._take(respelt.kind_in(self._announcer.section), respelt, respelt=True)

    def _take_fence(self, token: Token) -> None:
        match = token.fence
        if match is not None and self._is_ready():
            self._announcer.notice(FENCE_FOR_OPENER, token.line.span)
            self._open(token, fence=match["run"])
        else:
            self._announcer.notice(STRAY_FENCE, token.line.span)

    def _take_text(self, token: Token) -> None:
        """Take in text that belongs to nothing, or is the content of a block whose opener is missing."""
        prose = token.is_prose
        self._drop_bare(calm=prose)
        if not prose and self._is_ready() and self._announcer.wants_content:
            self._held, self.state = [token], State.REMARK
            return
        self._announcer.settle()
        code = PROSE if prose else STRAY_TEXT
        if code != self._text_code:
            self._announcer.notice(code, token.line.span)
        self._text_code = code

    def _drop_bare(self, *, calm: bool = False) -> None:
        """Read a line that is an action only if its neighbours support it; `calm` says that no text stands below."""
        if self._bare is not None:
            bare, self._bare = self._bare, None
            if calm and bare.command:
                self._write(bare.token, bare.spelling)
            else:
                self._take_text(bare.token)
