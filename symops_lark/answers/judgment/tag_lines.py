"""Split a reply into units, and find the tag that each unit answers with.

Purpose
    A unit is a sentence, or a line without further sentences. A tag is the answer of its unit if
    it is alone in it, or if all other words announce an answer (`The answer is [REVIEW:2].`).
    Every other tag is only named.

    A tag is a *weak* answer if it is at an edge of its line, and the rest of the line is a reason
    or leads to it: `[REVIEW:2] - two tests fail`, `Two tests fail → [REVIEW:2]`. A weak answer
    counts only if its tag is the only one of the reply (`tags.py`).

Invariants
    1. Thoughts, comments and struck-out text are not units (`tag_text`).
    2. Lines of quotations and tables only name tags.
    3. There are no units of thinking and of other speakers, and none at all if another speaker
       follows a tag (`core.discourse` reads who speaks).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from ...core.discourse.passages import Passage, Speaker
from ...core.discourse.reading import find_marks, read_discourse
from ...core.discourse.tables import TURN, our_tables
from ...core.discourse.view import blank_parts
from ...core.grammar.codes import BEHIND_THE_END, INVENTED_TURN, OTHER_SPEAKER, THOUGHT
from ...core.text.source import Span
from .tag_text import plain_text
from .tag_words import (
    DECORATION,
    announces,
    closes,
    find_rule_numbers,
    leads,
    reasons,
    remarks,
    remarks_plainly,
    supposes,
)

LONGEST_NAME = 100  # characters
# `tag_text` has brought all tags into this form.
_TAG = re.compile(r"\[([^\[\]:\n]{1,200}):[ \t]{0,9}([0-9]{1,40})[ \t]{0,9}\]")
# A token of an unknown chat template: `<|reserved|>`; `<s>` and `<bos>`, which begin a text.
_TOKEN = re.compile(r"<\|[A-Za-z_]{1,30}\|>|<s>|<bos>")
_FENCE = re.compile(r"[ \t]*(```+|~~~+)")
# Marks of lists, and headings: "- ", "2) ", "③ ", "## ". Not "-1", "2.5".
_ITEM = re.compile(r"[ \t]*(?:[-*+•・◦▪‣]|[0-9]{1,3}[.)]|[①-⑳]|#{1,6})[ \t]+")
_HEADING = re.compile(r"#{1,6}[ \t]+\S|(?:[-*_][ \t]?){3,}$")
# After a full stop only a blank ends a sentence ("v1.2" does not); CJK needs no blank.
_ENDS = re.compile(r"(?<=[.!?])[ \t]+|(?<=[。！？])")
_ARROWS = ("→", "⇒", "➡", "➜", "->", "=>")
# A line that is one element: `<answer>[REVIEW:2]</answer>`.
_WRAPPED = re.compile(r"<([A-Za-z_-]{1,30})>(.{0,300})</\1>")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or line. Blank lines are units without a text.

    Attributes:
        text: The sentence.
        numbers: The numbers of its tags, in order.
        answer: The number of the tag that the unit answers with. None: there is none.
        style: The mark of the answer: that of a list, a heading, bold type.
        is_weak: Whether the answer counts only if its tag is the only one of the reply.
        begins_line: Whether it is the first sentence of its line.
        is_heading: Whether its line is a heading or a rule, with which another section begins.
        is_code: Whether it is in a piece of code.
        start: The offset of the sentence in the view.
    """

    text: str
    numbers: tuple[int, ...] = ()
    answer: int | None = None
    style: str = ""
    is_weak: bool = False
    begins_line: bool = True
    is_heading: bool = False
    is_code: bool = False
    start: int = 0

    @property
    def is_listed(self) -> bool:
        """Whether the answer is in an item of a list, or is a heading."""
        return bool(_ITEM.fullmatch(self.style))


@dataclass(frozen=True, slots=True)
class Units:
    """The units of a reply.

    Attributes:
        view: The reply in plain form, with blanks in place of tokens, thinking and other speakers.
        units: The units, in order.
        passages: The passages of the tags, in order.
    """

    view: str = ""
    units: Sequence[Unit] = ()
    passages: Sequence[Passage] = ()


def normalise_name(name: str) -> str:
    """Return a name as it is compared: without case, each run of blanks as one."""
    return " ".join(name.casefold().split())


def read_units(text: str, names: Collection[str]) -> Units:
    """Return the units of a reply.

    Args:
        text: The reply.
        names: The names of the tags, as `normalise_name` returns them.

    Returns:
        The units in order. There are none if the reply has no tag, or if its last tag is where no
        answer can be.
    """
    text = plain_text(text)
    tags = [Span(match.start(), match.end()) for match in _tags(text, names)]
    if not tags:
        return Units()  # most replies: nothing to judge
    passages = read_discourse(text, tags, announced=False, verdicts=True)
    places = {(tag.start, tag.end) for tag in tags}
    of_tags = [passage for passage in passages if _place(passage) in places]
    last = of_tags[-1]
    is_doubtful = last.code == THOUGHT and not last.certain
    if is_doubtful or last.code == BEHIND_THE_END or passages[-1].code == INVENTED_TURN:
        return Units()
    view = blank_parts(text, _unsaid_parts(text, passages, sorted(places)))
    units = []
    at = 0
    for unit in _read_lines(view, names):
        # Units are parts of the view, in order.
        at = view.index(unit.text, at)
        units.append(replace(unit, start=at))
        at += len(unit.text)
    return Units(view, units, of_tags)


