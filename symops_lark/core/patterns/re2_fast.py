"""The fence around RE2's wrapper: the only module that touches its private parts.

For each match the wrapper makes a match object, and offsets in characters. Callers that need only
offsets in bytes, once for each line of a reply, call the engine below the wrapper. Each function
here looks for the private parts when it is called, and uses the public interface where one is
missing. That is slower (0.6 µs a line, not 0.4; 2.3 µs a content, not 0.8 on a small pattern) and
has the same results.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable
from typing import Any

Find = Callable[[bytes, int], int]
FindAll = Callable[[bytes], Iterable[int]]


def first_match(compiled: Any) -> Find:
    """Return a function that finds the next match in UTF-8 from an offset; -1: there is none."""
    engine = _engine_of(compiled)
    if engine is None:

        def find(data: bytes, start: int) -> int:
            match = compiled.search(data, start)
            return -1 if match is None else int(match.start())

        return find
    match, anchor = engine

    def find_fast(data: bytes, start: int) -> int:
        spans = match(anchor, data, start, len(data))
        return int(spans[0][0])

    return find_fast


def set_match(patterns: Any) -> FindAll:
    """Return a function that lists the numbers of the patterns of a set that match in UTF-8."""
    try:
        find: FindAll = patterns._set.Match
    except AttributeError:
        return lambda data: patterns.Match(data) or ()
    return find


def substitute(compiled: Any, template: str, count: int) -> Callable[[str], str]:
    """Return a function that replaces a pattern in a line.

    Args:
        compiled: A pattern of RE2's wrapper, or a `MachinePattern`.
        template: The replacement, in ASCII, with groups as `\\1` or `\\g<name>`.
        count: 1: the first match is replaced; 0: all matches.
    """

    def replace(line: str) -> str:
        return str(compiled.sub(template, line, count))

    engine = _engine_of(compiled)
    pieces = _split_template(template)
    if engine is None or pieces is None:
        return replace
    match, anchor = engine
    literals = [codecs.unicode_escape_decode(piece)[0] for piece in pieces[::2]]
    # Each group of the template, with the literal that follows it.
    parts = []
    for piece, literal in zip(pieces[1::2], literals[1:], strict=True):
        parts.append((_number_of_group(piece, compiled), literal))

    def replace_ascii(line: str) -> str:
        data = line.encode()
        end = 0
        out = ""
        # In ASCII an offset in bytes is one in characters.
        while line.isascii():
            spans = match(anchor, data, end, len(data))
            start, match_end = spans[0]
            if start < 0:
                return out + line[end:] if end else line
            if start == match_end:
                break  # the wrapper decides where the search continues after an empty match
            out += line[end:start] + literals[0]
            for group, literal in parts:
                group_start, group_end = spans[group]
                if group_start >= 0:
                    out += line[group_start:group_end]
                out += literal
            end = match_end
            if count:
                return out + line[end:]
        return replace(line)

    return replace_ascii


def _number_of_group(piece: str, compiled: Any) -> int:
    r"""Return the number of the group that a piece of a template names: `\1` or `\g<name>`."""
    name = piece[1:] if len(piece) <= 3 else piece[3:-1]
    if name.isdigit():
        return int(name)
    return int(compiled.groupindex[name])


def _engine_of(compiled: Any) -> tuple[Callable[..., Any], Any] | None:
    """Return the engine's method for the spans of a match, and its anchor for any position."""
    try:
        import re2

        return compiled._regexp.Match, re2._Anchor.UNANCHORED
    except (ImportError, AttributeError):  # without RE2 a pattern is a `MachinePattern`
        return None


def _split_template(template: str) -> list[str] | None:
    """Return the literals of a template and, between them, its groups."""
    try:
        import re2

        pieces: list[str] = re2._Match._split(template)
    except (ImportError, AttributeError):
        return None
    return pieces
