"""Find the examples in a prompt: in tags, in fences, in turns of a transcript, or loose in prose.

The text between tags of requests, files and contexts is the user's, and is not searched. All other
text is prose, line by line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field

from .kinds import LineKinds
from .passage import Passage

REPLY, TURN, FENCE, LOOSE = "reply", "turn", "fence", "loose"
# Tags around replies of a model.
_REPLY_TAGS = {
    "reply",
    "assistant",
    "assistant_reply",
    "answer",
    "output",
    "response",
    "completion",
    "example_output",
    "example_response",
    "ideal_output",
    "ideal_response",
}
# Tags around texts of the user.
_USER_TAGS = {
    "request",
    "user",
    "human",
    "customer",
    "question",
    "query",
    "input",
    "task",
    "file",
    "files",
    "document",
    "documents",
    "tool_result",
    "tool_results",
}
_TAG = re.compile(
    r"""
    [ \t]*<
    ([A-Za-z][\w-]*?)  # the name
    (_\d+)?            # its number
    ((?:\s[^<>]*)?)    # attributes
    >[ \t]*\r?\n?
    """,
    re.VERBOSE,
)
_FENCE = re.compile(
    r"""
    ([ \t]*)           # the indentation
    (`{3,}|~{3,})      # the mark
    [ \t]*
    ([^`\r\n]*?)       # the language
    [ \t]*\r?\n?
    """,
    re.VERBOSE,
)
_HEADING = re.compile(r"#{1,6} \S.*", re.DOTALL)
_RULE = re.compile(r"(-{3,}|\*{3,}|_{3,}|={3,})\s*")
_ROLE = re.compile(
    r"""
    (?:[#*_]{1,6}[ ]?)?  # of a heading, or of bold text
    (User|Human|Customer|Assistant|AI|Model|System|Tool|Function)
    (?:[*_]{1,2})?
    [ \t]*:
    (?:[*_]{1,2})?
    [ \t]*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ASSISTANT = frozenset(("assistant", "ai", "model"))
# The languages of fences in which an example may be.
_PLAIN_INFO = re.compile(
    r"(text|txt|plain|none|output|sym-?ops|symops[\w-]*|v\d[\w.]*|md|markdown)?", re.IGNORECASE
)


@dataclass(frozen=True)
class Excerpt:
    """An example of a reply.

    Attributes:
        passage: The example.
        how: Where it was found: `REPLY`, `TURN`, `FENCE` or `LOOSE`.
    """

    passage: Passage
    how: str


@dataclass
class Found:
    """The examples of a prompt, and the lines that are prose."""

    excerpts: list[Excerpt] = field(default_factory=list)
    prose: list[Passage] = field(default_factory=list)


def find_excerpts(passage: Passage, kinds: LineKinds) -> Found:
    """Return the examples and the prose of a prompt.

    Args:
        passage: The prompt.
        kinds: The kinds of lines of the dialect that is taught.
    """
    return _Finder(passage, kinds).find()


class _Finder:
    """Reads the lines of a prompt from the first to the last.

    A step takes the number of a line. If an example, or another unit, begins there, it takes the
    whole unit, and returns the number of the line after it.
    """

    def __init__(self, passage: Passage, kinds: LineKinds) -> None:
        self.passage = passage
        self.kinds = kinds
        self.spans = list(passage.lines())
        self.lines = [passage.text[start:stop] for start, stop in self.spans]
        self.bare = [line.rstrip("\r\n") for line in self.lines]
        self.found = Found()
        # The numbers of equal lines, so that an end is found in a prompt of any length at once.
        self._numbers: dict[str, list[int]] = {}
        roles = set()
        for number, line in enumerate(self.bare):
            self._numbers.setdefault(line.strip(), []).append(number)
            match = _ROLE.match(line)
            if match:
                roles.add(match[1].lower() in _ASSISTANT)
        self._fences: dict[str, list[int]] = {}  # the lines that can end a fence, by its mark
        # One role alone may be a label of prose, such as "System: Linux".
        self.is_transcript = len(roles) == 2

    def find(self) -> Found:
        number = 0
        while number < len(self.lines):
            for step in (self._tagged, self._fenced, self._turn, self._loose):
                end = step(number)
                if end is not None:
                    number = end
                    break
            else:
                self.found.prose.append(self.passage.part(*self.spans[number]))
                number += 1
        return self.found

    def _next(self, lines: Iterable[str], number: int, may_be_indented: bool) -> int | None:
        """Return the first of some lines from a number on."""
        nearest = []
        for line in lines:
            numbers = self._numbers.get(line, [])
            index = bisect_left(numbers, number)
            if not may_be_indented:
                while index < len(numbers) and self.bare[numbers[index]][:1] in (" ", "\t"):
                    index += 1
            nearest += numbers[index : index + 1]
        return min(nearest, default=None)

    def _take(self, first: int, stop: int, how: str, cut: int = 0, indent: int = 0) -> None:
        """Take lines as an example.

        Args:
            first: The number of the first line.
            stop: The number after the last line.
            how: Where the example is.
            cut: Number of characters to leave out at the beginning of the first line.
            indent: Number of blanks to leave out at the beginning of each line.
        """
        while stop > first and not self.bare[stop - 1].strip():
            stop -= 1
        if stop <= first:
            return
        start = self.spans[first][0] + cut
        part = self.passage.part(start, self.spans[stop - 1][1])
        if part.text.strip():
            self.found.excerpts.append(Excerpt(part.dedented(indent) if indent else part, how))

    def _tagged(self, number: int) -> int | None:
        match = _TAG.fullmatch(self.lines[number])
        # Some dialects have lines that look like tags.
        if match is None or self.kinds.is_certain(self.bare[number]):
            return None
        name = match[1].lower().replace("-", "_")
        is_reply = name in _REPLY_TAGS
        if not (is_reply or name in _USER_TAGS or name.startswith("context_")):
            return None
        closing = f"</{match[1]}{match[2] or ''}>"
        end = self._next([closing], number + 1, may_be_indented=True)
        if end is None:
            return None
        if is_reply:
            self._take(number + 1, end, REPLY)
        return end + 1

    def _fenced(self, number: int) -> int | None:
        match = _FENCE.fullmatch(self.lines[number])
        end = self._fence_end(number, match[2]) if match else None
        if match is None or end is None:
            return None
        language = match[3].split(" ")[0]
        is_plain = _PLAIN_INFO.fullmatch(language) is not None
        if self._is_example(self.bare[number + 1 : end], is_plain):
            self._take(number + 1, end, FENCE, indent=len(match[1]))
        return end + 1

    def _fence_end(self, number: int, mark: str) -> int | None:
        """Return the line that ends a fence, if there is one."""
        if mark not in self._fences:
            ends = []
            for line, numbers in self._numbers.items():
                # The closing fence is at least as long, and has nothing after it.
                if line.startswith(mark) and not line.strip(mark[0]):
                    ends += numbers
            self._fences[mark] = sorted(ends)
        ends = self._fences[mark]
        index = bisect_left(ends, number + 1)
        return ends[index] if index < len(ends) else None

    def _is_example(self, lines: list[str], is_plain: bool) -> bool:
        """Return whether a fence has an example of this dialect or another one."""
        kinds = self.kinds
        for line in lines:
            if kinds.is_certain(line) or kinds.foreign(line):
                return True
        if not is_plain:
            return False
        # In a fence without a language, lines that are nearly right are enough.
        return any(kinds.is_near(line) or kinds.is_certain(line.strip()) for line in lines)

    def _turn(self, number: int) -> int | None:
        """Take a turn of a transcript: that of the assistant is an example with any content."""
        match = _ROLE.match(self.lines[number]) if self.is_transcript else None
        if match is None:
            return None
        end = number + 1
        while end < len(self.lines) and not self._ends_turn(end):
            # A content may have lines that look like roles.
            end = self._skip_block(end) or end + 1
        if match[1].lower() in _ASSISTANT:
            if self.lines[number][match.end() :].strip():
                self._take(number, end, TURN, cut=match.end())
            else:
                self._take(number + 1, end, TURN)
        return end

    def _ends_turn(self, number: int) -> bool:
        line = self.lines[number]
        if self.kinds.own(line) is not None:
            return False
        text = self.bare[number].strip()
        if text.startswith("</") or _ROLE.match(line) or _HEADING.fullmatch(line):
            return True
        return _RULE.fullmatch(line) is not None and text not in self.kinds.delimiters

    def _skip_block(self, number: int) -> int | None:
        """Return the line after a block, if one begins here and is closed."""
        closers = self.kinds.closers_of(self.bare[number].rstrip(" \t"))
        end = self._next(closers, number + 1, may_be_indented=False)
        return None if end is None else end + 1

    def _loose(self, number: int) -> int | None:
        """Take a run of lines that are markup, if one of them certainly is."""
        kinds = self.kinds
        if not self._is_markup(number) and not kinds.is_near(self.bare[number]):
            return None
        end = last = number
        is_certain = False
        while end < len(self.lines):
            line = self.bare[end]
            # Blank lines are between the lines of an example, not at its end.
            if not line.strip():
                end += 1
                continue
            is_head = kinds.is_certain(line) or kinds.foreign(line) is not None
            if not is_head and not self._is_markup(end):
                # A line that is only nearly right begins an example, or continues one.
                if not kinds.is_near(line) or not (is_certain or end == number):
                    break
                is_certain = True
            is_certain = is_certain or is_head
            block = self._skip_block(end)
            if block is None and is_head:
                block = self._skip_odd_block(end + 1)
            end = last = block or end + 1
        if is_certain:
            self._take(number, last, LOOSE)
            return last
        for span in self.spans[number:last]:
            self.found.prose.append(self.passage.part(*span))
        return last if last > number else None

    def _is_markup(self, number: int) -> bool:
        line = self.bare[number]
        if self.kinds.own(line) is not None or self.kinds.foreign(line) is not None:
            return True
        return bool(line.strip()) and bool(self.kinds.closers_of(line.rstrip()))

    def _skip_odd_block(self, number: int) -> int | None:
        """Return the line after a block with an unknown opener, if the block is closed."""
        if number >= len(self.bare) or not self.bare[number].strip() or self._is_markup(number):
            return None
        fence = _FENCE.fullmatch(self.lines[number])
        end = self._fence_end(number, fence[2]) if fence else None
        if end is not None:
            return end + 1
        for index, line in enumerate(self.bare[number + 1 :], number + 1):
            if self.kinds.is_closer(line.rstrip(" \t")):
                return index + 1
            # The next section begins: there was no block.
            if self.kinds.is_certain(line) or self.kinds.foreign(line) or _HEADING.fullmatch(line):
                return None
        return None
