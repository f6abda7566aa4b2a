"""JSON as ECMAScript's `JSON.stringify` writes it, so that every runtime prints the same bytes for the same value.

Python's own writer differs in numbers (`1.0`, `1e-05`, `NaN`) and leaves halves of surrogate pairs as they are.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_HALF = re.compile("[\ud800-\udfff]")


def spell_json(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON, objects by their `to_dict`: on one line, or on many that are so many blanks indented.

    On many lines it is what `JSON.stringify(value, null, indent)` gives; one line has blanks behind commas and colons.
    Whole numbers are exact here beyond 2**53, too.
    """
    return "".join(_spell(value, "\n" if indent is not None else "", " " * (indent or 0)))


def spell_number(value: float) -> str:
    """Return a number's shortest decimal form: a point only before a fraction, `null` for what is none."""
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        return "null"
    text = repr(value)
    if "e" not in text and not text.endswith(".0"):
        return text
    sign, figures, exponent = Decimal(text).normalize().as_tuple()
    digits, point = "".join(map(str, figures)), len(figures) + int(exponent)
    shown = "-" if sign and digits != "0" else ""
    if 0 < point <= 21:
        return shown + (digits.ljust(point, "0") if len(digits) <= point else f"{digits[:point]}.{digits[point:]}")
    if -6 < point <= 0:
        return f"{shown}0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{shown}{digits[0]}{fraction}e{point - 1:+d}"


def spell_text(text: str) -> str:
    """Return a text in quotes; of characters beyond ASCII only halves of surrogate pairs are escaped."""
    spelt = json.dumps(text, ensure_ascii=False)
    if _HALF.search(spelt) is None:
        return spelt
    whole = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), spelt)
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", whole)


def replace_halves(value: Any) -> Any:
    """Return a JSON value with U+FFFD for each half of a surrogate pair, which UTF-8 cannot hold."""
    if isinstance(value, str):
        if _HALF.search(value) is None:
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {replace_halves(key): replace_halves(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [replace_halves(each) for each in value]
    return value


def _spell(value: Any, newline: str, indent: str) -> Iterator[str]:
    """Yield the parts of a value; `newline` begins a line as deep as the value is, empty if there is but one."""
    if isinstance(value, str):
        yield spell_text(str(value))
    elif value is None or isinstance(value, bool):
        yield {None: "null", True: "true", False: "false"}[value]
    elif isinstance(value, int | float):
        yield spell_number(value)
    elif isinstance(value, Mapping):
        rows = ((f"{spell_text(str(key))}: ", inner) for key, inner in value.items())
        yield from _spell_all("{}", rows, newline, indent)
    elif isinstance(value, list | tuple):
        yield from _spell_all("[]", (("", inner) for inner in value), newline, indent)
    else:
        yield from _spell(value.to_dict(), newline, indent)


def _spell_all(brackets: str, rows: Iterator[tuple[str, Any]], newline: str, indent: str) -> Iterator[str]:
    deeper, between = newline + indent if newline else "", ""
    yield brackets[0]
    for name, inner in rows:
        yield between + deeper + name
        yield from _spell(inner, deeper, indent)
        between = "," if newline else ", "
    yield (newline if between else "") + brackets[1]
