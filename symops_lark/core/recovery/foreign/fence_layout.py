"""Replies that are several fences under file names, and nothing else.

One alone, or a sentence beside them, and they are but samples: nobody said what to do with them.
"""

from __future__ import annotations

from typing import NamedTuple

from ...grammar.dialect import Dialect
from ...patterns.regexes import compile_pattern
from ...text.source import size
from ..lines.kinds import FENCE
from .actions import ForeignAction

_PART = r"[^ \t\n`*:#/<>|\"]+"
_PATH = rf"(?:{_PART}/)*(?:{_PART})?(?:\.[0-9A-Za-z_]{{1,10}}|file)|(?:{_PART}/)+{_PART}|[A-Z]{{4,}}"
_LONGEST = 200  # characters of a line that names a file
_NAME = compile_pattern(
    rf"(?:#{{1,6}}[ \t]+)?(?:(?i:file(?:name)?|path)[ \t]*:[ \t]*)?(?:\*\*|`|\*\*`)?({_PATH})(?:`\*\*|\*\*|`)?:?[ \t]*"
)
_INFO = compile_pattern(rf"(?:[0-9A-Za-z_+-]+[ \t:]+)?({_PATH})")
_SHELLS = ("bash", "sh", "shell", "console", "zsh")
_REMOVAL = compile_pattern(r"rm[ \t]+(?:-f[ \t]+)?([^ \t\n*?$;&|<>]+)")
_EDITS = compile_pattern(r"(?:\A|\n)(?:<{5,9} ?(?:SEARCH|ORIGINAL)|@@ )")


class _Fence(NamedTuple):
    """A fence: its opening line, what is in it, and where its closing line ends."""

    info: str
    start: int
    content: int
    content_end: int
    end: int


def read_fences(text: str, dialect: Dialect) -> list[ForeignAction]:
    """Return the actions of a reply that is nothing but named fences, and fences of a shell with one command."""
    actions: list[ForeignAction] = []
    at = named = 0
    while (line := _next_line(text, at)) is not None:
        name = _NAME.fullmatch(text, *line) if line[1] - line[0] <= _LONGEST else None
        begin = line[0]
        line = _next_line(text, line[1]) if name else line
        fence = _read_fence(text, *line) if line else None
        if fence is None:
            return []
        found = _make_action(text, name[1] if name else "", fence, begin)
        if found is None:
            return []
        named += found.content_start >= 0
        actions.append(found)
        at = fence.end
    return actions if named > 1 else []


def _next_line(text: str, at: int) -> tuple[int, int] | None:
    """Return the next line that is not blank, from and to."""
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        if text[at:stop].strip():
            return at, stop
        at = stop + 1
    return None


def _read_fence(text: str, start: int, stop: int) -> _Fence | None:
    opening = FENCE.fullmatch(text, start, stop)
    at = content = stop + 1
    while opening is not None and at <= len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        closing = FENCE.fullmatch(text, at, stop)
        if closing and not closing["info"] and closing["run"].startswith(opening["run"]):
            return _Fence(opening["info"].strip(), start, content, max(content, at - 1), stop)
        at = stop + 1
    return None


def _make_action(text: str, path: str, fence: _Fence, start: int) -> ForeignAction | None:
    info = _INFO.fullmatch(fence.info) if size(fence.info) <= _LONGEST else None
    path = path or (info[1] if info else "")
    content = text[fence.content : fence.content_end]
    if path:
        verb = "edit" if _EDITS.search(content) else "create"
        return ForeignAction(verb, path, start, fence.end, fence.content, fence.content_end)
    command = content.strip()
    if fence.info not in _SHELLS or not command or "\n" in command or command.startswith(("#", "$")):
        return None
    removal = _REMOVAL.fullmatch(command)
    verb, target = ("delete", removal[1]) if removal else ("run", command)
    return ForeignAction(verb, target, start, fence.end, doubtful=True)
