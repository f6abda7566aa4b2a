"""Round numbers, and show values in messages.

All modules that are exported to other languages do both by these functions, because runtimes differ
in both: an export replaces this module alone.
"""

from __future__ import annotations

from unicodedata import category

_ESCAPED = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp", "Zs")


def rounded(value: float) -> float:
    """Return a confidence or a cost with four decimals, halves rounded to even."""
    return round(value, 4)


def whole(value: float) -> int:
    """Return the nearest integer, halves rounded to even."""
    return round(value)


def quoted(text: str) -> str:
    """Return a text in quotes, with its control characters visible.

    It is `repr`, but for characters that only new versions of Unicode have: versions of Python, and
    runtimes of exports, know different ones, so they stay as they are.
    """
    literal = repr(text)
    if text.isprintable():
        return literal
    quote = literal[0]
    spelled = {}
    # Long texts have few different characters.
    for sign in set(text):
        spelled[sign] = sign
        if sign == "\\" or is_escaped(sign):
            in_quotes = repr(sign)
            spelled[sign] = in_quotes[1:-1]
    spelled[quote] = f"\\{quote}"
    signs = [spelled[sign] for sign in text]
    inner = "".join(signs)
    return f"{quote}{inner}{quote}"


def is_escaped(sign: str) -> bool:
    """Return whether messages have the number of a character in its place."""
    point = ord(sign)
    # Unicode never gives these to a character: U+FDD0 to U+FDEF, and the last two of each plane.
    is_noncharacter = 0xFDD0 <= point <= 0xFDEF or point & 0xFFFE == 0xFFFE
    return sign != " " and (is_noncharacter or category(sign) in _ESCAPED)


def grouped(number: int) -> str:
    """Return an integer with a comma between thousands."""
    return f"{number:,}"


def counted(number: int, noun: str, plural: str = "", zero: str = "0") -> str:
    """Return a number and a noun that agrees with it: `1 line`, `2,000 lines`.

    Args:
        number: The number.
        noun: The noun in the singular. A verb may follow: `counted(n, "row is", "rows are")`.
        plural: The noun in the plural; "" for the singular with an "s".
        zero: The word for 0, such as "no".
    """
    count = grouped(number) if number else zero
    if number == 1:
        return f"{count} {noun}"
    return f"{count} {plural or noun + 's'}"


def short(value: float) -> str:
    """Return a number with at most six significant digits, and without zeros after them."""
    return f"{value:g}"
