"""The JSON objects of a model's reply, in their order: alone, in fences, in prose, in thinking.

One pass from left to right. Between values it sees only where an object or list begins, fences and the tokens of
thinking and turns; in a value it sees what `tokens` sees, so that nothing in a string is taken for a mark. Which tokens
there are, and whether an object is asked for, is not known here (`core/discourse`, `speech`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...core.discourse.marks import Mark, find_tokens
from ...core.discourse.passages import Channel
from ...core.discourse.tables import CHANNEL, CLOSE, OPEN, TURN
from ...core.patterns.regexes import Match, Pattern, compile_pattern
from .joints import find_joint, is_list_right_before
from .tokens import ARRAY_BEGINS, BLANKS, OBJECT_BEGINS, Stretch, measure

_MARKS = f"(?P<object>{OBJECT_BEGINS})|(?P<array>{ARRAY_BEGINS})|(?P<fence>`{{3,}}+|~{{3,}}+)"
_OBJECT = compile_pattern(OBJECT_BEGINS)
_OUTSIDE = compile_pattern(_MARKS)
_INSIDE = compile_pattern(_MARKS + r"|(?P<closer>[}\]])|(?P<paragraph>\n[ \t\r]*+\n)")
_FIRST = compile_pattern(rf"{BLANKS}*+(?={OBJECT_BEGINS})")
_LAST = compile_pattern(rf"{BLANKS}*+\Z")
_LABEL = compile_pattern(r"[ \t]*+(?P<label>[A-Za-z][A-Za-z0-9_+.-]*+)?")
_BLANKS = compile_pattern(r"[ \t\r\n]*+")
_REST_OF_BLOCK = compile_pattern(r"[ \t\r\n;]*+(?:`{3,}|~{3,}|\Z)")
_ONLY_MARKS = compile_pattern(r"[ \t\r\n{}\[\],:]*+")
_WIDEST = 100  # characters of blanks that are looked over backwards
_JSON_LABELS = frozenset({"", "json", "jsonc", "json5", "jsonl"})


@dataclass(slots=True)
class Candidate:
    """An object of the reply, or a list; `fault` is empty, "cut-off" or "malformed" (`at` tells where)."""

    start: int
    end: int
    strategy: str  # "code_block" or "braces"
    is_list: bool = False
    fault: str = ""
    at: int = 0
    expected: str = ""
    deepest: int = 0
    set_aside: str = ""  # why it is no answer: "thinking", "code", "inside"
    joint: int | None = None  # where more of it seems to stand beside it
    code: str = ""  # why it does not count, by the discourse of the reply (`speech`)
    reason: str = ""  # the same as a sentence
    is_certain: bool = False  # whether a token says so, not words


class Found(NamedTuple):
    """What a scan finds.

    Attributes:
        candidates: The objects and lists in their order, also those that are no answer.
        breaks: Where fences and tokens of speech are, in order. An answer after one is a new one.
    """

    candidates: list[Candidate]
    breaks: list[int]


class _Fence(NamedTuple):
    mark: str
    label: str
    content: int  # the offset where its content begins, behind blanks


class _Scanner:
    """One reply; `broken` are the brackets that a malformed object left open, `suspects` what was found in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Candidate] = []
        self.breaks: list[int] = []
        self.fences: list[_Fence] = []
        self.broken = ""
        self.suspects = 0  # the first candidate behind the malformed object
        self.after_paragraph = False
        self.begin = len(text) - len(text.lstrip())
        self.list: tuple[int, int] | None = None  # the last one that was passed over
        self.marks: list[Mark] = []
        self.pattern: Pattern | None = None  # the last one that was searched, and what it found
        self.match: Match | None = None

    def scan(self) -> Found:
        at = self._take_first()
        # Most replies to a schema are one object: they need no table of speech.
        if at == len(self.text):
            return Found(self.found, self.breaks)
        self.marks = find_thinking(self.text)
        position = 0
        while True:
            while position < len(self.marks) and self.marks[position].start < at:
                position += 1
            match = self._search(at)
            mark_start = len(self.text)
            if position < len(self.marks):
                mark_start = self.marks[position].start
            if mark_start < len(self.text) and (match is None or mark_start <= match.start()):
                at = self._take_mark(position)
            elif match is not None:
                at = self._take(match)
            else:
                break
        self._leave()
        return Found(self.found, self.breaks)

    def _take_first(self) -> int:
        """Take the object that begins the reply, and return where to go on."""
        first = _FIRST.match(self.text)
        if first is None:
            return 0
        end = self._take_value(first.end(), is_list=False)
        return len(self.text) if _LAST.match(self.text, end) else end

    def _search(self, at: int) -> Match | None:
        """Return the next value or fence; what is known from the last search is not searched again."""
        pattern = _INSIDE if self.broken else _OUTSIDE
        if pattern is not self.pattern or (self.match is not None and self.match.start() < at):
            self.pattern = pattern
            self.match = pattern.search(self.text, at)
        return self.match

    def _take(self, match: Match) -> int:
        """Take what was found, and return where to go on."""
        if match["object"] or match["array"]:
            return self._take_value(match.start(), is_list=bool(match["array"]))
        if match["fence"]:
            self._leave()
            return self._take_fence(match)
        if match["closer"]:
            if self.broken[-1] == ("{" if match["closer"] == "}" else "["):
                self.broken = self.broken[:-1]
                if not self.broken:
                    for candidate in self.found[self.suspects :]:
                        candidate.set_aside = candidate.set_aside or "inside"
            return match.end()
        self.after_paragraph = True
        return match.end() - 1

    def _leave(self) -> None:
        """Leave a malformed object that nothing closed: what follows it on its own lines is not inside."""
        self.broken, self.after_paragraph = "", False

    def _take_value(self, start: int, *, is_list: bool) -> int:
        reach = measure(self.text, start)
        candidate = Candidate(
            start, reach.end, "braces", is_list, reach.fault, reach.end, reach.expected, reach.deepest
        )
        self._place(candidate)
        if self.broken and not (self.after_paragraph and self._begins_line(start)):
            candidate.set_aside = candidate.set_aside or "inside"
        if reach.fault == "malformed":
            return self._break(candidate, reach)
        if not (reach.fault or is_list):
            candidate.joint = self._find_joint(start, reach.end)
        if reach.fault or "{" in self.text[start : reach.end] or (start == 0 and reach.end == len(self.text)):
            self.found.append(candidate)
        else:  # it is a list of words or numbers, as prose has them, unless an object follows at once
            self.list = start, reach.end
        return reach.end

    def _find_joint(self, start: int, end: int) -> int | None:
        if self.list is not None:
            list_start, list_end = self.list
            is_first = list_start == self.begin  # else it is a reference of prose, as in `[1] {…}`
            if is_list_right_before(self.text, list_end, start) and (is_first or list_end == start):
                return list_end
        last = self.found[-1] if self.found else None
        if last is not None and last.fault == "malformed" and _ONLY_MARKS.fullmatch(self.text, last.at, start):
            return last.at  # the bracket that broke it stands between it and this one
        return find_joint(self.text, start, end)

    def _break(self, candidate: Candidate, reach: Stretch) -> int:
        if candidate.is_list and "{" not in self.text[candidate.start : reach.end]:
            return max(reach.end, candidate.start + 1)  # brackets of prose
        if not self.broken:
            self.suspects = len(self.found) + 1
        self.broken, self.after_paragraph = self.broken + reach.open, False
        self.found.append(candidate)
        return max(reach.end, candidate.start + 1)

    def _begins_line(self, start: int) -> bool:
        before = self.text[max(0, start - _WIDEST) : start]
        return "\n" in before and not before[before.rfind("\n") :].strip()

    def _place(self, candidate: Candidate) -> None:
        if not self.fences:
            return
        fence = self.fences[-1]
        if fence.label in _JSON_LABELS:
            candidate.strategy = "code_block"
        elif fence.content != candidate.start or not _REST_OF_BLOCK.match(self.text, candidate.end):
            candidate.set_aside = "code"

    def _take_fence(self, match: Match) -> int:
        self.breaks.append(match.start())
        mark, end = match["fence"], match.end()
        label = _LABEL.match(self.text, end)
        word = (label["label"] or "").lower() if label else ""
        if self.fences and not word and mark[0] == self.fences[-1].mark[0] and len(mark) >= len(self.fences[-1].mark):
            self.fences.pop()
        elif not (self.fences and mark[0] == self.fences[-1].mark[0] and self._closes_behind_value(match)):
            end = label.end() if label else end
            self.fences.append(_Fence(mark, word, _content_of_fence(self.text, end)))
        else:
            self.fences.pop()
        return end

    def _closes_behind_value(self, match: Match) -> bool:
        """Return whether a fence stands right behind a value, and so closes its block whatever word follows."""
        end = self.found[-1].end if self.found else 0
        return end > 0 and match.start() - end < _WIDEST and not self.text[end : match.start()].strip(" \t")

    def _take_mark(self, position: int) -> int:
        """Take a token of thinking or of a turn, and return where to go on."""
        self._leave()
        mark = self.marks[position]
        self.breaks.append(mark.start)
        if not _begins_thinking(mark):
            self.fences.clear()
            return mark.end
        for number in range(position + 1, len(self.marks)):
            ending = self.marks[number]
            if not _begins_thinking(ending):
                self._note_thought(mark.end, ending.start)
                return ending.start if ending.kind == TURN else ending.end
        # The reply ends while the model thinks: what it said before may not be its last word.
        end = len(self.text)
        self.found.append(Candidate(mark.start, end, "braces", fault="cut-off", expected="the end of thinking"))
        return end

    def _note_thought(self, start: int, end: int) -> None:
        """Note that there is an object in a section of thinking, so that people can be told."""
        if match := _OBJECT.search(self.text, start, end):
            reach = measure(self.text[match.start() : end], 0)
            stop = max(match.start() + reach.end, match.end())
            self.found.append(Candidate(match.start(), stop, "braces", set_aside="thinking"))


def _begins_thinking(mark: Mark) -> bool:
    return mark.kind == OPEN or (mark.kind == CHANNEL and mark.value != Channel.FINAL)


def _content_of_fence(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def find_thinking(text: str) -> list[Mark]:
    """Return the tokens of thinking, channels and turns that a reply uses, in order."""
    kinds = (OPEN, CLOSE, CHANNEL, TURN)
    return [mark for mark in find_tokens(text, []) if mark.kind in kinds]


def find_candidates(text: str) -> Found:
    """Return the objects and lists of a reply in their order, also those that are no answer."""
    return _Scanner(text).scan()


def without_thinking(text: str) -> str:
    """Return a reply without its sections of thinking: what is in them was not said to anybody."""
    parts, at, is_thinking = list[str](), 0, False
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
            if not is_thinking:  # its beginning was not written
                parts.clear()
            is_thinking, at = False, mark.end
    return "".join(parts if is_thinking else [*parts, text[at:]])
