"""What is wrapped around a whole reply: an indentation, a block quote, a string with escapes, HTML's entities, colours.

Each function returns the stretch of a text that it would unwrap and the edits that do it; None if it is not wrapped so.
Whether there is a reply inside, `TextRules` asks the grammar.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..patterns.regexes import compile_pattern
from .edits import Edit


class Wrapped(NamedTuple):
    """A stretch of a text that stands in a wrapper, and the edits that take it off.

    `ambiguous` says that a reply which is not wrapped may look the same: contents must show that this one is.
    """

    start: int
    end: int
    edits: list[Edit]
    ambiguous: bool = False


_QUOTE = r"^[ \u200b\u2060\ufeff]{0,3}[>＞]"  # what begins a quoted line
_QUOTED = compile_pattern(f"(?m){_QUOTE}( ?)(.*)$")
_QUOTED_LINES = compile_pattern(f"(?m)(?:{_QUOTE}.*$\\n?)++")
_ESCAPE = compile_pattern(r"\\(?:u[Dd][89ABab]..\\u[Dd][C-Fc-f]..|u[0-9A-Fa-f]{4}|.)")
_ENTITY = compile_pattern(r"&(?:lt|gt|amp|quot|apos|#39|#x27);")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "#39": "'", "#x27": "'"}
_VALUE = compile_pattern(r"[ \t]*(?:\{|\[[ \t]*[{\"]|\"[\w-]+\"[ \t]*:)")  # a line of JSON
_COLOUR = compile_pattern(r"\x1b\[[0-9;?]*[A-Za-z]")
_PLAIN_ESCAPES = {r"\n": "\n", r"\r": "", r"\t": "\t"}


def find_blockquote(text: str) -> Wrapped | None:
    """Return the lines that are quoted, if they stand together."""
    block = _QUOTED_LINES.search(text)
    if block is None or _QUOTED.search(text, block.end()):
        return None
    # If a blank stands behind each `>`, it belongs to that; else what stands there is the line's own.
    blank = all(match[1] for match in _QUOTED.finditer(text, *block.span()) if match[2])
    edits, end = list[Edit](), 0
    for match in _QUOTED.finditer(text, *block.span()):
        edits.append(Edit(match.start(), match.end(1) if blank else match.start(1), ""))
        end = match.end()
    return Wrapped(edits[0].start, end, edits) if len(edits) > 1 else None


def find_json_string(text: str) -> Wrapped | None:
    """Return the whole text, if it is one JSON string."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if end - start < 2 or text[start] != '"' or text[end - 1] != '"' or "\\n" not in text:
        return None
    try:
        json.loads(text[start:end])
    except ValueError:
        return None
    edits = [Edit(start, start + 1, ""), *_unescape(text, start + 1, end - 1), Edit(end - 1, end, "")]
    return Wrapped(start, end, edits)


def find_escaped_newlines(text: str) -> Wrapped | None:
    r"""Return the only line with newlines that are written as \n.

    Where quotes or backslashes are escaped too, all escapes are; else the other backslashes are the reply's own.
    """
    lines, at = list[tuple[int, int]](), text.find("\\n")
    while at >= 0 and len(lines) < 2:
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = len(text) if end < 0 else end
        if text.count("\\n", start, end) > 1:
            lines.append((start, end))
        at = text.find("\\n", end)
    if len(lines) != 1 or _VALUE.match(text, *lines[0]):
        return None
    (start, end) = lines[0]
    line = text[start:end]
    everything = "\\\\" in line or ('\\"' in line and line.count('"') == line.count('\\"'))
    edits = _unescape(text, start, end) if everything else _unescape_newlines(text, start, end)
    return Wrapped(start, end, list(edits))


def find_html(text: str) -> Wrapped | None:
    """Return the whole text, if all its signs that mean something in HTML are escaped."""
    found = list(_ENTITY.finditer(text))
    if not found or "<" in text or ">" in text or text.count("&") != len(found):
        return None
    return Wrapped(0, len(text), [Edit(match.start(), match.end(), _ENTITIES[match[0][1:-1]]) for match in found])


def find_colours(text: str) -> Wrapped | None:
    """Return the whole text, if it has colours of a terminal in it."""
    edits = [Edit(match.start(), match.end(), "") for match in _COLOUR.finditer(text)]
    return Wrapped(0, len(text), edits) if edits else None


def find_indentation(text: str) -> Wrapped | None:
    """Return the whole text, if the same blanks stand before each line that holds anything."""
    if text.lstrip("\n")[:1].strip(" \t"):
        return None
    filled = [line for line in text.split("\n") if line.strip()]
    if not filled or filled[0][0] not in " \t":
        return None
    first, last = min(filled), max(filled)  # what both begin with, all begin with
    depth = 0
    while first[depth] in " \t" and first[depth] == last[depth]:
        depth += 1
    blanks = first[:depth]
    edits = [Edit(start, start + depth, "") for start, end in _lines(text) if text.startswith(blanks, start, end)]
    return Wrapped(0, len(text), edits, ambiguous=True) if depth else None


WRAPPERS: dict[str, Callable[[str], Wrapped | None]] = {
    "indentation": find_indentation,
    "blockquote": find_blockquote,
    "json-string": find_json_string,
    "escaped-newlines": find_escaped_newlines,
    "html": find_html,
    "colours": find_colours,
}


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
        start = end + 1


def _unescape(text: str, start: int, end: int) -> Iterator[Edit]:
    """Yield the edits for all escapes as JSON has them; what is none stays."""
    for match in _ESCAPE.finditer(text, start, end):
        try:
            new = json.loads(f'"{match[0]}"')
        except ValueError:
            continue
        yield Edit(match.start(), match.end(), new)


def _unescape_newlines(text: str, start: int, end: int) -> Iterator[Edit]:
    for match in _ESCAPE.finditer(text, start, end):
        if (new := _PLAIN_ESCAPES.get(match[0])) is not None:
            yield Edit(match.start(), match.end(), new)
