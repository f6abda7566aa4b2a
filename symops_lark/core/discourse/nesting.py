"""Find actions that are part of another action's content, by the balance of delimiter lines.

A content that shows whole actions ends, for every reader, at the first of their closers. The lines of the text tell
it nevertheless: openers and closers are counted like brackets, whatever the reading made of them.

    depth  line
    1      <<<                 the content of docs/guide.md begins
    1      ::create @a.py      a head at depth 1: it may be content
    2      <<<
    1      >>>
    0      >>>                 the outer closer: the head above was content

A head at depth 1 or more is content if
(a) the outer closer follows, or
(b) a Markdown fence that was open before the head ends at depth 1, or ends there and was opened nowhere, or
(c) the outer content is empty: hardly anybody opens a content, forgets to write it, and forgets its closer.
Otherwise the outer closer is only missing, and later actions stay certain.

Invariants (`tests/core/discourse/test_nesting.py`): the time is linear in the length; a text in which every
block is closed before the next head has no nests.
Not here: what becomes of the actions (`recovery.doubts.nested_actions`), and texts that parse strictly, which are not looked at.
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


def find_nests(text: str, dialect: Dialect, heads: Mapping[int, bool]) -> tuple[Nest, ...]:
    """Return the actions whose contents show others.

    Takes time linear in the length of the text.

    Args:
        text: The text that was read, as the caller has it.
        dialect: The dialect that it was read in.
        heads: Where the lines of its actions begin, and of each whether its verb writes a file.

    Returns:
        The nests in the order of their ends; no action is the inner one of several.
    """
    return _Balance(dialect, heads, _Delimiters()).read(text)


def find_nests_of(document: Document, text: str, dialect: Dialect) -> tuple[Nest, ...]:
    """Return the nests of a document that was read from a text: misspelt delimiters count as they were read."""
    actions = document.actions
    if not actions or len(actions) + len(document.custom) < 2:
        return ()
    writing = dialect.verbs["writing"]
    heads = {line_start(text, action.span.start): action.type in writing for action in actions}
    heads |= {line_start(text, section.span.start): section.part("block") is not None for section in document.custom}
    delimiters = _Delimiters()
    for action in actions:
        _add_delimiters(action, text, dialect, delimiters)
    opener, closer = dialect.marks["open"], dialect.marks["close"]
    if text.count(opener) == text.count(closer) == delimiters.exact:
        return ()  # as in most texts: all delimiters are those of the actions
    return _Balance(dialect, heads, delimiters).read(text)


@dataclass(slots=True)
class _Delimiters:
    """What the reading says beyond the lines; all numbers are places where lines begin."""

    openers: set[int] = field(default_factory=set)  # misspelt ones
    closers: dict[int, int] = field(default_factory=dict)  # misspelt ones, each with its opener
    exact: int = 0  # how many actions have both delimiters, spelt right
    bare: set[int] = field(default_factory=set)  # heads of actions whose content is empty


def _add_delimiters(action: Action, text: str, dialect: Dialect, delimiters: _Delimiters) -> None:
    """Add the lines that the reading took for the delimiters of an action, if they are misspelt."""
    if action.content is not None and not action.content.strip():
        delimiters.bare.add(line_start(text, action.span.start))
    place = action.content_span
    if place is None or place.start <= action.span.start:
        return
    opener = line_start(text, max(place.start - 1, 0))
    is_exact = _line(text, opener).rstrip() in dialect.fences
    # Where the opener is missing, this is the last line of the head.
    is_misspelt = not is_exact and dialect.line_pattern.fullmatch(_line(text, opener) + "\n") is None
    if is_misspelt and opener > action.span.start:
        delimiters.openers.add(opener)
    if action.completeness in (Completeness.TRUNCATED, Completeness.UNTERMINATED):
        return
    closer = line_start(text, action.span.end)
    shown = _line(text, closer).strip()
    delimiters.exact += is_exact and shown in dialect.closers
    if shown and closer >= place.end and (not is_exact or _is_near(shown, dialect.marks["close"])):
        delimiters.closers[closer] = opener


def _is_near(shown: str, mark: str) -> bool:
    """Return whether a line is made of a closer's characters, or begins with the closer."""
    return shown.startswith(mark) or set(shown.replace(" ", "")) <= set(mark)


