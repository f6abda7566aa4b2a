"""Write texts, numbers and fixed values of JSON as regular expressions of the portable subset.

They have only literals, classes of named characters, and `( ) | ? * +`, which Lark, llguidance and
GBNF read alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import ceil, floor
from typing import Any

BLANKS = r"[ \t\n\r]"
_HEX = "[0-9a-fA-F]"
# The escape of the first half of a surrogate pair is followed by that of the second half.
_ESCAPED = (
    rf'["\\\/bfnrt]|u[0-9a-cefA-CEF]{_HEX}{_HEX}{_HEX}|u[dD][0-7]{_HEX}{_HEX}'
    rf"|u[dD][89abAB]{_HEX}{_HEX}\\u[dD][c-fC-F]{_HEX}{_HEX}"
)
_CHARACTER = rf'([^"\\\x00-\x1f]|\\({_ESCAPED}))'
_UNSIGNED = "(0|[1-9][0-9]*)"
_DIGITS = "[0-9]?" * 16
# The model must not write a number that is larger than the largest float.
_EXPONENT = r"([eE]-[0-9][0-9]?[0-9]?|[eE][+]?(30[0-7]|[12][0-9][0-9]|[0-9][0-9]?))"
_LARGEST = "7976931348623157"  # of 1.7976931348623157e+308
_REAL = rf"([0-9](\.[0-9]+)?{_EXPONENT}|(0|[1-9]{_DIGITS})\.[0-9]+|{_UNSIGNED})"
_SHARE = r"(0\.[0-9]+|1\.0+|[1-9](\.[0-9]+)?[eE]-[0-9][0-9]?[0-9]?|0|1)"  # from 0 to 1
_MAX_INTEGERS = 1_000  # between two limits: each is one alternative
_EXACT = 2**53  # up to here, a float is exactly an integer
_LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_SPECIAL = "/.^$*+?()[]{}|-"
# A backslash is a class, because Lark misreads one before a quote.
_ESCAPES = {"\\": r"[\\]"} | {letter: "\\" + letter for letter in _SPECIAL}
Bounds = Mapping[str, Any]


class Unwritable(ValueError):
    """No regular expression of a reasonable size can express a keyword.

    Attributes:
        keyword: The keyword of the schema.
    """

    def __init__(self, keyword: str, reason: str) -> None:
        self.keyword = keyword
        super().__init__(reason)


def spell_string(schema: Bounds) -> str:
    """Return the texts of a schema: any, or any but the empty one.

    Raises:
        Unwritable: The schema has another minimum length.
    """
    length = schema.get("minLength", 0)
    if length not in (0, 1):
        raise Unwritable("minLength", "a length is not counted; only 0 and 1 are known")
    sign = "+" if length else "*"
    return f'"{_CHARACTER}{sign}"'


def spell_integer(schema: Bounds) -> str:
    """Return the integers of a schema: any, from 0 or 1 on, or all between two limits.

    Raises:
        Unwritable: The schema has other limits.
    """
    low, high = _lowest(schema), _highest(schema)
    if low is None and high is None:
        return f"-?{_UNSIGNED}"
    if low is not None and high is not None:
        if high - low >= _MAX_INTEGERS:
            reason = f"between the two limits are more than {_MAX_INTEGERS:,} numbers"
            raise Unwritable("maximum", reason)
        if high < low:
            raise Unwritable("maximum", "no number lies between the two limits")
        return spell_fixed(range(low, high + 1))
    if low == 0:
        return _UNSIGNED
    if low == 1:
        return "[1-9][0-9]*"
    keyword = "minimum" if high is None else "maximum"
    raise Unwritable(keyword, "one limit alone can only be a minimum of 0 or 1")


def spell_number(schema: Bounds) -> str:
    """Return the numbers of a schema: any, from 0 on, or from 0 to 1.

    Raises:
        Unwritable: The schema has other limits.
    """
    limits = {name: schema[name] for name in _LIMITS if name in schema}
    if not limits:
        return f"-?({_largest()}|{_REAL})"
    if limits == {"minimum": 0}:
        return f"({_largest()}|{_REAL})"
    if limits == {"minimum": 0, "maximum": 1}:
        return _SHARE
    reason = "the limits of numbers can only be a minimum of 0, with or without a maximum of 1"
    raise Unwritable(next(iter(limits)), reason)


def spell_fixed(values: Iterable[Any]) -> str:
    """Return some fixed values as JSON writes them, with their characters or with escapes."""
    texts: set[str] = set()
    for value in values:
        texts.update(ways_to_write(value))
    # The longest first: an engine may take the first alternative that matches.
    ordered = sorted(texts, key=lambda text: (-len(text), text))
    return "|".join(map(_escape, ordered))


def ways_to_write(value: Any) -> tuple[str, ...]:
    """Return the JSON texts of a scalar: with its characters, or with their escapes."""
    plain = json.dumps(value, ensure_ascii=False)
    escaped = json.dumps(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return plain, str(int(value))
    if plain == escaped:
        return (plain,)
    return plain, escaped


def _lowest(schema: Bounds) -> int | None:
    """Return the first integer that is large enough; None if there is no limit."""
    limits = []
    if "minimum" in schema:
        limits.append(ceil(schema["minimum"]))
    if "exclusiveMinimum" in schema:
        limits.append(floor(schema["exclusiveMinimum"]) + 1)
    return max(limits, default=None)


def _highest(schema: Bounds) -> int | None:
    """Return the last integer that is small enough; None if there is no limit."""
    limits = []
    if "maximum" in schema:
        limits.append(floor(schema["maximum"]))
    if "exclusiveMaximum" in schema:
        limits.append(ceil(schema["exclusiveMaximum"]) - 1)
    return min(limits, default=None)


def _largest() -> str:
    """Return the numbers with the largest exponent, up to the largest float."""
    ways = ["1"]
    for index, digit in enumerate(_LARGEST):
        # The same digits up to here, then a smaller one.
        if digit > "0":
            ways.append(rf"1\.{_LARGEST[:index]}[0-{int(digit) - 1}][0-9]*")
    ways.append(rf"1\.{_LARGEST}")
    return f"({'|'.join(ways)})[eE][+]?308"


def _escape(text: str) -> str:
    return "".join(_ESCAPES.get(letter, letter) for letter in text)
