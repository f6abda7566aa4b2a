"""Write JSON as ECMAScript's `JSON.stringify` does: the same bytes in every runtime.

Python's own writer differs in numbers (`1.0`, `1e-05`, `NaN`), and writes halves of surrogate pairs
as they are. Exported parsers in JavaScript are compared with this package byte by byte.

Reference: ECMAScript, Number::toString
(https://tc39.es/ecma262/#sec-numeric-types-number-tostring).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_HALF = re.compile("[\ud800-\udfff]")  # outside of a pair: no character, and not in UTF-8
# The decimal exponents between which a number is written without an exponent, from ECMAScript.
_MIN_EXPONENT = -6
_MAX_EXPONENT = 21


def spell_json(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON.

    Args:
        value: A JSON value. Any other object is written by its `to_dict`.
        indent: The number of blanks by which each level is indented, on many lines. This is the
            result of `JSON.stringify(value, null, indent)`. None: on one line, with blanks after
            commas and colons.

    Returns:
        The text. Integers are exact beyond 2**53, too, where JavaScript rounds them.
    """
    if indent is None:
        return "".join(_spell(value, "", ""))
    return "".join(_spell(value, "\n", " " * indent))


def spell_number(value: float) -> str:
    """Return the shortest decimal form of a number.

    Args:
        value: The number.

    Returns:
        The text, with a point only before a fraction; `null` for infinities and NaN.
    """
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        return "null"
    # `repr` gives the shortest digits that read back as the same number, as ECMAScript demands.
    text = repr(value)
    if "e" not in text and not text.endswith(".0"):
        return text
    sign, figures, exponent = Decimal(text).normalize().as_tuple()
    digits = "".join(map(str, figures))
    point = len(figures) + int(exponent)  # the number of digits before the decimal point
    minus = "-" if sign and digits != "0" else ""  # JSON.stringify writes -0 as 0
    if 0 < point <= _MAX_EXPONENT:
        if len(digits) <= point:
            return minus + digits.ljust(point, "0")
        return f"{minus}{digits[:point]}.{digits[point:]}"
    if _MIN_EXPONENT < point <= 0:
        return f"{minus}0.{'0' * -point}{digits}"
    first = digits[0]
    fraction = digits[1:]
    if fraction:
        fraction = "." + fraction
    return f"{minus}{first}{fraction}e{point - 1:+d}"


def spell_text(text: str) -> str:
    """Return a text in quotes.

    Args:
        text: The text. Of characters beyond ASCII, only halves of surrogate pairs are escaped.
    """
    escaped = json.dumps(text, ensure_ascii=False)
    if _HALF.search(escaped) is None:
        return escaped
    # Two halves that follow each other are one character in JavaScript, and two in Python.
    joined = _PAIR.sub(_join_pair, escaped)
    return _HALF.sub(_escape_half, joined)


def _join_pair(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _escape_half(half: re.Match[str]) -> str:
    return f"\\u{ord(half[0]):04x}"


def replace_halves(value: Any) -> Any:
    """Return a JSON value with U+FFFD for each half of a surrogate pair.

    Args:
        value: The value. JSON can escape a half of a pair, but UTF-8 cannot contain it.
    """
    if isinstance(value, str):
        if _HALF.search(value) is None:
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {replace_halves(key): replace_halves(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [replace_halves(item) for item in value]
    return value


def _spell(value: Any, newline: str, indent: str) -> Iterator[str]:
    """Yield the parts of a value.

    `newline` is a line feed and the indent of the value; empty if all is on one line.
    """
    if isinstance(value, str):
        yield spell_text(str(value))
    elif value is None:
        yield "null"
    elif isinstance(value, bool):  # before numbers: a bool is an int
        yield "true" if value else "false"
    elif isinstance(value, int | float):
        yield spell_number(value)
    elif isinstance(value, Mapping):
        members = ((f"{spell_text(str(key))}: ", item) for key, item in value.items())
        yield from _spell_all("{}", members, newline, indent)
    elif isinstance(value, list | tuple):
        items = (("", item) for item in value)
        yield from _spell_all("[]", items, newline, indent)
    else:
        yield from _spell(value.to_dict(), newline, indent)


def _spell_all(
    brackets: str, rows: Iterator[tuple[str, Any]], newline: str, indent: str
) -> Iterator[str]:
    """Yield the parts of an object or a list, whose rows have a key and a value."""
    opening = brackets[0]
    closing = brackets[1]
    deeper = newline + indent if newline else ""
    separator = "," if newline else ", "
    yield opening
    is_empty = True
    for name, item in rows:
        if not is_empty:
            yield separator
        is_empty = False
        yield deeper + name
        yield from _spell(item, deeper, indent)
    if not is_empty:  # an empty object or list is on one line
        yield newline
    yield closing
