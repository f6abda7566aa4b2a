"""Find marks of formats from which no section could be read: an action may be lost.

A mark counts where it begins a line, and where no section is. Long marks, the names of known tools
and closing tags are evidence; a fence alone is not.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..patterns.regexes import compile_pattern
from .reader import Item
from .sections import UNSEEN, Section
from .tools import find_named_tools, kind_of_tool

_LEAST_MARK = 8  # characters of a mark that no other text has by chance
_LONGEST_INDENT = 80  # characters before a mark that are looked at
_BLANKS = " \t" + UNSEEN


class LostSection(NamedTuple):
    """A mark from which no section could be read.

    Attributes:
        start: The offset of the mark.
        end: The end of its line.
        format_name: The name of the format.
    """

    start: int
    end: int
    format_name: str


def find_lost(
    text: str, sections: Sequence[Section], items: Sequence[Item]
) -> Iterator[LostSection]:
    """Yield the marks from which no section could be read.

    Args:
        text: The text; its lines end with line feeds only, the last one too.
        sections: The sections that were looked for.
        items: The sections that were read, in order.
    """
    names: dict[int, str] = {}
    for section in sections:
        for place in _find_marks(text, section):
            names.setdefault(place, section.format_name)
    starts = [item.start for item in items]
    for place, name in names.items():
        # The last item that begins before it, or there.
        index = bisect_right(starts, place) - 1
        is_inside = index >= 0 and place < items[index].end
        if is_inside:
            continue
        end = text.find("\n", place)
        yield LostSection(place, end, name)
    for item in items:
        section = item.section
        if section.rule != "sample":
            continue
        if _ends_with_name(text, item, sections):
            yield LostSection(item.start, item.end, section.format_name)


def _find_marks(text: str, section: Section) -> Iterator[int]:
    """Yield the places of marks that only a section has."""
    for mark in section.opener_texts:
        if len(mark) >= _LEAST_MARK:
            yield from _line_begins(text, mark)
    tag = section.patterns.get("TAG")
    if tag is not None:
        # The opening tag may be broken in many ways.
        closing_tag = compile_pattern(rf"(?m)^[ \t]*</(?:{tag})>")
        for match in closing_tag.finditer(text):
            yield match.start()
    yield from find_known_calls(text, section)


def find_known_calls(text: str, section: Section) -> Iterator[int]:
    """Yield the places of openers of a call that name a known tool, whatever follows them.

    Args:
        text: The text.
        section: The section. If no mark begins it, a tool must be the first value of an object.
    """
    if section.is_bare_json:
        yield from find_named_tools(text)
        return
    if section.needed_text not in text:
        return
    groups = []
    for group, name in section.opener.groups.items():
        if name == "TOOL":
            groups.append(group)
    # Most sections have no tool, and nothing is searched for.
    if not groups:
        return
    for match in section.opener_pattern.finditer(text):
        for group in groups:
            name = match[group]
            is_known = bool(name) and kind_of_tool(name) is not None
            if is_known:
                yield section.start_of(match)


def _line_begins(text: str, mark: str) -> Iterator[int]:
    """Yield the places where a mark begins a line, maybe after blanks."""
    for place in find_places(text, mark):
        # Only a bounded part, since many marks may be on one line.
        first = max(0, place - _LONGEST_INDENT)
        before = text[first:place]
        _, line_feed, indent = before.rpartition("\n")
        is_seen = bool(line_feed) or first == 0
        if is_seen and not indent.strip(_BLANKS):
            yield place


def find_places(text: str, part: str) -> Iterator[int]:
    """Yield the places of a part of a text; they may overlap.

    Args:
        text: The text.
        part: The part.
    """
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


def _ends_with_name(text: str, item: Item, sections: Sequence[Section]) -> bool:
    """Return whether the end of a sample may be the beginning of a named fence.

    Then the fences before it are paired wrongly.
    """
    content = item.find("CONTENT")
    if content is None:
        return False
    end = max(0, content.end - 1)
    last_line = text.rfind("\n", 0, end) + 1
    # The first line of the sample may be its last.
    last_line = max(last_line, content.start)
    for section in sections:
        is_named = section.rule == "write"
        if not is_named or section.format_name != item.section.format_name:
            continue
        opener = section.opener_pattern.match(text, last_line)
        if opener is not None and opener.end() >= item.end:
            return True
    return False
