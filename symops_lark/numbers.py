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


def short(value: float) -> str:
    """Return a number with at most six digits, and no zeros behind them."""
    return f"{value:g}"
