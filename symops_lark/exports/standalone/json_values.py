"""Decode JSON in exports. The decoder accepts the same texts as that of Python."""

from __future__ import annotations

from typing import Any

from ...core.patterns.regexes import compile_pattern

_BLANKS = " \t\r\n"
_DEEPEST = 900  # nested values; the decoder of Python fails at a similar depth
_NUMBER = compile_pattern(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORD = compile_pattern(r"null|true|false|NaN|Infinity|-Infinity")
_HEX = compile_pattern(r"[0-9A-Fa-f]{4}")
_PLAIN = compile_pattern(r'[^"\\]+')
# The letters of escapes, except `u`.
_SIGNS = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
# Callers only ask whether a number is zero, so NaN and Infinity can be any other number.
_VALUES = {"null": None, "true": True, "false": False}


def decode(text: str, start: int) -> tuple[Any, int]:
    """Return the JSON value at an offset, and the offset of its end.

    Raises:
        ValueError: There is no complete value.
    """
    return _decode(text, start, 0)


def _decode(text: str, at: int, depth: int) -> tuple[Any, int]:
    sign = text[at : at + 1]
    if depth > _DEEPEST:
        raise ValueError("too deep")
    if sign == '"':
        return _decode_string(text, at + 1)
    if sign == "{":
        return _decode_object(text, at + 1, depth + 1)
    if sign == "[":
        return _decode_list(text, at + 1, depth + 1)
    word = _WORD.match(text, at)
    if word is not None:
        return _VALUES.get(word[0], 0.5), word.end()
    number = _NUMBER.match(text, at)
    if number is None:
        raise ValueError("no value")
    return float(number[0]), number.end()


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANKS:
        at += 1
    return at


def _decode_object(text: str, at: int, depth: int) -> tuple[Any, int]:
    fields: dict[str, Any] = {}
    at = _skip(text, at)
    if text[at : at + 1] == "}":
        return fields, at + 1
    while True:
        if text[at : at + 1] != '"':
            raise ValueError("no name")
        key, at = _decode_string(text, at + 1)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise ValueError("no colon")
        value, at = _decode(text, _skip(text, at + 1), depth)
        # The first one counts, and the other one shows (`core.text.json_ends`).
        if key in fields:
            key = f"{key} "
        fields[key] = value
        at = _skip(text, at)
        sign = text[at : at + 1]
        if sign == "}":
            return fields, at + 1
        if sign != ",":
            raise ValueError("no comma")
        at = _skip(text, at + 1)


def _decode_list(text: str, at: int, depth: int) -> tuple[Any, int]:
    items: list[Any] = []
    at = _skip(text, at)
    if text[at : at + 1] == "]":
        return items, at + 1
    while True:
        value, at = _decode(text, at, depth)
        items.append(value)
        at = _skip(text, at)
        sign = text[at : at + 1]
        if sign == "]":
            return items, at + 1
        if sign != ",":
            raise ValueError("no comma")
        at = _skip(text, at + 1)


def _decode_string(text: str, at: int) -> tuple[str, int]:
    pieces: list[str] = []
    while True:
        plain = _PLAIN.match(text, at)
        if plain is not None:
            pieces.append(plain[0])
            at = plain.end()
        sign = text[at : at + 1]
        if sign == '"':
            return "".join(pieces), at + 1
        letter = text[at + 1 : at + 2]
        if not sign or not letter:
            raise ValueError("no end")
        if letter != "u":
            if letter not in _SIGNS:
                raise ValueError("no escape")
            pieces.append(_SIGNS[letter])
            at += 2
            continue
        code, at = _decode_code(text, at + 2)
        # Two surrogates make one character; a single one is accepted, as in Python.
        if 0xD800 <= code <= 0xDBFF and text.startswith("\\u", at):
            low, end = _decode_code(text, at + 2)
            if 0xDC00 <= low <= 0xDFFF:
                code = 0x10000 + (code - 0xD800) * 0x400 + low - 0xDC00
                at = end
        pieces.append(chr(code))


def _decode_code(text: str, at: int) -> tuple[int, int]:
    digits = _HEX.match(text, at)
    if digits is None:
        raise ValueError("no digits")
    return int(digits[0], 16), at + 4
