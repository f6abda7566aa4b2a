"""Find wrappers around a complete reply, and the edits that remove them.

A wrapper is an indentation, a block quote, a JSON string or its escapes, HTML's entities, colors of
a terminal, or the characters that a byte-level tokenizer has for bytes.

Each function returns the part of a text that is wrapped, with the edits; None if there is none.
Not here: whether a reply is inside, which `TextRules` asks the grammar.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ..patterns.regexes import Match, compile_pattern
from .edits import Edit

_QUOTE = r"^[ \u200b\u2060\ufeff]{0,3}[>＞]"  # how a quoted line begins
_QUOTED = compile_pattern(f"(?m){_QUOTE}( ?)(.*)$")
_QUOTED_LINES = compile_pattern(f"(?m)(?:{_QUOTE}.*$\\n?)++")
# Escapes of JSON: a pair of surrogates, one code unit, one character.
_ESCAPE = compile_pattern(r"\\(?:u[Dd][89ABab]..\\u[Dd][C-Fc-f]..|u[0-9A-Fa-f]{4}|.)")
_PLAIN_ESCAPES = {r"\n": "\n", r"\r": "", r"\t": "\t"}
_ENTITY = compile_pattern(r"&(?:lt|gt|amp|quot|apos|#39|#x27);")
_ENTITIES = {
    "&lt;": "<",
    "&gt;": ">",
    "&amp;": "&",
    "&quot;": '"',
    "&apos;": "'",
    "&#39;": "'",
    "&#x27;": "'",
}
# How a line of JSON begins: `{`, `["a"`, `"key":`; does not match `"text"`.
_VALUE = compile_pattern(r"[ \t]*(?:\{|\[[ \t]*[{\"]|\"[\w-]+\"[ \t]*:)")
_COLOR = compile_pattern(r"\x1b\[[0-9;?]*[A-Za-z]")
# Characters of byte-level tokenizers: a blank, a line feed, and each character that is one byte
# below 33 or the bytes of one UTF-8 sequence. Matches "Ġ", "Ã©"; does not match "a", "é ".
_BYTE_BLANK = "\u0120"
_BYTE_FEED = "\u010a"
_BYTES = compile_pattern(r"[\u0100-\u0120]|[\u00c2-\u00f4][\u00a1-\u00bf\u0122-\u0143]{1,3}")


class Wrapped(NamedTuple):
    """A part of a text that is in a wrapper.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last one.
        edits: The edits that remove the wrapper.
        ambiguous: Whether a reply without a wrapper may look the same. Then its contents must show
            that it is wrapped.
    """

    start: int
    end: int
    edits: list[Edit]
    ambiguous: bool = False


def find_blockquote(text: str) -> Wrapped | None:
    """Return the quoted lines, if no other line is between them.

    Args:
        text: The reply.
    """
    block = _QUOTED_LINES.search(text)
    if block is None or _QUOTED.search(text, block.end()):
        return None
    matches = list(_QUOTED.finditer(text, *block.span()))
    if len(matches) < 2:
        return None
    # If a blank follows each `>`, it belongs to the quote; else it is content of the line.
    has_blanks = True
    for match in matches:
        if match[2] and not match[1]:
            has_blanks = False
    edits = []
    for match in matches:
        end = match.end(1) if has_blanks else match.start(1)
        edit = Edit(match.start(), end, "")
        edits.append(edit)
    start = edits[0].start
    end = matches[-1].end()
    return Wrapped(start, end, edits)


def find_json_string(text: str) -> Wrapped | None:
    """Return the complete text, if it is one JSON string.

    Args:
        text: The reply.
    """
    string = text.strip()
    if not string.startswith('"') or "\\n" not in string:
        return None
    try:
        json.loads(string)
    except ValueError:
        return None
    bare = text.lstrip()
    start = len(text) - len(bare)
    end = start + len(string)
    first = start + 1
    last = end - 1
    opening_quote = Edit(start, first, "")
    closing_quote = Edit(last, end, "")
    escapes = _ESCAPE.finditer(text, first, last)
    edits = [opening_quote, *_replace(escapes, _decode_escape), closing_quote]
    return Wrapped(start, end, edits)


def find_escaped_newlines(text: str) -> Wrapped | None:
    r"""Return the only line with two or more newlines that are written as \n.

    If quotes or backslashes are escaped too, all escapes are escapes of the wrapper. Otherwise the
    other backslashes belong to the reply.

    Args:
        text: The reply.
    """
    place: tuple[int, int] | None = None
    at = text.find("\\n")
    while at >= 0:
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        if end < 0:
            end = len(text)
        if text.count("\\n", start, end) > 1:
            if place is not None:
                return None
            place = (start, end)
        at = text.find("\\n", end)
    if place is None or _VALUE.match(text, *place):
        return None
    start, end = place
    line = text[start:end]
    quote_count = line.count('"')
    has_escaped_quotes = quote_count > 0 and quote_count == line.count('\\"')
    is_escaped = has_escaped_quotes or "\\\\" in line
    decode = _decode_escape if is_escaped else _decode_newline
    escapes = _ESCAPE.finditer(text, start, end)
    return Wrapped(start, end, _replace(escapes, decode))


def find_html(text: str) -> Wrapped | None:
    """Return the complete text, if all signs with a meaning in HTML are escaped.

    Args:
        text: The reply.
    """
    if "<" in text or ">" in text:
        return None
    edits = _replace(_ENTITY.finditer(text), _decode_entity)
    if not edits or len(edits) != text.count("&"):
        return None
    return Wrapped(0, len(text), edits)


def find_colors(text: str) -> Wrapped | None:
    """Return the complete text, if it has colors of a terminal.

    Args:
        text: The reply.
    """
    edits = _replace(_COLOR.finditer(text), _delete)
    if not edits:
        return None
    return Wrapped(0, len(text), edits)


def find_byte_level(text: str) -> Wrapped | None:
    """Return the complete text, if it is written in the characters of a byte-level tokenizer.

    Such tokenizers (GPT-2 and its successors) have a visible character for each byte, and servers
    that are set up wrongly leave these in the reply: `Ġ` for a blank, `Ċ` for a line feed. No blank
    is then left in the text, nor a line feed if there is a `Ċ`. A text in Maltese, or one about
    tokenizers, has both letters and blanks.

    Args:
        text: The reply.
    """
    bare = text.strip()
    blank_count = text.count(_BYTE_BLANK)
    feed_count = text.count(_BYTE_FEED)
    if blank_count + feed_count < 2 or " " in bare:
        return None
    if feed_count and "\n" in bare:
        return None
    edits = _replace(_BYTES.finditer(text), _decode_bytes)
    return Wrapped(0, len(text), edits)


def find_indentation(text: str) -> Wrapped | None:
    """Return the complete text, if the same blanks are before each line that is not blank.

    Args:
        text: The reply.
    """
    if text.lstrip("\n")[:1].strip(" \t"):
        return None
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    if not filled:
        return None
    # All lines begin with what the first and the last one in sorted order begin with.
    first = min(filled)
    last = max(filled)
    depth = 0
    while first[depth] in " \t" and first[depth] == last[depth]:
        depth += 1
    if not depth:
        return None
    blanks = first[:depth]
    edits = []
    start = 0
    for line in lines:
        if line.startswith(blanks):
            edit = Edit(start, start + depth, "")
            edits.append(edit)
        start += len(line) + 1
    return Wrapped(0, len(text), edits, ambiguous=True)


WRAPPERS: dict[str, Callable[[str], Wrapped | None]] = {
    "indentation": find_indentation,
    "blockquote": find_blockquote,
    "byte-level": find_byte_level,
    "json-string": find_json_string,
    "escaped-newlines": find_escaped_newlines,
    "html": find_html,
    "colours": find_colors,
}


def _replace(matches: Iterable[Match], decode: Callable[[str], str | None]) -> list[Edit]:
    """Return the edits that replace what a pattern matched.

    Args:
        matches: The matches, in order.
        decode: Returns the replacement of a match; None if the match stays.
    """
    edits = []
    for match in matches:
        replacement = decode(match[0])
        if replacement is not None:
            edit = Edit(match.start(), match.end(), replacement)
            edits.append(edit)
    return edits


def _delete(_: str) -> str:
    return ""


def _decode_entity(entity: str) -> str | None:
    return _ENTITIES.get(entity)


def _decode_newline(escape: str) -> str | None:
    """Return the character of an escaped newline or tab; None for other escapes."""
    return _PLAIN_ESCAPES.get(escape)


def _decode_escape(escape: str) -> str | None:
    """Return the character of an escape of JSON; None if JSON has no such escape."""
    try:
        return str(json.loads(f'"{escape}"'))
    except ValueError:
        return None


def _decode_bytes(characters: str) -> str | None:
    """Return the character that a match of `_BYTES` means; None if its bytes are not UTF-8."""
    codes = list(map(_byte_of, characters))
    lead_byte = codes[0]
    if len(codes) == 1:
        return chr(lead_byte)
    # UTF-8, by the number of bytes after the first: the bits that mark it, and the least character
    # that needs this many. The shortest form is the only valid one.
    missing = 1 + (lead_byte >= 0xE0) + (lead_byte >= 0xF0)
    marker = (0xC0, 0xE0, 0xF0)[missing - 1]
    least = (0x80, 0x800, 0x10000)[missing - 1]
    if len(codes) != 1 + missing:
        return None
    code = lead_byte - marker
    for byte in codes[1:]:
        code = code * 64 + byte - 0x80
    is_surrogate = 0xD800 <= code < 0xE000
    if code < least or code > 0x10FFFF or is_surrogate:
        return None
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
