"""Doubt what was read: a section may be two, or lines of it may follow it.

Marks of its format in its content are evidence. The headings of a diff may name several files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..grammar import codes
from ..patterns.regexes import compile_pattern
from ..text.hunk_counts import count_missing_lines
from .sections import VALUES, Item, Part, Section, find_first_opener
from .tools import kind_of_tool

LOOKED_AT = 200  # characters at each end of a content, where marks are looked for
_GIT = "diff --git "  # begins the headers of a file
# A file that becomes executable or is no longer so; a symbolic link (12) or a submodule (16).
_MODE = compile_pattern(
    r"(?m)^(?:old|new|new file) mode 100755|^(?:new|new file) mode 1[26]0000|"
    r"^index [^\n ]+ 1[26]0000"
)
_SIDES = ("a/", "b/")  # before the old name, and before the new one
_EMPTY_LINES = compile_pattern(r"\n*")
# A line of a patch; `- ` may begin an entry of a list.
_SIGNED = compile_pattern(r"(?m)^(?:\+|-[^ \n-]|--- )")


def find_doubts(text: str, item: Item, siblings: Sequence[Section]) -> None:
    """Doubt an item whose texts contain marks of its format: it may be two.

    Args:
        text: The text; its lines end with line feeds only, the last one too.
        item: The item, which gets the doubts.
        siblings: The sections of its format that may be in the text.
    """
    section = item.section
    item.doubts += _find_heading_doubts(text, item)
    # A shorter fence does not end it.
    fence = item.text_of("FENCE", text) or ""
    # Two calls whose first lacks an end look like one.
    keys: set[str] = set()
    key = ""
    for part in item.parts:
        start = part.start
        end = part.end
        if part.name in ("KEY", "TAG"):
            key = text[start:end]
        if part.name == "KEY":
            item.doubts += _doubts_of_key(text, item, part, keys)
            keys.add(key)
        if part.name in VALUES or part.name not in (*section.free_names, "PATH"):
            continue
        # Marks inside are usual; marks at an end may be the other half of a mark.
        head = min(end, start + LOOKED_AT)
        tail = max(start, end - LOOKED_AT)
        first = text[start:head].strip()
        last = text[tail:end].strip()
        opening = f"<{key}>"
        closing = f"</{key}>"
        marks = (*section.mark_texts, opening, closing)
        if not first:
            continue
        is_marked = (
            first.startswith(marks)
            or last.endswith(marks)
            or _is_doubled(text, start)
            or _repeats(text, item, start)
            or _is_doubled(text, end)
            or _holds_mark(section, text, part)
        )
        if is_marked:
            item.doubts.append(codes.MARK_IN_CONTENT)
        for sibling in siblings:
            # One search for a text is cheaper than one for the pattern.
            needed = sibling.needed_text or fence
            if text.find(needed, start, end) < 0:
                continue
            if sibling.opener_pattern.search(text, start, end):
                item.doubts.append(codes.HOLDS_ANOTHER_SECTION)
                break


def _doubts_of_key(text: str, item: Item, part: Part, known: set[str]) -> Iterator[str]:
    """Yield what a key of a parameter makes doubtful."""
    if text[part.start : part.end] in known:
        yield codes.REPEATED_PARAMETER
    if _call_at(text, item, part) is not None:
        yield codes.HOLDS_ANOTHER_SECTION


def end_before_another(text: str, item: Item, siblings: Sequence[Section]) -> None:
    """End an item before a section that it holds, if a mark before that shows that it has ended.

    In `<parameter=content>a</parameter>\\n<tool_call>` the content has its end, and the call lacks
    one. Without such a mark the other section may be a part of the content.

    Args:
        text: The text; its lines end with line feeds only, the last one too.
        item: The item, which may be changed.
        siblings: The sections of its format that may be in the text.
    """
    key = ""
    for index, part in enumerate(item.parts):
        if part.name == "KEY":
            key = text[part.start : part.end]
            place = _call_at(text, item, part)
            # The mark of the value before it was read.
            if place is not None:
                item.end_before(place, item.parts[:index])
                return
        place = find_first_opener(text, part, siblings)
        if place is not None:
            value = part._replace(end=place)
            end = _end_of_value(text, item, value, key)
            if end is not None:
                value = part._replace(end=end)
                item.end_before(place, [*item.parts[:index], value])
            return


def _call_at(text: str, item: Item, key: Part) -> int | None:
    """Return where a call begins whose tag was read as the key of a parameter; else None."""
    name = text[key.start : key.end]
    if kind_of_tool(name) is None:
        return None
    section = item.section
    line_start = text.rfind("\n", 0, key.start) + 1
    opener = section.opener_pattern.match(text, line_start)
    if opener is None:
        return None
    start = section.start_of(opener)
    return start if start > item.start else None


def _end_of_value(text: str, item: Item, part: Part, key: str) -> int | None:
    """Return where a part ends that has marks of its section at its end; None if it has none."""
    marks = set(map(str.strip, item.section.mark_texts))
    marks.add(f"</{key}>")
    # `</` may be a mark by itself.
    by_length = sorted(marks, key=len, reverse=True)
    whole = text[part.start : part.end]
    value = whole.rstrip()
    length = len(whole)
    while value.endswith(tuple(by_length)):
        for mark in by_length:
            value = value.removesuffix(mark)
        length = len(value)
        value = value.rstrip()
    if length == len(whole):
        return None
    end = part.start + length
    # A value that begins on a line ends before its last line feed.
    is_block = text[part.start - 1] == "\n" and text[end - 1] == "\n"
    return end - 1 if is_block else end


def _holds_mark(section: Section, text: str, part: Part) -> bool:
    """Return whether a closing tag is in a content, or any mark in a path.

    The content ends there, or is about tags.
    """
    is_path = part.name == "PATH"
    # A mark that is there twice, as in `+++ +++ b/a.py`.
    first_word, _, _ = text[part.start : part.end].partition(" ")
    if is_path and first_word in map(str.strip, section.opener_texts):
        return True
    for mark in section.mark_texts:
        # A word such as `path` may be a part of a name.
        is_word = mark.isalnum()
        if not mark.startswith("</") and (is_word or not is_path):
            continue
        if text.find(mark, part.start, part.end) >= 0:
            return True
    return False


def _repeats(text: str, item: Item, place: int) -> bool:
    """Return whether the opener of an item is there twice, before a place and after it."""
    if place > item.start + LOOKED_AT:
        return False
    opener = text[item.start : place].strip()
    return len(opener) > 1 and text.startswith(opener, place)


def _is_doubled(text: str, place: int) -> bool:
    """Return whether the signs of a tag are on both sides of a place, as in `<a>>x</a>`."""
    double = text[place - 2 : place + 2]
    if double[1:3] in ("<<", ">>"):
        return True
    return double in ('">">', "</</")


def _find_heading_doubts(text: str, item: Item) -> Iterator[str]:
    """Yield the codes of what the headings of a diff make doubtful.

    Args:
        text: The text; its lines end with line feeds only.
        item: The item, of any format.
    """
    new = item.find("PATH")
    if new is None:
        return
    old = item.find("OLD")
    is_two = old is not None and _are_two(text, old, new)
    head = text[item.start : new.start]
    headers = [line for line in head.split("\n") if line.startswith(_GIT)]
    # A file without a hunk, such as an empty one, has headers only.
    if len(headers) > 1:
        yield codes.BROKEN_SECTION
    elif _MODE.search(head) is not None:
        yield codes.FILE_MODE
    if headers:
        name = text[new.start : new.end]
        last = headers[-1].rstrip()
        names = [f" {side}{name}" for side in ("", *_SIDES)]
        is_named = last.endswith(tuple(names))
        is_two = is_two or not is_named
    if is_two:
        yield codes.TWO_FILE_NAMES


def _are_two(text: str, old: Part, new: Part) -> bool:
    """Return whether two headings name different files, or may do so."""
    name = text[old.start : old.end].removesuffix(".orig")
    if name != text[new.start : new.end]:
        return True
    # `a/` in both is a folder, which has no part in the name that was read.
    side = text[old.start - 2 : old.start]
    return side in _SIDES and text.startswith(side, new.start - 2)


def may_continue(text: str, item: Item, stop: int) -> bool:
    """Return whether lines of a patch may follow its item, which no mark closes.

    Args:
        text: The text; its lines end with line feeds only.
        item: The item. It does not end with the text.
        stop: Where the next section may begin.
    """
    end = item.end
    # Prose follows an empty line. In these lines there may be one at the end.
    is_after_empty = text.endswith("\n\n", 0, end)
    if text[end].strip() and not is_after_empty:
        return True
    empty_lines = _EMPTY_LINES.match(text, end, stop)
    start = end if empty_lines is None else empty_lines.end()
    if start == stop:
        return False
    missing = count_missing_lines(text, item.start, end)
    if missing is not None and missing > 0:
        return True
    # In the next paragraph only, since prose may have lists.
    paragraph_end = text.find("\n\n", start, stop)
    if paragraph_end < 0:
        paragraph_end = stop
    return _SIGNED.search(text, start, paragraph_end) is not None
