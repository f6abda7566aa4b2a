"""The JSON objects of a model's reply, in their order: alone, in fences, in prose; and which of them are drafts.

One pass from left to right. Between values it sees only where an object or list begins, fences and the tags of
thinking; in a value it sees what `tokens` sees, so that nothing in a string is taken for a mark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...core.patterns.regexes import Match, compile_pattern
from .joints import find_joint, is_list_right_before
from .tokens import ARRAY_BEGINS, OBJECT_BEGINS, Stretch, measure

_TAGS = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|seed:think"
_TAG_ENDS = f"(?:{_TAGS})(?:[ \t][^<>\n]{{0,200}})?>"
_THINKING = (
    rf"(?i:(?P<closes></{_TAG_ENDS}|\[/think\]|◁/think▷|<\|end_of_thought\|>|<\|channel\|>final)"
    rf"|<{_TAG_ENDS}|\[think\]|◁think▷|<\|begin_of_thought\|>|<\|channel\|>(?:analysis|commentary))"
)
_MARKS = f"(?P<object>{OBJECT_BEGINS})|(?P<thinking>{_THINKING})|(?P<array>{ARRAY_BEGINS})|(?P<fence>`{{3,}}+|~{{3,}}+)"
_OBJECT = compile_pattern(OBJECT_BEGINS)
_OUTSIDE = compile_pattern(_MARKS)
_INSIDE = compile_pattern(_MARKS + r"|(?P<closer>[}\]])|(?P<paragraph>\n[ \t\r]*+\n)")
_THINKING_ENDS = compile_pattern(_THINKING)
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
    set_aside: str = ""  # why it is no answer: "draft", "code", "inside"
    joint: int | None = None  # where more of it seems to stand beside it


class _Fence(NamedTuple):
    mark: str
    label: str
    content: int  # the offset where its content begins, behind blanks


class _Scanner:
    """One reply; `broken` are the brackets that a malformed object left open, `suspects` what was found in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Candidate] = []
        self.fences: list[_Fence] = []
        self.broken = ""
        self.suspects = 0  # the first candidate behind the malformed object
        self.after_paragraph = False
        self.thoughts = 0  # how many of them are known to be drafts
        self.begin = len(text) - len(text.lstrip())
        self.list: tuple[int, int] | None = None  # the last one that was passed over

    def scan(self) -> list[Candidate]:
        at = 0
        while match := (_INSIDE if self.broken else _OUTSIDE).search(self.text, at):
            at = self._take(match)
        self._leave()
        return self.found

    def _take(self, match: Match) -> int:
        """Take what was found, and return where to go on."""
        if match["object"] or match["array"]:
            return self._take_value(match.start(), is_list=bool(match["array"]))
        if match["fence"]:
            self._leave()
            return self._take_fence(match)
        if match["thinking"]:
            self._leave()
            return self._take_thinking(match)
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

    def _take_thinking(self, match: Match) -> int:
        if match["closes"]:  # its beginning was not written: all before it was thinking
            for candidate in self.found[self.thoughts :]:
                candidate.set_aside = "draft"
            self.thoughts = len(self.found)
            self.fences.clear()
            return match.end()
        if self.text[match.start() - 1 : match.start()] == "`":
            return match.end()
        at, count = match.end(), len(self.found)
        while inner := _THINKING_ENDS.search(self.text, at):
            at = inner.end()
            if inner["closes"]:
                break
        else:  # the reply ends while the model thinks: what it said before may not be its last word
            end = len(self.text)
            self.found.append(Candidate(match.start(), end, "braces", fault="cut-off", expected="the end of thinking"))
            return end
        self._note_drafts(match.end(), at)
        for candidate in self.found[count:]:
            candidate.set_aside = "draft"
        return at

    def _note_drafts(self, start: int, end: int) -> None:
        """Note that there is an object in a stretch of thinking, so that people can be told."""
        if found := _OBJECT.search(self.text, start, end):
            self.found.append(Candidate(found.start(), end, "braces", set_aside="draft"))


def _content_of_fence(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def find_candidates(text: str) -> list[Candidate]:
    """Return the objects and lists of a reply in their order, also those that are no answer."""
    return _Scanner(text).scan()


def without_thinking(text: str) -> str:
    """Return a reply without its sections of thinking: what is in them was not said to anybody."""
    parts, at, is_thinking = list[str](), 0, False
    for match in _THINKING_ENDS.finditer(text):
        if match["closes"]:
            if not is_thinking:  # its beginning was not written
                parts.clear()
            is_thinking, at = False, match.end()
        elif not is_thinking:
            parts.append(text[at : match.start()])
            is_thinking = True
    return "".join(parts if is_thinking else [*parts, text[at:]])
