"""An open content block: its lines out at once, until what ends it.

A block that is opened exactly ends as the grammar says: at the closer that belongs to its opener. Lines that may stand
behind a forgotten closer (blank ones, sections, what is nearly a closer) are held back, a bounded number of them, until
the next line tells: an opener below a head is the next action's, because no content has one alone on a line.
Where opener and closer are one mark, and where both are misspelt, the line behind the closer tells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ..document import Completeness
from ..recovery.kinds import FENCE
from ..recovery.prose import looks_like_prose
from ..source import Span
from .incoming import PlacedLine
from .kinds import BEGINS, BLANKS, HEADS, PARTS, LineClassifier

_MOST_LINES, _MOST_CHARACTERS = 50, 5_000  # held back at most
_ENDS = frozenset(("near", "last", "glued"))  # what a block can end at, if a section follows


@dataclass(slots=True)
class End:
    """How a block ended: whether all of it is there, its last line, the lines that turned out to stand behind it."""

    completeness: Completeness
    last: PlacedLine
    behind: list[PlacedLine] = field(default_factory=list)
    mistake: str = ""


class Block:
    """A block between delimiters, or (`fence`) between Markdown fences, or (no `opener`) below nothing.

    `kind` is that of a misspelt opener: then what is misspelt in the same way closes the block, and if the opener is
    indented, so is the content.
    """

    def __init__(
        self,
        classifier: LineClassifier,
        begin: PlacedLine,
        emit: Callable[[str, Span], None],
        *,
        opener: str = "",
        fence: str = "",
        kind: str = "",
    ) -> None:
        self.classifier = classifier
        self.fence = fence
        self._near = ("NEAR_DELIM", "NEAR_CLOSE", "CLOSE") if kind.endswith("DELIM") else ("NEAR_CLOSE", "CLOSE")
        self._leans = bool(kind) and classifier.leans(begin.text) < 0
        shown = begin.text.rstrip(BLANKS)
        self._indent = shown[: len(shown) - len(shown.lstrip(" \t"))] if kind else ""
        self._first: Span | None = None  # the place of the first line of content
        self._begin: Span | None = None  # where it may begin
        self._emit = emit
        self._depth = 0  # of the fences in a fence
        self._held: list[tuple[PlacedLine, str]] = []
        self._size, self._nearly_closed = 0, False
        self._closer: PlacedLine | None = None  # one that may be the next block's opener
        self._ending = ""
        self._last: tuple[int, int, int] = (0, 0, 0)  # offset, line and column behind the last line
        self._labelled = "lines" in classifier.dialect.forms and bool(kind)  # a label may stand over the opening tag
        self._open(opener, begin, lenient=bool(kind) or not opener)

    def _open(self, opener: str, line: PlacedLine, *, lenient: bool) -> None:
        dialect = self.classifier.dialect
        self.opener, self.lenient = opener, lenient
        self._sure = (
            lenient and bool(opener) and self.classifier.opened_by(line.text) == opener
        )  # the length of the opener
        swapped = opener in dialect.closers and opener not in dialect.fences
        if swapped:
            self.closers = frozenset(mark for mark, closers in dialect.fences.items() if opener in closers)
        else:
            self.closers = dialect.closers if lenient and not self._sure else frozenset(dialect.fences[opener])
        self._begin = None
        self.closers_as_tuple = tuple(self.closers)
        self._same = swapped or opener in self.closers  # what closes the block may open the next one
        self._above = line

    @property
    def place(self) -> Span:
        """The place of the content; empty behind the opener if there is none."""
        if self._first is not None:
            return replace(self._first, end=self._last[0])
        above = self._above.span
        return self._begin or replace(above, start=above.end)

    # ---- lines

    def read(self, line: PlacedLine) -> End | None:
        """Take in the next line; tell if the block has ended."""
        if self._begin is None:
            self._begin = replace(line.span, end=line.start)
        if self._closer is not None:
            return self._read_behind_closer(line)
        bare = line.text.rstrip(BLANKS)
        if not self.lenient and (not bare or self._is_content(line.text, bare)):  # as most lines are: told fast
            if bare:
                self.release()
                self._say(line)
            else:
                self._hold(line, "blank")
            return None
        opens = bare in self.classifier.dialect.fences
        if opens and self._first is None and self._reopens(bare):
            self.fence = ""  # the opener is doubled, or stands inside a fence, or below its label
            self._held, self._size = [], 0
            self._open(bare, line, lenient=False)
            return None
        if self.fence:
            return self._read_fence(line, bare)
        if bare in self.closers:
            return self._read_closer(line)
        if opens and (self.lenient or bare == self.opener) and self._holds_head():
            return self._end_before_head(line)
        if self.lenient and self._closes_nearly(line):
            self._closer = line
            return None
        if (
            self._sure
            and bare.startswith(self.closers_as_tuple)
            and self.classifier.closed_by(line.text) in self.closers
        ):
            end = self._end(line, "near-closer")  # with the next action on its line
            end.behind.append(line)
            return end
        if not self.opener and self.classifier.is_head(line.text):
            return self._end_before_head(line)
        self._hold_or_say(line, bare)
        return None

    def _reopens(self, bare: str) -> bool:
        """Whether an opener right below the one at hand takes its place."""
        if self._held:
            return self._labelled and all(kind == "blank" for _, kind in self._held)
        return bool(self.fence) or self._labelled or (bare == self.opener and not self._same)

    def _closes_nearly(self, line: PlacedLine) -> bool:
        if self._sure:
            return self.classifier.closed_by(line.text) in self.closers
        kind = self.classifier.closes_nearly(line.text)
        if kind == "NEAR_DELIM" and self._leans:  # the opener is one by its looks; so must the closer be
            return kind in self._near and self.classifier.leans(line.text) > 0
        return kind in self._near

    def finish(self, cut_off: bool) -> End:
        """Take in the end of the text."""
        if self._closer is not None:
            return self._close_doubtfully()
        near = next((i for i, (_, kind) in enumerate(self._held) if kind in _ENDS), None)
        if near is not None:
            return self._end_at(near)
        end = self._end_before_held()
        if end is not None:
            return end
        while self._held and self._held[-1][1] == "blank":
            self._held.pop()
        self.release()
        completeness = Completeness.TRUNCATED if cut_off else Completeness.UNTERMINATED
        return End(completeness, self._above, mistake="missing-closer-at-end")

    def release(self) -> None:
        """Let go of the lines that were held back: they are content."""
        if not self._held:
            return
        for line, _ in self._held:
            self._say(line)
        self._held.clear()
        self._size, self._nearly_closed = 0, False

    # ---- what a line may be

    def _read_closer(self, line: PlacedLine) -> End | None:
        if self._same and not self.lenient and self._holds_head():
            self._closer = line
            return None
        return self._end(line)

    def _read_fence(self, line: PlacedLine, bare: str) -> End | None:
        """Read a line inside a Markdown fence; it ends like one, and fences in it are counted."""
        match = FENCE.fullmatch(line.text.rstrip("\n")) if bare else None
        if match is not None and match[1][0] == self.fence[0]:
            if not match[2] and not self._depth and len(match[1]) >= len(self.fence):
                return self._end(line)
            if match[2] and not self._depth and self._holds_head():
                return self._end_before_head(line)
            self._depth += 1 if match[2] else -1 if self._depth else 0
        elif not self._depth and bare in self.closers:
            self._closer = line
            return None
        elif not self._depth:
            self._hold_or_say(line, bare)
            return None
        self.release()
        self._say(line)
        return None

    def _read_behind_closer(self, line: PlacedLine) -> End | None:
        """Tell by this line what the one above it was: the closer, or the next block's opener, or content."""
        closer = self._closer
        assert closer is not None
        kind = self.classifier.tell(line.text)
        if kind == "blank" or kind in BEGINS or (self.lenient and self.classifier.may_be_markup(line.text)):
            end = self._close_doubtfully()
        elif self.lenient:
            self._closer = None
            self.release()
            self._say(closer)
            return self.read(line)
        else:
            self._closer = None
            end = self._end_before_head(closer)
        end.behind.append(line)
        return end

    def _close_doubtfully(self) -> End:
        closer, self._closer = self._closer, None
        assert closer is not None
        if self.lenient:
            return self._end(closer, "delimiter-for-fence" if self.fence else "near-closer")
        self.release()
        return End(Completeness.SUSPECT, closer)

    def _hold_or_say(self, line: PlacedLine, bare: str) -> None:
        kind = self._kind(line, bare)
        if kind == "last":
            self.release()  # no closer stands above what is content
        if kind:
            self._hold(line, kind)
        else:
            self.release()
            self._say(line)

    def _hold(self, line: PlacedLine, kind: str) -> None:
        self._held.append((line, kind))
        self._size += len(line.text)
        self._nearly_closed = self._nearly_closed or kind in ("near", "last")
        if len(self._held) > _MOST_LINES or self._size > _MOST_CHARACTERS:
            self.release()

    def _is_content(self, text: str, bare: str) -> bool:
        return not self._nearly_closed and self.classifier.is_words(text) and not bare.endswith(self.closers_as_tuple)

    def _kind(self, line: PlacedLine, bare: str) -> str:
        """Give what a line could be behind a forgotten closer, or "" if it is content."""
        kind = self.classifier.tell(line.text)
        if kind in BEGINS or kind == "blank" or (kind in PARTS and self._holds_head()):
            return kind
        if self.classifier.closes_nearly(line.text) or (bare == self.opener and not self._same):
            return "near"
        if bare.endswith(self.closers_as_tuple) and self.classifier.ends_content(line.text):
            return "last"
        if bare.startswith(self.closers_as_tuple):
            return self.classifier.closes_and_more(line.text)
        if self._nearly_closed and looks_like_prose(bare):
            return "prose"
        return ""

    def _holds_head(self) -> bool:
        """Whether the lines held back end with a head, its further lines and blank ones."""
        for _, kind in reversed(self._held):
            if kind in HEADS or kind == "glued":
                return True
            if kind not in PARTS and kind != "blank":
                return False
        return False

    # ---- ends

    def _end(self, line: PlacedLine, mistake: str = "") -> End:
        self.release()
        return End(Completeness.COMPLETE, line, mistake=mistake)

    def _end_before_head(self, line: PlacedLine) -> End:
        """End before the lines held back: a head is among them, and `line` opens its block."""
        near = next((i for i, (_, kind) in enumerate(self._held) if kind in _ENDS), None)
        if near is not None:
            end = self._end_at(near)
            end.behind.append(line)
            return end
        behind = [held for held, _ in self._held]
        self._held.clear()
        return End(Completeness.UNTERMINATED, self._above, [*behind, line], "missing-closer")

    def _end_before_held(self) -> End | None:
        """End before lines held back where the whole text would be read so; None if all of them are content."""
        if not any(kind in BEGINS for _, kind in self._held):
            return None
        opener = "FENCE" if self.fence else "DELIM" if self._same else "OPEN"
        above = ["ACTION", *([opener] if self.opener or self.fence else []), *(["TEXT"] if self._first else [])]
        at = self.classifier.find_end(above, "".join(line.text for line, _ in self._held))
        if at is None:
            return None
        held, self._held = self._held, []
        place = size = 0
        while size < at:
            size += len(held[place][0].text)
            place += 1
        while place and held[place - 1][1] == "blank":
            place -= 1
        self._held = held[:place]
        self.release()
        return End(Completeness.UNTERMINATED, self._above, [line for line, _ in held[place:]], "missing-closer")

    def _end_at(self, place: int) -> End:
        """End at a line held back that is nearly a closer."""
        held, self._held = self._held, self._held[:place]
        self.release()
        first = place if held[place][1] == "glued" else place + 1
        for text in self.classifier.ends_content(held[place][0].text):
            self._put(text, "\n", held[place][0])
        return End(Completeness.COMPLETE, held[place][0], [line for line, _ in held[first:]], "near-closer")

    # ---- content

    def say(self, text: str, at: PlacedLine) -> None:
        """Announce a line of content that stands at the end of the opener's line."""
        self._put(text, "\n", at.moved(max(0, at.stop - at.start - len(text))))

    def _say(self, line: PlacedLine) -> None:
        body = line.text.removesuffix("\n").removesuffix("\r")
        ending = line.text[len(body) :]
        if self._indent and body.startswith(self._indent):
            body, line = body[len(self._indent) :], line.moved(len(self._indent))
        self._put(body, ending, line)

    def _put(self, body: str, ending: str, line: PlacedLine) -> None:
        start, number, column = self._last if self._first is not None else (line.start, line.number, line.column)
        stop = line.start + len(body)
        span = Span(start, stop, number, column)
        self._emit(self._ending + body, span)
        self._first = self._first or span
        self._ending, self._last, self._above = ending, (stop, line.number, line.column + len(body)), line
