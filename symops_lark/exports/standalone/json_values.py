"""A decoder of JSON in exports, which accepts what that of Python accepts."""

from __future__ import annotations

from typing import Any

from ...core.patterns.regexes import compile_pattern

_BLANKS = " \t\r\n"
_DEEPEST = 900  # values in values; Python gives up at about as many
_NUMBER = compile_pattern(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORD = compile_pattern(r"null|true|false|NaN|Infinity|-Infinity")
_HEX = compile_pattern(r"[0-9A-Fa-f]{4}")
_PLAIN = compile_pattern(r'[^"\\]+')
_SIGNS = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_VALUES = {"null": None, "true": True, "false": False}


def decode(text: str, start: int) -> tuple[Any, int]:
    """Return the JSON value at an offset, and where it ends."""
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
    # Only whether it is zero is ever asked.
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
        # Two halves make one character.
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
