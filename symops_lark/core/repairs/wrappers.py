"""Remove what is wrapped around a whole reply.

It may be an indentation, a block quote, a string with escapes, HTML's entities, colors, or the
characters that a byte-level tokenizer has for bytes.

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
# Characters of byte-level tokenizers: a blank, a line feed, and each character that is one byte below
# 33 or the bytes of one UTF-8 sequence. Matches "Ġ", "Ã©"; does not match "a", "é ".
_BYTE_BLANK, _BYTE_FEED = "\u0120", "\u010a"
_BYTES = compile_pattern(r"[\u0100-\u0120]|[\u00c2-\u00f4][\u00a1-\u00bf\u0122-\u0143]{1,3}")
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


def find_byte_level(text: str) -> Wrapped | None:
    """Return the whole text if it is written in the characters of a byte-level tokenizer.

    Such tokenizers (GPT-2 and its successors) have a visible character for each byte, and servers
    that are set up wrongly leave these in the reply: `Ġ` for a blank, `Ċ` for a line feed. No blank
    is then left in the text, nor a line feed if there is a `Ċ`. A text in Maltese, or one about
    tokenizers, has both letters and blanks.
    """
    bare = text.strip()
    feeds = text.count(_BYTE_FEED)
    if text.count(_BYTE_BLANK) + feeds < 2 or " " in bare or (feeds and "\n" in bare):
        return None
    edits = list[Edit]()
    for match in _BYTES.finditer(text):
        new = _decode(match[0])
        if new:
            edits.append(Edit(match.start(), match.end(), new))
    return Wrapped(0, len(text), edits)


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
    "byte-level": find_byte_level,
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


def _decode(characters: str) -> str:
    """Return the character that one match of `_BYTES` means; empty if its bytes are not UTF-8."""
    codes = list(map(_byte_of, characters))
    lead = codes[0]
    if len(codes) == 1:
        return chr(lead)
    missing = 1 + (lead >= 0xE0) + (lead >= 0xF0)
    if len(codes) != 1 + missing:
        return ""
    code = lead - (0xC0, 0xE0, 0xF0)[missing - 1]
    for byte in codes[1:]:
        code = code * 64 + byte - 0x80
    # The shortest form is the only valid one, and UTF-8 has no surrogates.
    if code < (0x80, 0x800, 0x10000)[missing - 1] or 0xD800 <= code < 0xE000 or code > 0x10FFFF:
        return ""
    return chr(code)


def _byte_of(character: str) -> int:
    """Return the byte that a character of a byte-level tokenizer means."""
    code = ord(character)
    if code < 0x100:  # printable characters of Latin-1 mean themselves
        return code
    if code <= 0x120:  # bytes 0 to 32
        return code - 0x100
    if code <= 0x142:  # bytes 127 to 160
        return code - 0x121 + 127
    return 0xAD
