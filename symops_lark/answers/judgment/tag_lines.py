"""What a reply says with tags `[NAME:N]`: in which of its sentences a tag is the answer, and where it is only named.

A unit is a sentence, or a line that has no further ones. A tag is an answer where it stands alone in a unit, or with
nothing but words that announce an answer (`The answer is [REVIEW:2].`); everywhere else it is named. What a model
thinks, and comments of markup, are no part of its reply.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ..structured.candidates import without_thinking
from .tag_words import DECORATION, announces, closes, reasons, remarks, supposes

LONGEST_NAME = 100
_TAG = re.compile(r"\\?\[([^\[\]:\n]{1,200}):[ \t]{0,9}([0-9]{1,40})[ \t]{0,9}\\?\]")
_COMMENT = re.compile(r"(?s:<!--.*?(?:-->|\Z))")
_FENCE = re.compile(r"[ \t]*(```+|~~~+)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•・◦▪‣]|[0-9]{1,3}[.)]|[①-⑳]|#{1,6})[ \t]+")
_ENDS = re.compile(r"(?<=[.!?])[ \t]+|(?<=[。！？])")
_WRAPPED = re.compile(r"<([A-Za-z_-]{1,30})>(.{0,300})</\1>")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or line: the numbers of the tags in it, and, if one of them is an answer, which.

    `style` is how the answer is marked: a list's mark, a heading, bold type. Blank lines are units without a text.
    """

    text: str
    numbers: tuple[int, ...] = ()
    answer: int | None = None
    style: str = ""

    @property
    def is_listed(self) -> bool:
        """Whether the answer stands in an item of a list, or as a heading."""
        return bool(_ITEM.fullmatch(self.style))


def normalise_name(name: str) -> str:
    """Return what a name is compared by: without case, blanks counted once."""
    return " ".join(name.casefold().split())


def read_units(text: str, names: Collection[str]) -> list[Unit]:
    """Return the units of a reply; `names` are the tags' names, as `normalise_name` gives them."""
    units: list[Unit] = []
    fenced: list[str] | None = None
    mark = ""
    for line in _COMMENT.sub("", without_thinking(text)).split("\n"):
        fence = _FENCE.match(line)
        if fenced is None and fence:
            fenced, mark = [], fence[1]
        elif fenced is None:
            units += list(_read_line(line.strip(" \t\r"), names))
        elif fence and fence[1].startswith(mark) and not line.strip(" \t\r").strip(mark[0]):
            units += _read_fenced(fenced, names)
            fenced = None
        else:
            fenced.append(line.strip(" \t\r"))
    return units + (_read_fenced(fenced, names) if fenced is not None else [])


def _read_fenced(lines: list[str], names: Collection[str]) -> list[Unit]:
    """Return what a piece of code says: an answer if it is nothing but a tag, else it only names."""
    filled = [line for line in lines if line]
    if len(filled) == 1:
        return list(_read_line(filled[0], names))
    units = [unit for line in filled for unit in _read_line(line, names)]
    if filled and all(unit.answer is not None for unit in units):
        return units  # a list of tags
    return [Unit(unit.text, unit.numbers) for unit in units]


def _read_line(line: str, names: Collection[str]) -> Iterator[Unit]:
    if not line or not _TAG.search(line):
        yield from (Unit(part) for part in _ENDS.split(line) if part or not line)
        return
    if line[0] in ">|" or line.count("|") > 1 or "~~" in line:
        yield Unit(line, _numbers(line, names))
        return
    if wrapped := _WRAPPED.fullmatch(line):
        line = wrapped[2].strip()
    item = _ITEM.match(line)
    mark = item[0] if item else ""
    for part in filter(None, _ENDS.split(line[len(mark) :])):
        numbers = _numbers(part, names)
        answer = _answer(part, names) if len(numbers) == 1 else None
        style = mark or (line[:2] if line.startswith(("**", "__")) else "")
        yield Unit(part, numbers, answer, style if answer is not None else "")


def _numbers(text: str, names: Collection[str]) -> tuple[int, ...]:
    return tuple(int(match[2]) for match in _TAG.finditer(text) if normalise_name(match[1]) in names)


def _answer(text: str, names: Collection[str]) -> int | None:
    """Return the number of the tag in a unit that has one, if it is the unit's answer."""
    match = next(match for match in _TAG.finditer(text) if normalise_name(match[1]) in names)
    before, behind = text[: match.start()], text[match.end() :]
    clause = before.replace("、", ",").rpartition(",")[2]
    announced = bool(clause.strip(DECORATION))
    if not announces(clause) or not (closes(behind) or remarks(behind, announced=announced)):
        return None
    if clause != before and not reasons(before) and (not announced or supposes(before)):
        return None
    return int(match[2])
