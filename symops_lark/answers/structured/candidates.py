"""Find the JSON objects of a model's reply, in order: alone, in fences, in prose, in thinking.

One pass from left to right. Between values it reads only the beginnings of objects and lists,
fences, and the tokens of thinking and turns. Inside a value it reads what `tokens` reads, so that
nothing in a string counts as a mark. Which tokens there are, and whether an object is asked for, is
not known here (`core/discourse`, `speech`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...core.discourse.marks import Mark, find_tokens
from ...core.discourse.passages import Channel
from ...core.discourse.tables import CHANNEL, CLOSE, OPEN, TURN
from ...core.patterns.regexes import Match, Pattern, compile_pattern
from .joints import find_joint, is_list_right_before
from .tokens import ARRAY_BEGINS, BLANKS, OBJECT_BEGINS, measure

_MARKS = f"(?P<object>{OBJECT_BEGINS})|(?P<array>{ARRAY_BEGINS})|(?P<fence>`{{3,}}+|~{{3,}}+)"
_OBJECT = compile_pattern(OBJECT_BEGINS)
_OUTSIDE = compile_pattern(_MARKS)
_INSIDE = compile_pattern(_MARKS + r"|(?P<closer>[}\]])|(?P<paragraph>\n[ \t\r]*+\n)")
_FIRST = compile_pattern(rf"{BLANKS}*+(?={OBJECT_BEGINS})")
_LAST = compile_pattern(rf"{BLANKS}*+\Z")
# The label of a fence, and the blanks before its content.
_LABEL = compile_pattern(r"[ \t]*+(?P<label>[A-Za-z][A-Za-z0-9_+.-]*+)?+(?P<blanks>[ \t\r\n]*+)")
_END_OF_BLOCK = compile_pattern(r"[ \t\r\n;]*+(?:`{3,}|~{3,}|\Z)")
_ONLY_MARKS = compile_pattern(r"[ \t\r\n{}\[\],:]*+")
_MAX_BLANKS = 100  # characters that are read backwards
_JSON_LABELS = frozenset({"", "json", "jsonc", "json5", "jsonl"})
_OPENERS = {"}": "{", "]": "["}


@dataclass(slots=True)
class Candidate:
    """An object or a list of the reply.

    Attributes:
        start: The offset of its bracket.
        end: The offset after it.
        strategy: "code_block" or "braces"; `extraction` also sets "direct".
        is_list: Whether it is a list.
        fault: Empty, "cut-off", "malformed" or "too-deep".
        at: The offset of the fault.
        expected: What is missing there.
        deepest: The depth of objects and lists.
        set_aside: Why it is not an answer: "thinking", "code" or "inside".
        joint: The offset where it seems to continue beside itself; None if it does not.
        code: Why it does not count, by the discourse of the reply (`speech`).
        reason: The same as a sentence.
        is_certain: Whether a token is the reason, not words.
    """

    start: int
    end: int
    strategy: str = "braces"
    is_list: bool = False
    fault: str = ""
    at: int = 0
    expected: str = ""
    deepest: int = 0
    set_aside: str = ""
    joint: int | None = None
    code: str = ""
    reason: str = ""
    is_certain: bool = False


class Scan(NamedTuple):
    """The result of a scan.

    Attributes:
        candidates: The objects and lists in order, also those that are not answers.
        breaks: The offsets of fences and tokens of speech, in order. An answer after one is new.
    """

    candidates: list[Candidate]
    breaks: list[int]


class _Fence(NamedTuple):
    mark: str
    label: str
    content: int  # the offset of its content, after blanks


@dataclass(slots=True)
class _Broken:
    """A malformed object that nothing has closed yet."""

    brackets: str = ""  # that it left open; empty: there is no such object
    first: int = 0  # the index of the first candidate after its beginning
    after_paragraph: bool = False  # whether a blank line has followed


class _Scanner:
    """The scan of one reply."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.candidates: list[Candidate] = []
        self.breaks: list[int] = []
        self.fences: list[_Fence] = []  # that are open
        self.broken = _Broken()
        self.begin = len(text) - len(text.lstrip())
        self.list: tuple[int, int] | None = None  # the last one that was skipped
        self.marks: list[Mark] = []
        self.pattern: Pattern | None = None  # of the last search, with its result
        self.match: Match | None = None

    def scan(self) -> Scan:
        at = self._take_first()
        # Most replies to a schema are one object: they need no table of speech.
        if at < len(self.text):
            self.marks = find_thinking(self.text)
            self._scan_from(at)
        return Scan(self.candidates, self.breaks)

    def _scan_from(self, at: int) -> None:
        index = 0  # of the next token of speech
        while True:
            while index < len(self.marks) and self.marks[index].start < at:
                index += 1
            match = self._search(at)
            next_match = len(self.text) if match is None else match.start()
            if index < len(self.marks) and self.marks[index].start <= next_match:
                at = self._take_mark(index)
            elif match is not None:
                at = self._take(match)
            else:
                break
        self._leave()

    def _take_first(self) -> int:
        """Take the object that begins the reply, and return the offset after it."""
        first = _FIRST.match(self.text)
        if first is None:
            return 0
        end = self._take_value(first.end(), is_list=False)
        return len(self.text) if _LAST.match(self.text, end) else end

    def _search(self, at: int) -> Match | None:
        """Return the next value or fence; the result of the last search is used again."""
        pattern = _INSIDE if self.broken.brackets else _OUTSIDE
        is_behind = self.match is not None and self.match.start() < at
        if pattern is not self.pattern or is_behind:
            self.pattern = pattern
            self.match = pattern.search(self.text, at)
        return self.match

    def _take(self, match: Match) -> int:
        """Process a match, and return the offset where the scan continues."""
        if match["object"] or match["array"]:
            return self._take_value(match.start(), is_list=bool(match["array"]))
        if match["fence"]:
            self._leave()
            return self._take_fence(match)
        if match["closer"]:
            self._close_broken(match["closer"])
            return match.end()
        self.broken.after_paragraph = True
        # The last line feed may begin another blank line.
        return match.end() - 1

    def _close_broken(self, closer: str) -> None:
        broken = self.broken
        if broken.brackets[-1] != _OPENERS[closer]:
            return
        broken.brackets = broken.brackets[:-1]
        if broken.brackets:
            return
        # The malformed object is closed after all, so everything since then was inside it.
        for candidate in self.candidates[broken.first :]:
            candidate.set_aside = candidate.set_aside or "inside"

    def _leave(self) -> None:
        """Leave a malformed object that nothing closed: text on later lines is not inside it."""
        self.broken.brackets = ""
        self.broken.after_paragraph = False

    def _take_value(self, start: int, *, is_list: bool) -> int:
        extent = measure(self.text, start)
        candidate = Candidate(
            start,
            extent.end,
            is_list=is_list,
            fault=extent.fault,
            at=extent.end,
            expected=extent.expected,
            deepest=extent.deepest,
        )
        self._place(candidate)
        is_separate = self.broken.after_paragraph and self._begins_line(start)
        if self.broken.brackets and not is_separate:
            candidate.set_aside = candidate.set_aside or "inside"
        has_objects = "{" in self.text[start : extent.end]
        if extent.fault == "malformed":
            # Brackets of prose are not lists.
            if has_objects or not is_list:
                self._break(candidate, extent.open)
            return max(extent.end, start + 1)
        if not extent.fault and not is_list:
            candidate.joint = self._find_joint(start, extent.end)
        is_everything = start == 0 and extent.end == len(self.text)
        if extent.fault or has_objects or is_everything:
            self.candidates.append(candidate)
        else:
            # A list of words or numbers, as prose has them, unless an object follows at once.
            self.list = start, extent.end
        return extent.end

    def _find_joint(self, start: int, end: int) -> int | None:
        if self.list is not None:
            list_start, list_end = self.list
            # Otherwise it is a reference of prose, as in `[1] {…}`.
            is_part = list_start == self.begin or list_end == start
            if is_part and is_list_right_before(self.text, list_end, start):
                return list_end
        if self.candidates:
            last = self.candidates[-1]
            # The bracket that broke it may belong to this one.
            if last.fault == "malformed" and _ONLY_MARKS.fullmatch(self.text, last.at, start):
                return last.at
        return find_joint(self.text, start, end)

    def _break(self, candidate: Candidate, brackets: str) -> None:
        if not self.broken.brackets:
            self.broken.first = len(self.candidates) + 1
        self.broken.brackets += brackets
        self.broken.after_paragraph = False
        self.candidates.append(candidate)

    def _begins_line(self, start: int) -> bool:
        before = self.text[max(0, start - _MAX_BLANKS) : start]
        return "\n" in before and not before[before.rfind("\n") :].strip()

    def _place(self, candidate: Candidate) -> None:
        if not self.fences:
            return
        fence = self.fences[-1]
        if fence.label in _JSON_LABELS:
            candidate.strategy = "code_block"
        # In code of another language, an object counts only if it is the whole block.
        elif fence.content != candidate.start or not _END_OF_BLOCK.match(self.text, candidate.end):
            candidate.set_aside = "code"

    def _take_fence(self, match: Match) -> int:
        self.breaks.append(match.start())
        mark = match["fence"]
        end = match.end()
        label = _LABEL.match(self.text, end)
        assert label is not None  # it matches an empty text
        word = (label["label"] or "").lower()
        if self.fences:
            fence = self.fences[-1]
            is_closer = not word and len(mark) >= len(fence.mark)
            if mark[0] == fence.mark[0] and (is_closer or self._closes_after_value(match)):
                self.fences.pop()
                return end
        self.fences.append(_Fence(mark, word, label.end()))
        return label.start("blanks")

    def _closes_after_value(self, match: Match) -> bool:
        """Return whether a fence is right after a value: then it closes its block."""
        end = self.candidates[-1].end if self.candidates else 0
        if end == 0 or match.start() - end >= _MAX_BLANKS:
            return False
        return not self.text[end : match.start()].strip(" \t")

    def _take_mark(self, index: int) -> int:
        """Process a token of thinking or of a turn, and return where the scan continues."""
        self._leave()
        mark = self.marks[index]
        self.breaks.append(mark.start)
        if not _begins_thinking(mark):
            self.fences.clear()
            return mark.end
        for following in range(index + 1, len(self.marks)):
            ending = self.marks[following]
            if not _begins_thinking(ending):
                self._add_thought(mark.end, ending.start)
                return ending.start if ending.kind == TURN else ending.end
        # The reply ends while the model thinks: an answer before this may not be its last word.
        end = len(self.text)
        candidate = Candidate(mark.start, end, fault="cut-off", expected="the end of thinking")
        self.candidates.append(candidate)
        return end

    def _add_thought(self, start: int, end: int) -> None:
        """Add the first object in a section of thinking, which is only reported."""
        match = _OBJECT.search(self.text, start, end)
        if match is None:
            return
        extent = measure(self.text[match.start() : end], 0)
        stop = max(match.start() + extent.end, match.end())
        self.candidates.append(Candidate(match.start(), stop, set_aside="thinking"))


def _begins_thinking(mark: Mark) -> bool:
    return mark.kind == OPEN or (mark.kind == CHANNEL and mark.value != Channel.FINAL)


def find_thinking(text: str) -> list[Mark]:
    """Return the tokens of thinking, channels and turns that a reply uses, in order."""
    kinds = (OPEN, CLOSE, CHANNEL, TURN)
    return [mark for mark in find_tokens(text, []) if mark.kind in kinds]


def find_candidates(text: str) -> Scan:
    """Return the objects and lists of a reply in order, also those that are not answers."""
    return _Scanner(text).scan()


def without_thinking(text: str) -> str:
    """Return a reply without its sections of thinking, which are not part of the answer."""
    parts = []
    at = 0
    is_thinking = False
    for mark in find_thinking(text):
        if _begins_thinking(mark):
            if not is_thinking:
                parts.append(text[at : mark.start])
            is_thinking = True
        elif mark.kind == TURN:
            if is_thinking:
                at = mark.start
            is_thinking = False
        else:
            # The beginning of the section was not written: some templates add it to the prompt.
            if not is_thinking:
                parts.clear()
            is_thinking = False
            at = mark.end
    if not is_thinking:
        parts.append(text[at:])
    return "".join(parts)
