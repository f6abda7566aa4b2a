"""How texts, numbers and fixed values are written in JSON, as regular expressions of the portable subset.

Only literals, classes of named characters, `( ) | ? * +`: so Lark, llguidance and GBNF read them alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import ceil, floor
from typing import Any

BLANKS = r"[ \t\n\r]"
_HEX = "[0-9a-fA-F]"
# An escape of half a character has its other half behind it.
_ESCAPED = (
    rf'["\\\/bfnrt]|u[0-9a-cefA-CEF]{_HEX}{_HEX}{_HEX}|u[dD][0-7]{_HEX}{_HEX}'
    rf"|u[dD][89abAB]{_HEX}{_HEX}\\u[dD][c-fC-F]{_HEX}{_HEX}"
)
_CHARACTER = rf'([^"\\\x00-\x1f]|\\({_ESCAPED}))'
_UNSIGNED = "(0|[1-9][0-9]*)"
_DIGITS = "[0-9]?" * 16
# No number is written that is larger than a float can be.
_EXPONENT = r"([eE]-[0-9][0-9]?[0-9]?|[eE][+]?(30[0-7]|[12][0-9][0-9]|[0-9][0-9]?))"
_LARGEST = "7976931348623157"  # of 1.7976931348623157e+308
_REAL = rf"([0-9](\.[0-9]+)?{_EXPONENT}|(0|[1-9]{_DIGITS})\.[0-9]+|{_UNSIGNED})"
_SHARE = r"(0\.[0-9]+|1\.0+|[1-9](\.[0-9]+)?[eE]-[0-9][0-9]?[0-9]?|0|1)"
_MOST_NUMBERS = 1_000
_LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_ESCAPES = {letter: "\\" + letter for letter in "/.^$*+?()[]{}|-"} | {"\\": r"[\\]"}
Bounds = Mapping[str, Any]


class Unwritable(ValueError):
    """A keyword asks for what no regular expression of a reasonable size says; `keyword` is to blame."""

    def __init__(self, keyword: str, reason: str) -> None:
        self.keyword = keyword
        super().__init__(reason)


def spell_string(schema: Bounds) -> str:
    """Return the texts of a schema: any, or any but the empty one."""
    least = schema.get("minLength", 0)
    if least not in (0, 1):
        raise Unwritable("minLength", "a length is not counted; only 0 and 1 are known")
    return f'"{_CHARACTER}{"+" if least else "*"}"'


def spell_integer(schema: Bounds) -> str:
    """Return the whole numbers of a schema: any, from 0 or 1 on, or all between two limits."""
    low, high = _lowest(schema), _highest(schema)
    if low is None and high is None:
        return f"-?{_UNSIGNED}"
    if low is not None and high is not None:
        if high - low >= _MOST_NUMBERS:
            raise Unwritable("maximum", f"between the two limits are more than {_MOST_NUMBERS:,} numbers")
        if high < low:
            raise Unwritable("maximum", "no number lies between the two limits")
        return spell_fixed(range(low, high + 1))
    if high is None and low in (0, 1):
        return _UNSIGNED if low == 0 else "[1-9][0-9]*"
    raise Unwritable("minimum" if high is None else "maximum", "one limit alone can only be a minimum of 0 or 1")


def spell_number(schema: Bounds) -> str:
    """Return the numbers of a schema: any, from 0 on, or from 0 to 1."""
    given = {name: schema[name] for name in _LIMITS if name in schema}
    if not given:
        return f"-?({_largest()}|{_REAL})"
    if given == {"minimum": 0}:
        return f"({_largest()}|{_REAL})"
    if given == {"minimum": 0, "maximum": 1}:
        return _SHARE
    reason = "the limits of numbers can only be a minimum of 0, with or without a maximum of 1"
    raise Unwritable(next(iter(given)), reason)


def spell_fixed(values: Iterable[Any]) -> str:
    """Return some fixed values as JSON writes them, the longest first; a text with its characters or their escapes."""
    ways = {way for value in values for way in ways_to_write(value)}
    return "|".join(_escape(way) for way in sorted(ways, key=lambda way: (-len(way), way)))


def ways_to_write(value: Any) -> tuple[str, ...]:
    """Return how a text, number, true, false or null is written: with its characters, or with their escapes."""
    plain, escaped = json.dumps(value, ensure_ascii=False), json.dumps(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return plain, str(int(value))
    return (plain,) if plain == escaped else (plain, escaped)


def _lowest(schema: Bounds) -> int | None:
    """Return the first whole number that is large enough; None if there is no limit."""
    found = [ceil(schema["minimum"])] if "minimum" in schema else []
    found += [floor(schema["exclusiveMinimum"]) + 1] if "exclusiveMinimum" in schema else []
    return max(found, default=None)


def _highest(schema: Bounds) -> int | None:
    """Return the last whole number that is small enough; None if there is no limit."""
    found = [floor(schema["maximum"])] if "maximum" in schema else []
    found += [ceil(schema["exclusiveMaximum"]) - 1] if "exclusiveMaximum" in schema else []
    return min(found, default=None)


def _largest() -> str:
    """Return the numbers with the largest exponent, up to the largest float."""
    digits = enumerate(_LARGEST)
    lower = [rf"1\.{_LARGEST[:place]}[0-{int(digit) - 1}][0-9]*" for place, digit in digits if digit > "0"]
    ways = ["1", *lower, rf"1\.{_LARGEST}"]
    return f"({'|'.join(ways)})[eE][+]?308"


def _escape(text: str) -> str:
    """Return the expression of a text; a backslash is a class of its own, as Lark misreads one before a quote."""
    return "".join(_ESCAPES.get(letter, letter) for letter in text)
