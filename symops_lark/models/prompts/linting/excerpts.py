"""Finds the examples in a prompt: between tags, in fences, in the turns of a transcript, or loose among the prose.

What stands between the tags of requests, files and contexts is the user's and is not looked at. What is left over is
prose, line by line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from .kinds import LineKinds
from .passage import Passage

REPLY, TURN, FENCE, LOOSE = "reply", "turn", "fence", "loose"
_REPLY_TAGS = frozenset(
    (
        *("reply", "assistant", "assistant_reply", "answer", "output", "response", "completion"),
        *("example_output", "example_response", "ideal_output", "ideal_response"),
    )
)
_OTHERS_TAGS = frozenset(
    (
        *("request", "user", "human", "customer", "question", "query", "input", "task"),
        *("file", "files", "document", "documents", "tool_result", "tool_results"),
    )
)
_TAG = re.compile(r"[ \t]*<([A-Za-z][\w-]*?)(_\d+)?((?:\s[^<>]*)?)>[ \t]*\r?\n?")
_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([^`\r\n]*?)[ \t]*\r?\n?")
_HEADING = re.compile(r"#{1,6} \S.*", re.DOTALL)
_RULE = re.compile(r"(-{3,}|\*{3,}|_{3,}|={3,})\s*")
_ROLE = re.compile(
    r"(?:[#*_]{1,6} ?)?(User|Human|Customer|Assistant|AI|Model|System|Tool|Function)(?:[*_]{1,2})?"
    r"[ \t]*:(?:[*_]{1,2})?[ \t]*",
    re.IGNORECASE,
)
_ASSISTANT = frozenset(("assistant", "ai", "model"))
_PLAIN_INFO = re.compile(r"(text|txt|plain|none|output|sym-?ops|symops[\w-]*|v\d[\w.]*|md|markdown)?", re.IGNORECASE)


@dataclass(frozen=True)
class Excerpt:
    """An example of a reply, and how it was found: `reply`, `turn`, `fence` or `loose`."""

    passage: Passage
    how: str


@dataclass
class Found:
    """The examples of a prompt, and the lines that are prose."""

    excerpts: list[Excerpt] = field(default_factory=list)
    prose: list[Passage] = field(default_factory=list)


def find_excerpts(passage: Passage, kinds: LineKinds) -> Found:
    """Find the examples and the prose of a prompt."""
    return _Finder(passage, kinds).find()


class _Finder:
    def __init__(self, passage: Passage, kinds: LineKinds) -> None:
        self.passage, self.kinds = passage, kinds
        self.spans = list(passage.lines())
        self.lines = [passage.text[start:stop] for start, stop in self.spans]
        self.bare = [line.rstrip("\r\n") for line in self.lines]
        self.found = Found()
        self._at: dict[str, list[int]] = {}  # where each line stands, blanks around it aside
        for number, line in enumerate(self.bare):
            self._at.setdefault(line.strip(), []).append(number)
        self._fences: dict[str, list[int]] = {}  # where a fence with a mark could end
        roles = {match[1].lower() in _ASSISTANT for line in self.lines if (match := _ROLE.match(line))}
        self.is_transcript = roles == {True, False}

    def find(self) -> Found:
        """Go through the lines; what begins first is taken to its end."""
        steps: tuple[Callable[[int], int | None], ...] = (self._tagged, self._fenced, self._turn, self._loose)
        at = 0
        while at < len(self.lines):
            end = next((end for step in steps if (end := step(at)) is not None), None)
            if end is None:
                self.found.prose.append(self.passage.part(*self.spans[at]))
            at = at + 1 if end is None else end
        return self.found

    def _next(self, lines: Iterable[str], at: int, indented: bool) -> int | None:
        """Return the next of some lines from a place on; this is quick, however many there are."""
        found = []
        for line in lines:
            places = self._at.get(line, [])
            index = bisect_left(places, at)
            while index < len(places) and not indented and self.bare[places[index]][:1] in (" ", "\t"):
                index += 1
            found += places[index : index + 1]
        return min(found, default=None)

    def _take(self, first: int, stop: int, how: str, cut: int = 0, indent: int = 0) -> None:
        """Take lines as an example; `cut` leaves out the beginning of the first, `indent` that of each."""
        while stop > first and not self.bare[stop - 1].strip():
            stop -= 1
        if stop <= first:
            return
        part = self.passage.part(self.spans[first][0] + cut, self.spans[stop - 1][1])
        if part.text.strip():
            self.found.excerpts.append(Excerpt(part.dedented(indent) if indent else part, how))

    def _tagged(self, at: int) -> int | None:
        match = _TAG.fullmatch(self.lines[at])
        if match is None or self.kinds.is_certain(self.bare[at]):
            return None
        name = match[1].lower().replace("-", "_")
        mine, others = name in _REPLY_TAGS, name in _OTHERS_TAGS or name.startswith("context_")
        if not mine and not others:
            return None
        end = self._next([f"</{match[1]}{match[2] or ''}>"], at + 1, True)
        if end is None:
            return None
        if mine:
            self._take(at + 1, end, REPLY)
        return end + 1

    def _fenced(self, at: int) -> int | None:
        match = _FENCE.fullmatch(self.lines[at])
        if match is None:
            return None
        end = self._fence_end(at, match[2])
        if end is None:
            return None
        inner = self.bare[at + 1 : end]
        if self._looks_like_an_example(inner, bool(_PLAIN_INFO.fullmatch(match[3].split(" ")[0]))):
            self._take(at + 1, end, FENCE, indent=len(match[1]))
        return end + 1

    def _fence_end(self, at: int, mark: str) -> int | None:
        if mark not in self._fences:
            ends = (line for line in self._at if line.startswith(mark) and not line.strip(mark[0]))
            self._fences[mark] = sorted(index for line in ends for index in self._at[line])
        places = self._fences[mark]
        index = bisect_left(places, at + 1)
        return places[index] if index < len(places) else None

    def _looks_like_an_example(self, lines: list[str], plain: bool) -> bool:
        said = [line for line in lines if line.strip()]
        kinds = self.kinds
        if any(kinds.is_certain(line) or kinds.foreign(line) for line in said):
            return True
        stripped = [line.strip() for line in said]
        return plain and (any(map(kinds.is_near, said)) or any(map(kinds.is_certain, stripped)))

    def _turn(self, at: int) -> int | None:
        """Take a turn of a transcript: that of the assistant is an example, whatever it holds."""
        match = _ROLE.match(self.lines[at]) if self.is_transcript else None
        if match is None:
            return None
        end = at + 1
        while end < len(self.lines) and not self._ends_a_turn(end):
            end = self._skip_block(end) or end + 1
        if match[1].lower() in _ASSISTANT:
            blank = not self.lines[at][match.end() :].strip()
            self._take(at + blank, end, TURN, cut=0 if blank else match.end())
        return end

    def _ends_a_turn(self, at: int) -> bool:
        line = self.lines[at]
        if self.kinds.own(line) is not None:
            return False
        rule = bool(_RULE.fullmatch(line)) and self.bare[at].strip() not in self.kinds.delimiters
        closing = self.bare[at].strip().startswith("</")
        return bool(_ROLE.match(line) or _HEADING.fullmatch(line)) or rule or closing

    def _skip_block(self, at: int) -> int | None:
        """Return the line behind a block, if one begins here and is closed."""
        closers = self.kinds.closers_of(self.bare[at].rstrip(" \t"))
        end = self._next(closers, at + 1, False) if closers else None
        return None if end is None else end + 1

    def _loose(self, at: int) -> int | None:
        """Take a run of lines that are markup, if one of them certainly is."""
        if not self._is_markup(at) and not self.kinds.is_near(self.bare[at]):
            return None
        end, last, certain = at, at, False
        while end < len(self.lines):
            line = self.bare[end]
            if not line.strip():
                end += 1
                continue
            head = self.kinds.is_certain(line) or self.kinds.foreign(line) is not None
            if not head and not self._is_markup(end) and not (certain and self.kinds.is_near(line)):
                if not (end == at and self.kinds.is_near(line)):
                    break
                certain = True
            certain = certain or head
            block = self._skip_block(end) or (self._skip_odd_block(end + 1) if head else None)
            end = last = block or end + 1
        if not certain:
            self.found.prose += [self.passage.part(*span) for span in self.spans[at:last]]
            return last if last > at else None
        self._take(at, last, LOOSE)
        return last

    def _is_markup(self, at: int) -> bool:
        line = self.bare[at]
        known = self.kinds.own(line) is not None or self.kinds.foreign(line) is not None
        return known or (bool(line.strip()) and bool(self.kinds.closers_of(line.rstrip())))

    def _skip_odd_block(self, at: int) -> int | None:
        """Return the line behind a block whose opener is not known, such as a fence, if a closer follows."""
        if at >= len(self.bare) or not self.bare[at].strip() or self._is_markup(at):
            return None
        fence = _FENCE.fullmatch(self.lines[at])
        end = self._fence_end(at, fence[2]) if fence else None
        if end is not None:
            return end + 1
        for index in range(at + 1, len(self.bare)):
            line = self.bare[index]
            if self.kinds.is_closer(line.rstrip(" \t")):
                return index + 1
            if self.kinds.is_certain(line) or self.kinds.foreign(line) or _HEADING.fullmatch(line):
                return None
        return None
