"""How numbers are rounded and how values are shown in messages: one place, as runtimes differ in both."""

from __future__ import annotations


def rounded(value: float) -> float:
    """Return a confidence or a cost as it is told: four decimals, halves to even."""
    return round(value, 4)


def whole(value: float) -> int:
    """Return the nearest whole number, halves to even."""
    return round(value)


def quoted(text: str) -> str:
    """Return a text in quotes, with its control characters visible."""
    return repr(text)


def grouped(number: int) -> str:
    """Return a whole number with a comma between thousands."""
    return f"{number:,}"


def counted(number: int, noun: str, plural: str = "", zero: str = "0") -> str:
    """Return a count and what is counted: `1 line`, `2,000 lines`; `plural` where it is not the noun with an `s`.

    What follows may be part of both, where a verb agrees: `counted(n, "row is", "rows are")`.
    """
    return f"{grouped(number) if number else zero} {noun if number == 1 else plural or noun + 's'}"


def short(value: float) -> str:
    """Return a number with at most six digits, and no zeros behind them."""
    return f"{value:g}"
