"""Lines in, events out: the sections of a stream, one after the other.

Laws: a line of a valid text is read as the strict parser reads it. Any other line is put right by itself, if the
repairs know how, or noticed; that is a guess, and the whole text may be read otherwise when it is all there.
Nothing is remembered of what was announced.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from ..diagnostics import Diagnostic, Severity
from ..document import Action, Completeness, Skipped, Thought
from ..grammar.mistakes import load_mistakes
from ..recovery.kinds import FENCE
from ..recovery.prose import looks_like_prose
from ..recovery.spelling import Candidate
from ..source import Span
from .blocks import Block, End
from .events import ActionFinished, ActionStarted, ContentDelta, Event, Noticed, SectionParsed
from .heads import HeadCollector
from .incoming import PlacedLine
from .kinds import BEGINS, BLANKS, ROLES, LineClassifier

_MOST_LINES, _LONGEST = 50, 200  # of a section of thinking that may never be closed


class SectionReader:
    """Reads the lines of a text in one dialect; the events that come of them are put into `events`."""

    def __init__(self, classifier: LineClassifier, events: deque[Event]) -> None:
        self.classifier = classifier
        self.events = events
        self._mistakes = load_mistakes(classifier.dialect)
        self._writing = frozenset(classifier.dialect.verbs["writing"])
        self._one_mark = classifier.dialect.marks["open"] == classifier.dialect.marks["close"]
        self._heads = HeadCollector(classifier)
        self._broken = False  # whether the text is known not to be valid
        self._section = ""  # the one that may go on, and its lines
        self._lines: list[PlacedLine] = []
        self._reasoned = False  # whether the reasoning at hand has a thought
        self._count = 0  # of actions
        self._action: Action | None = None  # announced and not finished
        self._block: Block | None = None
        self._bare: tuple[PlacedLine, Candidate] | None = (
            None  # an action if a block follows, a command if no text does
        )
        self._commands = False  # whether it is a command
        self._thinking = False
        self._thought: list[PlacedLine] = []  # the section of thinking, while it is short: it may never be closed
        self._remark: list[PlacedLine] = []  # below a head that wants a block: a remark, or the block without an opener
        self._after_thought = False
        self._text_code = ""  # of the run of text that belongs to nothing: it is noticed once

    # ---- lines

    def read(self, line: PlacedLine) -> None:
        """Read the next line."""
        within = self._block is not None or self._thinking or self._remark
        if within or not self._heads.serves or not self._collect(line):
            self._read(line)

    def _read(self, line: PlacedLine) -> None:
        if self._block is not None:
            end = self._block.read(line)
            if end is not None:
                self._end_block(self._block, end)
        elif self._thinking:
            self._think(line)
        elif self._remark:
            self._read_behind_remark(line)
        else:
            self._take(self.classifier.tell(line.text, self._section), line)

    def _collect(self, line: PlacedLine) -> bool:
        """Hold a line back that may be a part of an action; read those held back before any other line."""
        exact = self.classifier.tell(line.text, self._section)
        if not self._heads and exact == "thought" and not self._broken:
            return False  # a line of reasoning may look like anything
        if self._heads.take(line, self.classifier.near(line.text)):
            return True
        if not self._heads:
            return False
        self._release_heads(exact)
        self.read(line)
        return True

    def _release_heads(self, exact: str) -> None:
        """Read the lines held back; `exact` is the kind of the line behind them."""
        for line, spelling in self._heads.release(self._broken, exact):
            if spelling is not None:
                self._write(line, spelling)
            else:
                self._read(line)

    def finish(self, *, cut_off: bool | None, ended: bool) -> None:
        """Read the end of the text; `ended` tells whether its last line had an ending."""
        self._stop_thinking()
        while self._heads or self._remark or self._block is not None:
            if self._block is not None:
                self._end_block(self._block, self._block.finish(not ended if cut_off is None else cut_off))
            elif self._remark:
                self._read_behind_remark(None)
            else:
                self._release_heads("blank")
        self._settle()
        self._drop_bare(calm=True)
        self._settle()
        self._finish_action(Completeness.TRUNCATED if cut_off else Completeness.COMPLETE)

    def _take(self, kind: str, line: PlacedLine, *, respelt: bool = False) -> None:
        """Take in a line of a kind; one that was respelt is not respelt again."""
        after_thought, self._after_thought = self._after_thought, False
        if kind == "blank":
            self._take_blank()
        elif self.classifier.follows(kind, self._section, line.text):
            self._follow(line)
        elif kind in BEGINS:
            self._drop_bare(calm=True)
            self._begin(BEGINS[kind], line)
        elif kind == "open" and self._is_ready():
            self._open(line, line.text.rstrip(BLANKS))
        elif kind in ("open", "close"):
            self._take_stray(kind, line)
        elif respelt:
            self._notice("unreadable-section", line.span)
        else:
            self._respell(line, after_thought)

    def _take_blank(self) -> None:
        self._text_code = ""
        if self._section == "action" and not self.classifier.read(self._text()):
            return  # a part of the head may still come
        self._settle()
        if self._action is not None and self._action.type not in self._writing:
            self._finish_action()

    def _take_stray(self, kind: str, line: PlacedLine) -> None:
        if kind == "close" and self._is_ready() and self._action is not None and self._action.type in self._writing:
            self._notice("closer-for-opener", line.span)
            self._open(line, line.text.rstrip(BLANKS))
            return
        self._notice("stray-delimiter", line.span)
        if kind == "open" and not self._one_mark:
            self._open(line, line.text.rstrip(BLANKS))  # a block of nothing

    # ---- sections

    def _begin(self, section: str, line: PlacedLine) -> None:
        self._settle()
        self._finish_action()
        self._text_code = ""
        self._section, self._lines, self._reasoned = section, [line], False
        if not self.classifier.grows(section, line.text):
            self._settle()
        self._after_thought = section == "thought"

    def _follow(self, line: PlacedLine) -> None:
        if self._section != "reasoning":
            self._lines.append(line)
            return
        mark = self._lines[0]  # its line belongs to the first thought
        for node in self.classifier.read(mark.text + line.text)[-1:]:
            if isinstance(node, Thought):
                begin = line.span if self._reasoned else mark.span
                self.events.append(SectionParsed(replace(node, span=replace(begin, end=line.stop))))
        self._reasoned = True

    def _text(self) -> str:
        return "".join(line.text for line in self._lines)

    def _settle(self) -> None:
        """Announce the section at hand: nothing goes on with it."""
        lines, section, text = self._lines, self._section, self._text()
        self._section, self._lines = "", []
        if not lines or (section == "reasoning" and self._reasoned):
            return
        span = replace(lines[0].span, end=lines[-1].stop)
        found = self.classifier.read(text)
        if not found:
            self._notice("unreadable-section", span)
        for node in found:
            if isinstance(node, Action):
                self._action = replace(node, span=span)
                self.events.append(ActionStarted(self._count, self._action))
                self._count += 1
            elif not isinstance(node, Skipped):
                self.events.append(SectionParsed(replace(node, span=span)))

    def _finish_action(self, completeness: Completeness = Completeness.COMPLETE) -> None:
        action, self._action = self._action, None
        if action is not None:
            self.events.append(ActionFinished(self._count - 1, completeness, action.span))

    # ---- blocks

    def _is_ready(self) -> bool:
        """Whether a block may begin here."""
        if self._bare is not None:
            (line, spelling), self._bare = self._bare, None
            self._write(line, spelling)
        if self._section == "action":
            self._settle()
        return self._action is not None

    def _open(self, line: PlacedLine, opener: str = "", *, fence: str = "", kind: str = "") -> Block:
        self._text_code = ""
        self._block = Block(self.classifier, line, self._emit, opener=opener, fence=fence, kind=kind)
        return self._block

    def _emit(self, text: str, span: Span) -> None:
        if self._action is not None:
            self.events.append(ContentDelta(self._count - 1, text, span))

    def _end_block(self, block: Block, end: End) -> None:
        action, self._action, self._block = self._action, None, None
        if action is not None:
            span = replace(action.span, end=end.last.stop)
            self.events.append(ActionFinished(self._count - 1, end.completeness, span, block.place))
        if end.mistake:
            self._notice(end.mistake, end.last.span)
        for line in end.behind:
            self.read(line)

    # ---- lines that are not exact

    def _respell(self, line: PlacedLine, after_thought: bool) -> None:
        kind = self.classifier.near(line.text)
        role = ROLES.get(kind, "")
        spelling = self.classifier.candidate(line.text, role) if role else None
        if kind in ("FENCE", "FENCE_INFO"):
            self._take_fence(line)
        elif kind == "THINK_OPEN":
            self._settle()
            self._thinking, self._thought = True, [line]
            self._notice("think", line.span)
        elif kind in ("BARE_ACTION", "BARE_COMMAND") and spelling is not None:
            self._drop_bare(calm=kind == "BARE_COMMAND")
            self._bare, self._commands = (line, spelling), kind == "BARE_COMMAND" and not self._text_code
        elif role == "open" and spelling is not None and self._is_ready():
            opener, *rest = spelling.text.split("\n")
            self._note(line, spelling)
            block = self._open(line, opener if opener in self.classifier.dialect.fences else "", kind=kind)
            for text in rest:
                block.say(text, line)
        elif spelling is not None and role != "open":
            self._drop_bare(calm=True)
            self._write(line, spelling)
        elif kind == "TAG":
            self._notice("stray-tag", line.span)
        elif after_thought and kind == "TEXT":
            self._notice("wrapped-thought", line.span)
            self.events.append(SectionParsed(Thought(line.text.strip(), line.span)))
            self._after_thought = True
        else:
            self._take_text(line)

    def _write(self, line: PlacedLine, spelling: Candidate) -> None:
        """Take in a line as it is respelt; the spelling may be several lines."""
        self._note(line, spelling)
        for text in spelling.text.split("\n"):
            if text not in self.classifier.dialect.closers or self._one_mark:
                self._take(
                    self.classifier.tell(text + "\n", self._section), line._replace(text=text + "\n"), respelt=True
                )

    def _think(self, line: PlacedLine) -> None:
        self._thinking = self.classifier.near(line.text) != "THINK_CLOSE"
        if not self._thinking or len(self._thought) >= _MOST_LINES or len(line.text) > _LONGEST:
            self._thought = []
        elif self._thought:
            self._thought.append(line)

    def _stop_thinking(self) -> None:
        """Read a section of thinking that nothing closes as what it holds; its tag may be one over thoughts."""
        held, self._thought, self._thinking = self._thought, [], False
        if held:
            spelling = self.classifier.candidate(held[0].text, "reason")
            if spelling is not None and self.classifier.tell(spelling.text + "\n") == "_reason_line":
                self._write(held[0], spelling)
            for line in held[1:]:
                self.read(line)

    def _take_fence(self, line: PlacedLine) -> None:
        match = FENCE.fullmatch(line.text.rstrip("\n"))
        if match is not None and self._is_ready():
            self._notice("fence-for-opener", line.span)
            self._open(line, fence=match[1])
        else:
            self._notice("stray-fence", line.span)

    def _take_text(self, line: PlacedLine) -> None:
        """Take in text that belongs to nothing, or is the content of a block whose opener is missing."""
        prose = looks_like_prose(line.text)
        self._drop_bare(calm=prose)
        if not prose and self._is_ready() and self._action is not None and self._action.type in self._writing:
            self._remark = [line]
            return
        self._settle()
        code = "prose" if prose else "stray-text"
        if code != self._text_code:
            self._notice(code, line.span)
        self._text_code = code

    def _read_behind_remark(self, line: PlacedLine | None) -> None:
        """Tell by the next line what stands below a head that wants a block: a remark if an opener follows."""
        kind = self.classifier.tell(line.text) if line is not None else ""
        if line is not None and kind == "blank":
            self._remark.append(line)
            return
        held, self._remark = self._remark, []
        if line is not None and (kind == "open" or (not kind and self._opens_nearly(line))):
            self._notice("stray-text", held[0].span)
            self.read(line)
            return
        self._notice("missing-opener", held[0].span)
        self._open(held[0])
        for each in (*held, line):
            if each is not None:
                self.read(each)

    def _opens_nearly(self, line: PlacedLine) -> bool:
        kind = self.classifier.near(line.text)
        return kind in ("FENCE", "FENCE_INFO") or ROLES.get(kind) == "open"

    def _drop_bare(self, *, calm: bool = False) -> None:
        """Read a line that is an action only if its neighbours support it; `calm` tells that no text stands below."""
        if self._bare is not None:
            (line, spelling), self._bare = self._bare, None
            if calm and self._commands:
                self._write(line, spelling)
            else:
                self._take_text(line)

    def _note(self, line: PlacedLine, spelling: Candidate) -> None:
        self._broken = True
        for name in spelling.rules:
            rule = self.classifier.engine.rule(name)
            summary = rule.summary if rule is not None else name
            self.events.append(Noticed(Diagnostic(name, summary, line.span, Severity.NOTE)))

    def _notice(self, code: str, span: Span) -> None:
        self._broken = True
        self.events.append(Noticed(self._mistakes[code].diagnose(span)))
