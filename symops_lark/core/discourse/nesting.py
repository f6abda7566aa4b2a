"""Find actions that are part of another action's content, by the balance of delimiter lines.

A content that shows complete actions ends, for every reader, at the first of their closers. The
lines of the text still show where it was meant to end: openers and closers are counted like
brackets, whatever the reading made of them.

    depth  line
    1      <<<                 the content of docs/guide.md begins
    1      ::create @a.py      a head at depth 1: it may be content
    2      <<<
    1      >>>
    0      >>>                 the outer closer: the head above was content

A head at depth 1 or more is content if
(a) the outer closer follows, or
(b) a Markdown fence that was open before the head ends at depth 1, or ends there and was opened
    nowhere, or
(c) the outer content is empty: it is improbable that a model opens a content, forgets to write it,
    and forgets its closer.
Otherwise only the outer closer is missing, and later actions stay certain.

Invariants (`tests/core/discourse/test_nesting.py`): the time is linear in the length; a text in
which every block is closed before the next head has no nests.
Not here: the doubts about these actions (`recovery.doubts.nested_actions`), and texts that parse
strictly, which are not examined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..document import Action, Completeness, Document
from ..grammar.dialect import Dialect
from .marks import FENCE


@dataclass(frozen=True, slots=True)
class Nest:
    """An action whose content shows other actions.

    Attributes:
        outer: Where the line of the outer action begins, as an offset in the text.
        inner: Where the lines of the inner actions begin, in order.
    """

    outer: int
    inner: tuple[int, ...]


def find_nests(document: Document, text: str, dialect: Dialect) -> tuple[Nest, ...]:
    """Return the actions whose contents show others, by the order of their ends.

    No action is the inner one of several. Misspelled delimiters count as they were read. Takes time
    linear in the length of the text.

    Args:
        document: What was read; its spans are positions in `text`.
        text: The text that was read.
        dialect: The dialect that it was read in.
    """
    actions = document.actions
    if not actions or len(actions) + len(document.custom) < 2:
        return ()
    writing = dialect.verbs["writing"]
    delimiters = _Delimiters()
    heads = {}
    for action in actions:
        start = line_start(text, action.span.start)
        heads[start] = action.type in writing
        _add_delimiters(action, text, dialect, delimiters)
    for section in document.custom:
        start = line_start(text, section.span.start)
        heads[start] = section.part("block") is not None
    # In most texts, all delimiters are those of the actions.
    opener_count = text.count(dialect.marks["open"])
    closer_count = text.count(dialect.marks["close"])
    if opener_count == closer_count == delimiters.exact_count:
        return ()
    return _Balance(dialect, heads, delimiters).read(text)


@dataclass(slots=True)
class _Delimiters:
    """The delimiters of a reading that the lines alone do not show.

    Attributes:
        openers: The offsets of the lines that are misspelled openers.
        closers: The offset of the opener, by that of the line of its misspelled closer.
        exact_count: The number of actions of which both delimiters are exact.
        bare: The offsets of the heads of actions whose content is empty.
    """

    openers: set[int] = field(default_factory=set)
    closers: dict[int, int] = field(default_factory=dict)
    exact_count: int = 0
    bare: set[int] = field(default_factory=set)


def _add_delimiters(action: Action, text: str, dialect: Dialect, delimiters: _Delimiters) -> None:
    """Add the lines that were read as the delimiters of an action, if they are misspelled."""
    if action.content is not None and not action.content.strip():
        head = line_start(text, action.span.start)
        delimiters.bare.add(head)
    content_span = action.content_span
    if content_span is None or content_span.start <= action.span.start:
        return
    opener = line_start(text, content_span.start - 1)
    line = _line_at(text, opener)
    is_exact = line.rstrip() in dialect.fences
    # If there is no opener, this is the last line of the head.
    is_head = dialect.line_pattern.fullmatch(line + "\n") is not None
    if not is_exact and not is_head and opener > action.span.start:
        delimiters.openers.add(opener)
    if action.completeness in (Completeness.TRUNCATED, Completeness.UNTERMINATED):
        return
    closer = line_start(text, action.span.end)
    bare = _line_at(text, closer).strip()
    if is_exact and bare in dialect.closers:
        delimiters.exact_count += 1
    if not bare or closer < content_span.end:
        return
    # After an exact opener, other text on the last line is content.
    if not is_exact or _is_near(bare, dialect.marks["close"]):
        delimiters.closers[closer] = opener


def _is_near(line: str, mark: str) -> bool:
    """Return whether a line consists of the characters of a closer, or begins with the closer."""
    if line.startswith(mark):
        return True
    signs = set(line.replace(" ", ""))
    return signs <= set(mark)


class _Balance:
    """Counts delimiter lines."""

    def __init__(
        self, dialect: Dialect, heads: Mapping[int, bool], delimiters: _Delimiters
    ) -> None:
        self.heads = heads
        self.delimiters = delimiters
        self.openers = dialect.fences
        self.closers = dialect.closers
        self.is_twofold = not self.closers.isdisjoint(self.openers)  # one mark opens and closes
        self.attribute = dialect.marks.get("attribute", "")
        self.mark = dialect.marks["action"]
        self.target = dialect.marks["target"]
        self.writing = dialect.verbs["writing"]
        self.nests: list[Nest] = []
        self.depth = 0
        self.indents: set[str] = set()  # of the openers since depth 0
        self.opened: set[int] = set()  # the lines that opened a block
        self.head = -1  # the last one
        self.outer = self.head  # that of the outermost block
        self.is_fresh = False  # whether the line above is the head of an action that writes
        self.inner: list[int] = []  # the heads at depth 1 or more that are in no nest yet
        self.was_closed = False  # whether a block ends on the line above
        self.is_wrapped = False  # whether a fence is open around the complete reply
        self.fence = ""  # the fence that is open in the content of the outermost block
        self.before_fence = 0  # the number of inner heads above it

    def read(self, text: str) -> tuple[Nest, ...]:
        """Return the nests of a text."""
        signs = {"`", "~"}  # how the lines begin that may change the balance
        for mark in (*self.openers, *self.closers):
            signs.add(mark[:1])
        start = 0
        places = {*self.heads, *self.delimiters.openers, *self.delimiters.closers}
        for line in text.split("\n"):
            sign = line.lstrip()[:1]
            if sign in signs or start in places or self.is_twofold:
                self._take(start, line)
            elif sign:  # most lines
                self.was_closed = False
            start += len(line) + 1
        if self.outer in self.delimiters.bare:
            self._add_nest(0)
        return tuple(self.nests)

    def _take(self, start: int, line: str) -> None:
        """Count one line, which begins at an offset."""
        bare = line.strip()
        was_closed = self.was_closed
        if bare:
            self.was_closed = False
        is_head = start in self.heads
        if not is_head and bare[:3] in ("```", "~~~") and self._take_fence(line, was_closed):
            return
        if is_head:
            self._take_head(start, bare)
        elif self._is_opener(start, line):
            self._open(start, line)
        elif self._is_closer(start, line):
            self._close()
        elif bare:
            is_attribute = bool(self.attribute) and bare.startswith(self.attribute)
            self.is_fresh = self.is_fresh and is_attribute
            if self.is_twofold and self._ends_in_head(bare):
                self.is_fresh = True

    def _is_opener(self, start: int, line: str) -> bool:
        """Return whether a line opens a block."""
        if start in self.delimiters.openers:
            return True
        if line.rstrip() not in self.openers:
            return False
        # A mark that also closes opens a block only after a head.
        return self.is_fresh or not self.is_twofold

    def _is_closer(self, start: int, line: str) -> bool:
        """Return whether a line closes a block."""
        if not self.depth:
            return False
        if self.delimiters.closers.get(start) in self.opened:
            return True
        # An indented delimiter counts in a block that was opened by one that is indented alike.
        return line.strip() in self.closers and _indentation(line) in self.indents

    def _take_head(self, start: int, bare: str) -> None:
        """Count the line of a head."""
        # A closer and a head may be on one line.
        if self.depth and any(bare.startswith(closer) for closer in self.closers):
            self._close()
        self.head = start
        self.is_fresh = self.heads[start]
        if self.depth:
            self.inner.append(start)

    def _open(self, start: int, line: str) -> None:
        """Begin a block."""
        self.opened.add(start)
        if not self.depth:
            self.outer = self.head
            self.inner = []
            self.fence = ""
            self.indents = {""}
        self.indents.add(_indentation(line))
        self.depth += 1
        self.is_fresh = False

    def _close(self) -> None:
        """End a block. At the end of the outermost one, the heads in it are its content."""
        self.depth -= 1
        self.is_fresh = False
        self.was_closed = True
        if not self.depth:
            self._add_nest(0)

    def _ends_in_head(self, bare: str) -> bool:
        """Return whether a line has a head that writes, perhaps after text.

        The reading did not take this line for a head.
        """
        following = bare.partition(self.mark)[2]
        words = following.split()
        if not words or self.target not in following:
            return False
        return words[0].lower() in self.writing

    def _take_fence(self, line: str, was_closed: bool) -> bool:
        """Count a Markdown fence; return whether it ends the fence of a content.

        Args:
            line: A line that may be a fence.
            was_closed: Whether a block ends on the line above.
        """
        match = FENCE.fullmatch(line)
        if match is None or self.depth > 1:
            return False
        run = match["run"]
        is_end = not match["info"]
        if not self.depth:
            self.is_wrapped = not self.is_wrapped
        elif self.fence:
            if is_end and run.startswith(self.fence):
                self._add_nest(self.before_fence)
                self.fence = ""
                return True
        elif is_end and was_closed and self.inner and not self.is_wrapped:
            self._add_nest(0)
        else:
            self.fence = run
            self.before_fence = len(self.inner)
        return False

    def _add_nest(self, first: int) -> None:
        """Make a nest of the inner heads from an index on, and remove them from the list.

        Each head is in one nest, so that all nests take linear time.
        """
        inner = []
        while len(self.inner) > first:
            head = self.inner.pop()
            inner.append(head)
        if inner and self.outer >= 0:
            nest = Nest(self.outer, tuple(inner[::-1]))
            self.nests.append(nest)


def line_start(text: str, at: int) -> int:
    """Return where the line of an offset begins.

    Args:
        text: A text whose lines end with line feeds.
        at: The offset.
    """
    return text.rfind("\n", 0, at) + 1


def _line_at(text: str, start: int) -> str:
    """Return the line that begins at an offset, without its ending."""
    end = text.find("\n", start)
    if end < 0:
        return text[start:]
    return text[start:end]


def _indentation(line: str) -> str:
    """Return the blanks at the beginning of a line."""
    bare = line.lstrip()
    return line[: len(line) - len(bare)]
