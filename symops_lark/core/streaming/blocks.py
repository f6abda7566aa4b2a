"""Read an open content block: announce its lines at once, and find its end.

A block whose opener is exact ends as the grammar says, at the closer that belongs to its opener.
Every line before that is content. But a model may forget the closer. So lines that could come after
a missing closer are held back, a bounded number of them, until a line decides:

    ::create @a.py
    <<<
    x = 1              announced
                       held: a blank line may come before a section
    ::create @b.py     held: a head
    <<<                decides: no content has an opener alone on a line below a head. So the first
                       block is UNTERMINATED, and its content is "x = 1"

With a line of text in place of the last one, the lines held back would be content.

Two cases are harder, and have their own states (`states.BlockState`): a mark that is both opener
and closer, and a malformed closer of a malformed opener. There, the line after the mark decides.

Invariant: a line that was announced as content stays content. In doubt a line is held back, or the
end of the block is marked as SUSPECT.

Not here: what the lines outside of the block mean (`sections`). An `End` returns the lines that
turned out to come after the block, and they are read there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..document import Completeness
from ..grammar.codes import DELIMITER_FOR_FENCE, MISSING_CLOSER, MISSING_CLOSER_AT_END, NEAR_CLOSER
from ..recovery.lines.kinds import Kind
from . import kinds
from .content import Content, Piece
from .held_lines import HeldLines
from .incoming import Incoming
from .line_classifier import LineClassifier, Token
from .states import BlockState, End


class Block:
    """A block between delimiters or Markdown fences, or one without an opener.

    Args:
        classifier: Classifies the lines.
        begin: The line of the opener; without an opener, the first line of the content.
        emit: Called with lines of content and their positions.
        opener: The opener, exact or repaired; "" if there is none.
        fence: The characters of the Markdown fence that opens the block; "" if none does.
        kind: The kind of a malformed opener; "" if it is exact. Then a closer that is malformed in
            the same way closes the block, and the indent of the opener is removed from the content.

    Attributes:
        content: The content so far.
        state: Where the next line is.
    """

    def __init__(
        self,
        classifier: LineClassifier,
        begin: Token,
        emit: Callable[[Sequence[Piece]], None],
        *,
        opener: str = "",
        fence: str = "",
        kind: str = "",
    ) -> None:
        self._classifier = classifier
        self._dialect = classifier.dialect
        self._own_sections = classifier.dialect.own_sections
        self._fence = fence
        self._depth = 0  # of the fences in a fence
        # Whether a line that is nearly a delimiter of either kind may close the block.
        self._near_delims = kind in kinds.DELIMS
        self._leans = bool(kind) and begin.leaning < 0
        # Whether the exact opener may come below a label, such as "content:", that looks like one.
        self._labelled = "lines" in self._dialect.forms and bool(kind)
        indent = begin.bare.removesuffix(begin.bare.lstrip(" \t")) if kind else ""
        self.content = Content(begin.line, emit, indent)
        self._held = HeldLines()
        self._closer: Token  # in SAME_MARK and MAYBE_CLOSED: the line that may be the closer
        is_lenient = bool(kind) or not opener
        # Whether the length of a malformed opener is certain: then only closers of that length do.
        self._sure = is_lenient and bool(opener) and begin.delimiters[0] == opener
        state = BlockState.LENIENT if is_lenient else BlockState.EXACT
        self._set_delimiters(opener, BlockState.FENCE if fence else state)

    def _set_delimiters(self, opener: str, state: BlockState) -> None:
        fences = self._dialect.fences
        # A closer in place of the opener: then an opener closes.
        is_swapped = opener in self._dialect.closers and opener not in fences
        if is_swapped:
            closers = frozenset(mark for mark, ends in fences.items() if opener in ends)
        elif state is BlockState.EXACT or self._sure:
            closers = frozenset(fences[opener])
        else:
            closers = self._dialect.closers
        self.state = state
        self._opener = opener
        self._closers = closers
        self._starts = tuple(closers)
        # Whether a line of words is content unless it is nearly a closer, and all of it.
        is_plain = state is not BlockState.LENIENT or (bool(opener) and not self._sure)
        self._skims = is_plain and not self.content.indent
        # Whether a mark that closes the block may also open the next one.
        self._same = is_swapped or opener in closers

    # ---- states

    def read(self, token: Token) -> End | None:
        """Read the next line; return the end of the block if it has ended, else None."""
        if self.content.begin is None:
            self.content.begin = replace(token.line.span, end=token.line.start)
        match self.state:
            case BlockState.EXACT:
                return self._read_exact(token)
            case BlockState.LENIENT:
                return self._read_lenient(token)
            case BlockState.FENCE:
                return self._read_in_fence(token)
            case BlockState.SAME_MARK:
                return self._read_after_same_mark(token)
            case BlockState.MAYBE_CLOSED:
                return self._read_after_near_closer(token)

    def skim(self, incoming: Incoming) -> bool:
        """Read the next lines that are certainly content; return whether there are any."""
        waits = self.state in (BlockState.SAME_MARK, BlockState.MAYBE_CLOSED)
        # The first line is read alone: it may be an opener in place of the first one.
        if waits or not self._skims or self.content.first is None or self._held.nearly_close:
            return False
        lines = incoming.see_lines(self._classifier.run_of_words, self._starts)
        lines = lines[: self._classifier.count_harmless(lines)]
        while lines and not lines[-1].strip(" \t\r"):
            lines.pop()  # the line after blank lines decides whether these are content
        if lines:
            self._release()
            start, number = incoming.take_lines(lines)
            self.content.add_lines(lines, start, number)
        return bool(lines)

    def finish(self, cut_off: bool) -> End:
        """Return the end of the block at the end of a text, which may be truncated."""
        if self.state is BlockState.SAME_MARK:
            return self._end_doubtfully()
        if self.state is BlockState.MAYBE_CLOSED:
            return self._end_near_closer()
        place = self._held.end
        if place is not None:
            return self._end_at(place)
        end = self._end_before_held()
        if end is not None:
            return end
        self._held.drop_blank_end()  # blank lines at the end of the text are not content
        self._release()
        completeness = Completeness.TRUNCATED if cut_off else Completeness.UNTERMINATED
        return End(completeness, self.content.last, mistake=MISSING_CLOSER_AT_END)

    def _read_exact(self, token: Token) -> End | None:
        bare = token.bare
        if not bare:
            self._hold(token, "blank")
        elif self._is_content(token):  # the fast test for most lines: before all others
            self._add(token)
        elif self._reopens(token):
            self._reopen(token)
        elif bare in self._closers:
            if not (self._same and self._held.end_with_head):
                return self._end(token)
            self._closer = token
            self.state = BlockState.SAME_MARK
        elif bare == self._opener and bare in self._dialect.fences and self._held.end_with_head:
            return self._end_before_head(token)
        else:
            self._hold_or_add(token)
        return None

    def _is_content(self, token: Token) -> bool:
        if self._held and self._held.nearly_close:
            return False
        return token.is_words and not token.bare.endswith(self._starts)

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
            self._closer = token
            self.state = BlockState.MAYBE_CLOSED
            return None
        if self._sure and bare.startswith(self._starts) and token.delimiters[1] in self._closers:
            return self._end(token, NEAR_CLOSER, [token])  # with the next action on its line
        if not self._opener and token.is_head:
            return self._end_before_head(token)
        self._hold_or_add(token)
        return None

    def _closes_nearly(self, token: Token) -> bool:
        if self._sure:
            return token.delimiters[1] in self._closers
        # A malformed delimiter may be of either kind. It closes a block whose opener is malformed
        # in the same way; if that one looks like an opener, this one must look like a closer.
        if token.near_closer is Kind.NEAR_DELIM:
            return self._near_delims and (not self._leans or token.leaning > 0)
        return token.near_closer in kinds.CLOSERS

    def _read_in_fence(self, token: Token) -> End | None:
        """Read a line inside a Markdown fence; it ends like one, and fences in it are counted."""
        match = token.fence
        if self._reopens(token):
            self._reopen(token)
        elif match is not None and match["run"][0] == self._fence[0]:
            # As in CommonMark, the closing fence has no info string and is at least as long.
            is_outer = not self._depth
            if not match["info"] and is_outer and len(match["run"]) >= len(self._fence):
                return self._end(token)
            if match["info"] and is_outer and self._held.end_with_head:
                return self._end_before_head(token)
            if match["info"]:
                self._depth += 1
            elif self._depth:
                self._depth -= 1
            self._add(token)
        elif self._depth:
            self._add(token)
        elif token.bare in self._closers:
            self._closer = token
            self.state = BlockState.MAYBE_CLOSED
        else:
            self._hold_or_add(token)
        return None

    def _read_after_same_mark(self, token: Token) -> End:
        """Decide by this line whether the mark above it closed this block or opened the next."""
        if token.kind == "blank" or token.kind in kinds.BEGINS:
            end = self._end_doubtfully()
        else:
            end = self._end_before_head(self._closer)
        end.following.append(token)
        return end

    def _read_after_near_closer(self, token: Token) -> End | None:
        """Decide by this line whether the one above it was the closer or content."""
        is_section = token.kind == "blank" or token.kind in kinds.BEGINS
        if is_section or token.near is not Kind.TEXT or token.is_prose:
            return self._end_near_closer([token])
        self.state = BlockState.FENCE if self._fence else BlockState.LENIENT
        self._add(self._closer)
        return self.read(token)

    # ---- an opener right below the current one

    def _reopens(self, token: Token) -> bool:
        """Return whether a line is an opener in place of the current one.

        It is if the opener is doubled, or in a fence, or below a label that was taken for one.
        """
        if token.bare not in self._dialect.fences or self.content.first is not None:
            return False
        if self._held:
            return self._labelled and all(kind == "blank" for _, kind in self._held)
        if self._fence or self._labelled:
            return True
        return token.bare == self._opener and not self._same

    def _reopen(self, token: Token) -> None:
        self._held.take()
        self.content.restart(token.line)
        self._fence = ""
        self._set_delimiters(token.bare, BlockState.EXACT)

    # ---- lines that are held back

    def _hold_or_add(self, token: Token) -> None:
        kind = self._kind_after_closer(token)
        if kind == "last":
            self._release()  # this line has content: the lines above it are content, too
        if kind:
            self._hold(token, kind)
        else:
            self._add(token)

    def _kind_after_closer(self, token: Token) -> str:
        """Return the kind of a line after a missing closer (see `HeldLines`); "" for content."""
        kind = token.kind
        bare = token.bare
        if self._own_sections and kind in self._own_sections:
            return kind
        if kind in kinds.BEGINS or kind == "blank":
            return kind
        if kind in kinds.PARTS and self._held.end_with_head:
            return kind
        if token.near_closer or (bare == self._opener and not self._same):
            return "near"
        if bare.endswith(self._starts) and token.content_before_closer:
            return "last"
        if bare.startswith(self._starts):
            return token.after_closer
        if self._held.nearly_close and token.is_prose:
            return "prose"
        return ""

    def _hold(self, token: Token, kind: str) -> None:
        self._held.hold(token, kind)
        if self._held.are_too_many:
            self._release()

    def _release(self) -> None:
        """Announce the lines that were held back: they are content."""
        if self._held:
            for token in self._held.take():
                self.content.add(token.line)

    def _add(self, token: Token) -> None:
        self._release()
        self.content.add(token.line)

    def add_beside_opener(self, text: str, token: Token) -> None:
        """Announce a line of content that is at the end of the opener's line.

        Args:
            text: The content.
            token: The line of the opener.
        """
        line = token.line
        begin = token.text.rfind(text)
        if begin >= 0:
            self.content.put(text, line.ending, line.moved(begin))
        else:  # the line was repaired: the position in it is unknown
            self.content.put(text, line.ending, line, line.stop - line.start)

    # ---- ends

    def _end(self, last: Token, mistake: str = "", following: list[Token] | None = None) -> End:
        self._release()
        return End(Completeness.COMPLETE, last.line, following or [], mistake)

    def _end_near_closer(self, following: list[Token] | None = None) -> End:
        mistake = DELIMITER_FOR_FENCE if self._fence else NEAR_CLOSER
        return self._end(self._closer, mistake, following)

    def _end_doubtfully(self) -> End:
        """End at a mark below a head: it may be content that ends here, or a forgotten closer."""
        self._release()
        return End(Completeness.SUSPECT, self._closer.line)

    def _end_before_head(self, token: Token) -> End:
        """End before the lines held back: a head is among them, and this line opens its block."""
        place = self._held.end
        if place is not None:
            end = self._end_at(place)
            end.following.append(token)
            return end
        following = [*self._held.take(), token]
        return End(Completeness.UNTERMINATED, self.content.last, following, MISSING_CLOSER)

    def _end_before_held(self) -> End | None:
        """End before lines held back, if recovery would end the block there; None if not."""
        begins = any(kind in kinds.BEGINS for _, kind in self._held)
        if self._own_sections:
            begins = begins or any(kind in self._own_sections for _, kind in self._held)
        if not begins:
            return None
        # The whole text is not there any more: an action, an opener and a line represent it.
        above = [Kind.ACTION]
        if self._fence:
            above.append(Kind.FENCE)
        elif self._opener:
            above.append(Kind.DELIM if self._same else Kind.OPEN)
        if self.content.first is not None:
            above.append(Kind.TEXT)
        text = "".join(token.text for token, _ in self._held)
        offset = self._classifier.find_end(above, text)
        if offset is None:
            return None
        following = self._held.take_from_offset(offset)
        self._release()
        return End(Completeness.UNTERMINATED, self.content.last, following, MISSING_CLOSER)

    def _end_at(self, place: int) -> End:
        """End at a line held back that is nearly a closer."""
        following = self._held.take(place + 1)
        closer, kind = self._held.release_last()
        self._release()
        for text in closer.content_before_closer:
            self.content.put(text, closer.line.ending, closer.line)
        if kind == "glued":
            following = [closer, *following]
        return self._end(closer, NEAR_CLOSER, following)
