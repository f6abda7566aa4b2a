"""Doubt a section of a diff: its headings may name several files, and lines of it may follow it."""

from __future__ import annotations

from collections.abc import Iterator

from ..grammar.codes import BROKEN_SECTION, FILE_MODE, TWO_FILE_NAMES
from ..patterns.regexes import compile_pattern
from ..text.hunk_counts import count_missing_lines
from .sections import Item, Part

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


def find_heading_doubts(text: str, item: Item) -> Iterator[str]:
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
        yield BROKEN_SECTION
    elif _MODE.search(head) is not None:
        yield FILE_MODE
    if headers:
        name = text[new.start : new.end]
        last = headers[-1].rstrip()
        names = [f" {side}{name}" for side in ("", *_SIDES)]
        is_named = last.endswith(tuple(names))
        is_two = is_two or not is_named
    if is_two:
        yield TWO_FILE_NAMES


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