class _Balance:
    """Counts delimiter lines."""

    def __init__(self, dialect: Dialect, heads: Mapping[int, bool], delimiters: _Delimiters) -> None:
        self.heads, self.delimiters = heads, delimiters
        self.fences, self.ends = dialect.fences, dialect.closers
        self.is_twofold = not self.ends.isdisjoint(self.fences)  # one mark opens and closes
        self.attribute = dialect.marks.get("attribute", "")
        self.mark, self.target = dialect.marks["action"], dialect.marks["target"]
        self.writing = dialect.verbs["writing"]
        self.found: list[Nest] = []
        self.depth = 0
        self.indents: set[str] = set()  # of the openers since depth 0
        self.opened: set[int] = set()  # the lines that opened a block
        self.outer = -1  # the head of the outermost block
        self.head = -1  # the last one
        self.is_fresh = False  # whether the line above is the head of an action that writes
        self.inner: list[int] = []  # the heads at depth 1 or more that are in no nest yet
        self.was_closed = False  # whether a block ends right above
        self.is_wrapped = False  # whether a fence is open around the whole reply
        self.fence = ""  # that is open in the content of the outermost block
        self.before_fence = 0  # how many of the inner heads are above it

    def read(self, text: str) -> tuple[Nest, ...]:
        at = 0
        signs = {"`", "~", *(mark[:1] for mark in (*self.fences, *self.ends))}
        places = {*self.heads, *self.delimiters.openers, *self.delimiters.closers}
        for line in text.split("\n"):
            sign = line.lstrip()[:1]
            if sign in signs or at in places or self.is_twofold:
                self._take(at, line)
            elif sign:  # most lines
                self.was_closed = False
            at += len(line) + 1
        if self.depth and self.outer in self.delimiters.bare:
            self._add(0)
        return tuple(self.found)

    def _take(self, at: int, line: str) -> None:
        shown = line.strip()
        was_closed, self.was_closed = self.was_closed, self.was_closed and not shown
        if shown[:3] in ("```", "~~~") and at not in self.heads and self._take_fence(line, was_closed):
            return
        if at in self.heads:
            self._take_head(at, shown)
        elif at in self.delimiters.openers or (line.rstrip() in self.fences and (not self.is_twofold or self.is_fresh)):
            self._open(at, line)
        elif self._is_closer(at, line, shown):
            self._close()
        elif shown:
            is_attribute = bool(self.attribute) and shown.startswith(self.attribute)
            self.is_fresh = (self.is_fresh and is_attribute) or (self.is_twofold and self._ends_in_head(shown))

    def _is_closer(self, at: int, line: str, shown: str) -> bool:
        if not self.depth:
            return False
        if self.delimiters.closers.get(at) in self.opened:
            return True
        # An indented delimiter counts in a block that was opened by one that is indented alike.
        return shown in self.ends and line[: len(line) - len(line.lstrip())] in self.indents

    def _take_head(self, at: int, shown: str) -> None:
        if self.depth and any(shown.startswith(end) for end in self.ends):  # a closer and a head on one line
            self._close()
        self.head, self.is_fresh = at, self.heads[at]
        if self.depth:
            self.inner.append(at)

    def _open(self, at: int, line: str) -> None:
        self.opened.add(at)
        if not self.depth:
            self.outer, self.inner, self.fence, self.indents = self.head, [], "", {""}
        self.indents.add(line[: len(line) - len(line.lstrip())])
        self.depth += 1
        self.is_fresh = False

    def _close(self) -> None:
        self.depth -= 1
        self.is_fresh, self.was_closed = False, True
        if not self.depth:
            self._add(0)

    def _ends_in_head(self, shown: str) -> bool:
        """Return whether a line that the reading did not take for a head has one that writes, maybe after text."""
        _, mark, after = shown.partition(self.mark)
        words = after.split()
        return bool(mark and words) and words[0].lower() in self.writing and self.target in after

    def _take_fence(self, line: str, was_closed: bool) -> bool:
        """Return whether a line is a Markdown fence that counts; `was_closed`: a block ends right above it."""
        match = FENCE.fullmatch(line)
        if match is None or self.depth > 1:
            return False
        run, is_end = match["run"], not match["info"]
        if not self.depth:
            self.is_wrapped = not self.is_wrapped
        elif self.fence:
            if is_end and run.startswith(self.fence):
                self._add(self.before_fence)
                self.fence = ""
                return True
        elif is_end and was_closed and self.inner and not self.is_wrapped:
            self._add(0)
        else:
            self.fence, self.before_fence = run, len(self.inner)
        return False

    def _add(self, first: int) -> None:
        """Make a nest of the inner heads from one on; each is in one nest, so that all take linear time."""
        taken: list[int] = []
        while len(self.inner) > first:
            taken.append(self.inner.pop())
        if taken and self.outer >= 0:
            self.found.append(Nest(self.outer, tuple(taken[::-1])))


def line_start(text: str, at: int) -> int:
    """Return where the line of an offset begins."""
    return text.rfind("\n", 0, at) + 1


def _line(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start:] if end < 0 else text[start:end]