def _place(passage: Passage) -> tuple[int, int]:
    return passage.span.start, passage.span.end


def _unsaid_parts(
    text: str, passages: Sequence[Passage], tags: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the parts of a text that the assistant does not say: tokens, thinking, other turns."""
    parts = [_place(passage) for passage in passages if passage.code in (THOUGHT, OTHER_SPEAKER)]
    marks, _ = find_marks(text, tags, tags, verdicts=True)
    for mark in marks:
        is_own_label = mark.kind == TURN and mark.value == Speaker.ASSISTANT
        if is_own_label or mark.is_token:
            parts.append((mark.start, mark.end))
    tokens = _TOKEN.finditer(text)
    parts += [token.span() for token in tokens if not our_tables().token_at(text, token.start())]
    return _join_parts(sorted(parts))


def _join_parts(parts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return sorted parts without overlaps."""
    joined = []
    end = 0
    for first, last in parts:
        first = max(first, end)
        if first < last:
            joined.append((first, last))
        end = max(end, last)
    return joined


def _read_lines(text: str, names: Collection[str]) -> Iterator[Unit]:
    """Yield the units of a text that the assistant says."""
    fenced: list[str] | None = None
    mark = ""
    for line in text.split("\n"):
        stripped = line.strip(" \t\u3000")
        fence = _FENCE.match(line)
        if fenced is None and fence:
            fenced = []
            mark = fence[1]
        elif fenced is None:
            yield from _read_line(stripped, names)
        elif fence and fence[1].startswith(mark) and not stripped.strip(mark[0]):
            yield from _read_fenced(fenced, names)
            fenced = None
        else:
            fenced.append(stripped)
    if fenced is not None:
        yield from _read_fenced(fenced, names)


def _read_fenced(lines: list[str], names: Collection[str]) -> list[Unit]:
    """Return the units of a piece of code: an answer only if all of it is one tag."""
    filled = [line for line in lines if line]
    if len(filled) == 1:
        units = list(_read_line(filled[0], names))
        if len(units) == 1 and units[0].answer is not None and not units[0].is_weak:
            return units
    # Code that shows several things only names tags, unless all of it is a list of them.
    units = [unit for line in filled for unit in _read_line(line, names)]
    if filled and all(unit.answer is not None and not unit.is_weak for unit in units):
        return units  # a list of tags
    return [Unit(unit.text, unit.numbers, is_code=True) for unit in units]


def _read_line(line: str, names: Collection[str]) -> Iterator[Unit]:
    if not line or not _TAG.search(line):
        is_heading = bool(_HEADING.match(line))
        for place, part in enumerate(_ENDS.split(line)):
            if part or not line:
                yield Unit(part, begins_line=not place, is_heading=is_heading)
        return
    # Two tildes are left only where text that is struck out does not end.
    if line[0] in ">|" or line.count("|") > 1 or "~~" in line:
        yield Unit(line, _numbers(line, names))
        return
    wrapped = _WRAPPED.fullmatch(line)
    if wrapped:
        line = wrapped[2].strip()
    item = _ITEM.match(line)
    mark = item[0] if item else ""
    style = mark or (line[:2] if line.startswith(("**", "__")) else "")
    has_begun = False
    for part in filter(None, _ENDS.split(line[len(mark) :])):
        numbers = _numbers(part, names)
        answer = None
        is_weak = False
        if len(numbers) == 1:
            answer, is_weak = _find_answer(part, names)
            if is_weak and mark:
                answer = None  # an item of a list of tags with what each means
            if has_begun and part.lstrip(" *_`").startswith(_ARROWS):
                answer = None  # a row of a decision table: "Are all tests green? → [REVIEW:1]"
        yield Unit(
            part,
            numbers,
            answer,
            style if answer is not None else "",
            is_weak=is_weak,
            begins_line=not has_begun,
        )
        has_begun = True


def _tags(text: str, names: Collection[str]) -> Iterator[re.Match[str]]:
    for match in _TAG.finditer(text):
        if normalise_name(match[1]) in names:
            yield match


def _numbers(text: str, names: Collection[str]) -> tuple[int, ...]:
    return tuple(int(match[2]) for match in _tags(text, names))


def _find_answer(text: str, names: Collection[str]) -> tuple[int | None, bool]:
    """Return the number that a unit with one tag answers with, and whether the answer is weak."""
    match = next(_tags(text, names))
    number = int(match[2])
    before = text[: match.start()]
    following = text[match.end() :]
    clause = re.split("[,、，]", before)[-1]
    # "Rule 1 holds: [REVIEW:2]" contradicts itself.
    if find_rule_numbers(clause + " " + following) - {number}:
        return None, False
    if _announces(before, clause) and (
        closes(following) or remarks(following, announced=bool(clause.strip(DECORATION)))
    ):
        return number, False
    if find_rule_numbers(before) - {number}:
        return None, False
    # Text on both sides of a tag is prose that names it, unless the text before leads to it.
    if before.strip(DECORATION) or not following.strip(DECORATION):
        is_weak = leads(before) and (closes(following) or remarks_plainly(following))
    else:
        is_weak = remarks_plainly(following)
    return (number, True) if is_weak else (None, False)


def _announces(before: str, clause: str) -> bool:
    """Return whether the text before a tag, whose last clause is `clause`, announces an answer."""
    if announces(before):
        return True
    if not announces(clause):
        return False
    if clause == before or reasons(before):
        return True
    return bool(clause.strip(DECORATION)) and not supposes(before)
