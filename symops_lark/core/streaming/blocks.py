"""An open content block: its lines out at once, until what ends it.

A block that is opened exactly ends as the grammar says: at the closer that belongs to its opener. Lines that may stand
behind a forgotten closer (blank ones, sections, what is nearly a closer) are held back, a bounded number of them, until
the next line tells: an opener below a head is the next action's, because no content has one alone on a line.
Where opener and closer are one mark, and where both are misspelt, the line behind the closer tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from ..document import Completeness
from ..grammar.codes import DELIMITER_FOR_FENCE, MISSING_CLOSER, MISSING_CLOSER_AT_END, NEAR_CLOSER
from ..ground.members import coerce_members
from ..recovery.lines.kinds import Kind
from ..text.source import Span
from . import kinds
from .content import Content
from .held_lines import HeldLines
from .incoming import Incoming, PlacedLine
from .line_classifier import LineClassifier, Token


class State(Enum):
    """Where a line can stand."""

    EXACT = auto()  # in a block that is opened as the grammar wants it
    LENIENT = auto()  # in one whose opener is misspelt or missing: what is nearly a closer may end it
    FENCE = auto()  # between Markdown fences
    SAME_MARK = auto()  # below a head in an exact block, and a mark that closes this block or opens the next one
    MAYBE_CLOSED = auto()  # below what is nearly a closer, or a delimiter between fences


MOVES: Mapping[State, frozenset[State]] = {  # the tests hold the block to it
    State.EXACT: frozenset((State.EXACT, State.SAME_MARK)),
    State.LENIENT: frozenset((State.EXACT, State.MAYBE_CLOSED)),
    State.FENCE: frozenset((State.EXACT, State.MAYBE_CLOSED)),
    State.SAME_MARK: frozenset(),
    State.MAYBE_CLOSED: frozenset((State.LENIENT, State.FENCE)),
}
_MOST_LINES, _MOST_CHARACTERS = 50, 5_000  # held back at most


@dataclass(slots=True)
class End:
    """How a block ended: whether all of it is there, its last line, the lines that turned out to stand behind it."""

    completeness: Completeness
    last: PlacedLine
    behind: list[Token] = field(default_factory=list)
    mistake: str = ""

    def __post_init__(self) -> None:
        coerce_members(self)


class Block:
    """A block between delimiters, or (`fence`) between Markdown fences, or (no `opener`) below nothing.

    `kind` is that of a misspelt opener: then what is misspelt in the same way closes the block, and if the opener is
    indented, so is the content.
    """

    def __init__(
        self,
        classifier: LineClassifier,
        begin: Token,
        emit: Callable[[str, Span], None],
        *,
        opener: str = "",
        fence: str = "",
        kind: str = "",
    ) -> None:
        self._classifier = classifier
        self._dialect = classifier.dialect
        self._own_sections = classifier.dialect.own_sections
        self._fence, self._depth = fence, 0  # of the fences in a fence
        self._near_delims = kind in kinds.DELIMS  # what is nearly a delimiter of either kind may close the block
        self._leans = bool(kind) and begin.leaning < 0
        self._labelled = "lines" in self._dialect.forms and bool(kind)  # a label may stand over the opening tag
        self.content = Content(begin.line, emit, begin.bare.removesuffix(begin.bare.lstrip(" \t")) if kind else "")
        self._held = HeldLines()
        self._closer: Token  # of the states SAME_MARK and MAYBE_CLOSED: the line that may be one
        lenient = bool(kind) or not opener
        self._sure = lenient and bool(opener) and begin.delimiters[0] == opener  # of the length of the opener
        self._set_delimiters(opener, State.FENCE if fence else State.LENIENT if lenient else State.EXACT)

    def _set_delimiters(self, opener: str, state: State) -> None:
        fences = self._dialect.fences
        swapped = opener in self._dialect.closers and opener not in fences
        if swapped:
            closers = frozenset(mark for mark, closers in fences.items() if opener in closers)
        elif state is State.EXACT or self._sure:
            closers = frozenset(fences[opener])
        else:
            closers = self._dialect.closers
        self.state, self._opener, self._closers, self._starts = state, opener, closers, tuple(closers)
        # Whether a line of words is content unless it is nearly a closer, and all of it.
        plainly = state is not State.LENIENT or (bool(opener) and not self._sure)
        self._skims = plainly and not self.content.indent
        self._same = swapped or opener in closers  # what closes the block may open the next one

    # ---- states

    def read(self, token: Token) -> End | None:
        """Read the next line; return the end of the block if it has ended."""
        if self.content.begin is None:
            self.content.begin = replace(token.line.span, end=token.line.start)
        match self.state:
            case State.EXACT:
                return self._read_exact(token)
            case State.LENIENT:
                return self._read_lenient(token)
            case State.FENCE:
                return self._read_in_fence(token)
            case State.SAME_MARK:
                return self._read_behind_same_mark(token)
            case State.MAYBE_CLOSED:
                return self._read_behind_near_closer(token)

    def skim(self, incoming: Incoming) -> bool:
        """Read the next lines that are surely content, all at once; return whether there were any."""
        waits = self.state in (State.SAME_MARK, State.MAYBE_CLOSED)
        if waits or not self._skims or self.content.first is None or self._held.nearly_close:
            return False
        lines = incoming.see_lines(self._classifier.run_of_words, self._starts)
        lines = lines[: self._classifier.count_harmless(lines)]
        while lines and not lines[-1].strip(" \t\r"):
            lines.pop()  # what follows blank lines tells whether they are content
        if lines:
            self._release()
            start, number = incoming.take_lines(lines)
            self.content.add_lines(lines, start, number)
        return bool(lines)

    def finish(self, cut_off: bool) -> End:
        """Read the end of the text."""
        if self.state is State.SAME_MARK:
            return self._end_doubtfully()
        if self.state is State.MAYBE_CLOSED:
            return self._end_near_closer()
        ends = self._held.end
        if ends is not None:
            return self._end_at(ends)
        end = self._end_before_held()
        if end is not None:
            return end
        while self._held and self._held[-1][1] == "blank":
            self._held.give_back()
        self._release()
        completeness = Completeness.TRUNCATED if cut_off else Completeness.UNTERMINATED
        return End(completeness, self.content.last, mistake=MISSING_CLOSER_AT_END)

    def _read_exact(self, token: Token) -> End | None:
        bare = token.bare
        if not bare:
            self._hold(token, "blank")
        elif self._is_content(token):  # as most lines are: told fast
            self._say(token)
        elif self._reopens(token):
            self._reopen(token)
        elif bare in self._closers:
            if not (self._same and self._held.end_with_head):
                return self._end(token)
            self._closer, self.state = token, State.SAME_MARK
        elif bare == self._opener and bare in self._dialect.fences and self._held.end_with_head:
            return self._end_before_head(token)
        else:
            self._hold_or_say(token)
        return None

    def _is_content(self, token: Token) -> bool:
        return not (self._held and self._held.nearly_close) and token.is_words and not token.bare.endswith(self._starts)

    def _read_lenient(self, token: Token) -> End | None:
        bare = token.bare
        if self._reopens(token):
            self._reopen(token)
            return None
        if bare in self._closers:
            return self._end(token)
        if bare in self._dialect.fences and self._held.end_with_head:
            return self._end_before_head(token)
        if self._closes_nearly(token):
            self._closer, self.state = token, State.MAYBE_CLOSED
            return None
        if self._sure and bare.startswith(self._starts) and token.delimiters[1] in self._closers:
            return self._end(token, NEAR_CLOSER, [token])  # with the next action on its line
        if not self._opener and token.is_head:
            return self._end_before_head(token)
        self._hold_or_say(token)
        return None

    def _closes_nearly(self, token: Token) -> bool:
        if self._sure:
            return token.delimiters[1] in self._closers
        if token.near_closer is Kind.NEAR_DELIM:  # if the opener is one by its looks, so must the closer be
            return self._near_delims and (not self._leans or token.leaning > 0)
        return token.near_closer in kinds.CLOSERS

    def _read_in_fence(self, token: Token) -> End | None:
        """Read a line inside a Markdown fence; it ends like one, and fences in it are counted."""
        match = token.fence
        if self._reopens(token):
            self._reopen(token)
        elif match is not None and match["run"][0] == self._fence[0]:
            if not match["info"] and not self._depth and len(match["run"]) >= len(self._fence):
                return self._end(token)
            if match["info"] and not self._depth and self._held.end_with_head:
                return self._end_before_head(token)
            self._depth += 1 if match["info"] else -1 if self._depth else 0
            self._say(token)
        elif self._depth:
            self._say(token)
        elif token.bare in self._closers:
            self._closer, self.state = token, State.MAYBE_CLOSED
        else:
            self._hold_or_say(token)
        return None

    def _read_behind_same_mark(self, token: Token) -> End:
        """Decide by this line whether the one above it was the closer or the next block's opener."""
        if token.kind == "blank" or token.kind in kinds.BEGINS:
            end = self._end_doubtfully()
        else:
            end = self._end_before_head(self._closer)
        end.behind.append(token)
        return end

    def _read_behind_near_closer(self, token: Token) -> End | None:
        """Decide by this line whether the one above it was the closer or content."""
        if token.kind == "blank" or token.kind in kinds.BEGINS or token.near is not Kind.TEXT or token.is_prose:
            return self._end_near_closer([token])
        self.state = State.FENCE if self._fence else State.LENIENT
        self._say(self._closer)
        return self.read(token)

    # ---- an opener right below the one at hand

    def _reopens(self, token: Token) -> bool:
        """Return whether a line is an opener in place of the one at hand: doubled, in a fence, or below its label."""
        if token.bare not in self._dialect.fences or self.content.first is not None:
            return False
        if self._held:
            return self._labelled and all(kind == "blank" for _, kind in self._held)
        return bool(self._fence) or self._labelled or (token.bare == self._opener and not self._same)

    def _reopen(self, token: Token) -> None:
        self._held.take()
        self.content.restart(token.line)
        self._fence = ""
        self._set_delimiters(token.bare, State.EXACT)

    # ---- lines that are held back

    def _hold_or_say(self, token: Token) -> None:
        kind = self._kind_behind(token)
        if kind == "last":
            self._release()  # no closer stands above what is content
        if kind:
            self._hold(token, kind)
        else:
            self._say(token)

    def _kind_behind(self, token: Token) -> str:
        """Return what a line could be behind a forgotten closer, or "" if it is content."""
        kind, bare = token.kind, token.bare
        if self._own_sections and kind in self._own_sections:
            return kind
        if kind in kinds.BEGINS or kind == "blank" or (kind in kinds.PARTS and self._held.end_with_head):
            return kind
        if token.near_closer or (bare == self._opener and not self._same):
            return "near"
        if bare.endswith(self._starts) and token.content_before_closer:
            return "last"
        if bare.startswith(self._starts):
            return token.behind_closer
        if self._held.nearly_close and token.is_prose:
            return "prose"
        return ""

    def _hold(self, token: Token, kind: str) -> None:
        self._held.hold(token, kind)
        if len(self._held) > _MOST_LINES or sum(len(held.text) for held, _ in self._held) > _MOST_CHARACTERS:
            self._release()

    def _release(self) -> None:
        """Let go of the lines that were held back: they are content."""
        if self._held:
            for token in self._held.take():
                self.content.add(token.line)

    def _say(self, token: Token) -> None:
        self._release()
        self.content.add(token.line)

    def say(self, text: str, at: Token) -> None:
        """Announce a line of content that stands at the end of the opener's line."""
        begin, line = at.text.rfind(text), at.line
        if begin >= 0:
            self.content.put(text, line.ending, line.moved(begin))
        else:  # the line was respelt: where in it is not known
            self.content.put(text, line.ending, line, line.stop - line.start)

    # ---- ends

    def _end(self, last: Token, mistake: str = "", behind: list[Token] | None = None) -> End:
        self._release()
        return End(Completeness.COMPLETE, last.line, behind or [], mistake)

    def _end_near_closer(self, behind: list[Token] | None = None) -> End:
        return self._end(self._closer, DELIMITER_FOR_FENCE if self._fence else NEAR_CLOSER, behind)

    def _end_doubtfully(self) -> End:
        self._release()
        return End(Completeness.SUSPECT, self._closer.line)

    def _end_before_head(self, token: Token) -> End:
        """End before the lines held back: a head is among them, and the line at hand opens its block."""
        ends = self._held.end
        if ends is not None:
            end = self._end_at(ends)
            end.behind.append(token)
            return end
        return End(Completeness.UNTERMINATED, self.content.last, [*self._held.take(), token], MISSING_CLOSER)

    def _end_before_held(self) -> End | None:
        """End before lines held back where the whole text would be read so; None if all of them are content."""
        begins = any(kind in kinds.BEGINS for _, kind in self._held)
        if self._own_sections:
            begins = begins or any(kind in self._own_sections for _, kind in self._held)
        if not begins:
            return None
        opener = Kind.FENCE if self._fence else Kind.DELIM if self._same else Kind.OPEN
        opened, filled = bool(self._opener or self._fence), self.content.first is not None
        above = [Kind.ACTION, *[opener] * opened, *[Kind.TEXT] * filled]
        at = self._classifier.find_end(above, "".join(token.text for token, _ in self._held))
        if at is None:
            return None
        place = size = 0
        while size < at:
            size += len(self._held[place][0].text)
            place += 1
        while place and self._held[place - 1][1] == "blank":
            place -= 1
        behind = self._held.take(place)
        self._release()
        return End(Completeness.UNTERMINATED, self.content.last, behind, MISSING_CLOSER)

    def _end_at(self, place: int) -> End:
        """End at a line held back that is nearly a closer."""
        behind = self._held.take(place + 1)
        closer, kind = self._held.give_back()
        self._release()
        for text in closer.content_before_closer:
            self.content.put(text, closer.line.ending, closer.line)
        return self._end(closer, NEAR_CLOSER, [closer, *behind] if kind == "glued" else behind)
