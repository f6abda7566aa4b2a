"""Judge by the discourse whether an action is asked for, when the action begins.

The lines of a stream outside of contents are held here. When an action begins, `read_discourse`
reads them again, with the actions before it. Lines without a token or label are forgotten as soon
as they cannot be a lead of the next action: so a line is read a few times, not once for each
action after it. Nothing is read in a text that may be valid.

Later text may remove a doubt: a label of another speaker is an echo if a turn of the
assistant follows. So a doubt is announced only if no text of `_LATER` takes it back.

Not here: doubts that later text raises, and those beyond the limits.
`Announcements.notice_doubts` announces the diagnostics of the final document that were not
announced here.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from ..grammar import codes
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import Source, Span, size
from .incoming import PlacedLine

if TYPE_CHECKING:
    from ..discourse.passages import Passage

# The codes of doubts about actions that the text around them gives.
DOUBTS = frozenset(
    (
        codes.BEHIND_THE_END,
        codes.INVENTED_TURN,
        codes.NESTED_SECTION,
        codes.NOT_ASKED,
        codes.OTHER_SPEAKER,
        codes.TEXT_BEHIND_CLOSER,
        codes.THOUGHT,
    )
)
# Texts that may follow, each with another meaning for what is before it: a turn of the assistant,
# the channel of its answer, both, and titles.
_LATER = (
    "\n<|im_start|>assistant\n",
    "\nassistant: yes\n",
    "\n<|channel|>final<|message|>",
    "\n<|im_start|>assistant\n<|channel|>final<|message|>",
    "\n## Answer\n",
    "\n# Notes\n\n## Notes\n\n### Notes\n",
)
# Beyond these characters nothing more is judged here: texts full of labels stay linear.
_MAX_HELD = 20_000
_MAX_READ = 200_000


class _Lines(NamedTuple):
    """Lines of a reply as one text.

    Attributes:
        text: The text of the lines.
        starts: The offset of each line in the reply.
        offsets: The offset of each line in the text, and that of its end.
    """

    text: str
    starts: list[int]
    offsets: list[int]

    def find(self, spans: list[Span]) -> list[Span]:
        """Return where the lines of some sections of the reply are in the text."""
        source = Source(self.text)
        places = []
        for span in spans:
            first = bisect_left(self.starts, span.start)
            last = bisect_left(self.starts, span.end)
            if first < last:
                places.append(source.span(self.offsets[first], self.offsets[last]))
        return places


class Doubts:
    """The doubts about the actions of a stream."""

    def __init__(self) -> None:
        self._lines: list[PlacedLine] = []
        self._actions: list[Span] = []  # places in the reply
        self._own: list[Span] = []  # thoughts and others: neither actions nor prose
        self._held = 0  # characters of these lines
        self._read = 0  # characters that were read again
        self._next = 0  # a line before this offset was put here already
        self._is_over = False

    def put(self, line: PlacedLine) -> None:
        """Hold a line outside of contents. One that is put here twice is held once.

        Args:
            line: The line.
        """
        if self._is_over or line.start < self._next:
            return
        self._next = line.start + 1
        self._lines.append(line)
        self._held += size(line.text)
        if self._held > _MAX_HELD:
            self._stop()

    def _stop(self) -> None:
        """Judge nothing more, and forget all lines: memory is bounded."""
        self._is_over = True
        self._lines.clear()
        self._actions.clear()
        self._own.clear()

    def pass_over(self, span: Span) -> None:
        """Know that the lines of a section are not prose.

        Args:
            span: The position of a section that is not an action.
        """
        if not self._is_over:
            self._own.append(span)

    def begin(self, span: Span) -> None:
        """Know that an action begins.

        Args:
            span: The position of its head.
        """
        if not self._is_over:
            self._actions.append(span)

    def end(self, span: Span) -> None:
        """Know where the action ends that began last.

        Args:
            span: Its position.
        """
        if self._actions:
            self._actions[-1] = span

    def judge(self) -> Diagnostic | None:
        """Return the doubt about the action that began last; None if there is none so far."""
        if self._is_over or not self._actions:
            return None
        span = self._actions[-1]
        lines = self._lines_before(span.end)
        actions = lines.find(self._actions)
        if len(actions) < len(self._actions):
            return None
        own = lines.find(self._own)
        text = lines.text
        first = self._read_last(text, actions, own)
        if first is None:
            self._forget(text, actions)
            return None
        if any(self._read_last(text + later, actions, own) is None for later in _LATER):
            return None
        from ..discourse.findings import describe

        message = describe(first, text)
        return Diagnostic(first.code, message, span, Severity.WARNING)

    def _lines_before(self, end: int) -> _Lines:
        """Return the lines that begin before an offset of the reply."""
        parts = []
        starts = []
        offsets = [0]
        for line in self._lines:
            if line.start >= end:
                break
            parts.append(line.text)
            starts.append(line.start)
            offsets.append(offsets[-1] + len(line.text))
        return _Lines("".join(parts), starts, offsets)

    def _read_last(self, text: str, actions: list[Span], own: list[Span]) -> Passage | None:
        """Return the passage of the last action if it has a doubt.

        Args:
            text: The lines, and maybe text that follows them.
            actions: The places of the actions in it.
            own: The places of thoughts and others.
        """
        self._read += size(text)
        if self._read > _MAX_READ:
            self._stop()
            return None
        # A stream of a valid reply never needs them.
        from ..discourse.reading import read_discourse

        for passage in read_discourse(text, actions, own=own):
            if passage.code and passage.span.start == actions[-1].start:
                return passage
        return None

    def _forget(self, text: str, actions: list[Span]) -> None:
        """Forget the lines before the last two actions, if they have no mark and no lead for more.

        Args:
            text: The lines so far.
            actions: The places of the actions in it.
        """
        from ..discourse.marks import FENCE
        from ..discourse.reading import find_marks

        if self._is_over or len(actions) < 2:
            return
        places = [(action.start, action.end) for action in actions]
        between = text[places[-2][1] : places[-1][0]]
        if not between.strip() or find_marks(text, places, places)[0] or FENCE.search(text):
            return
        start = self._actions[-2].start
        self._lines = [line for line in self._lines if line.start >= start]
        self._held = sum([size(line.text) for line in self._lines])
        self._actions = self._actions[-2:]
        self._own = [span for span in self._own if span.start >= start]
