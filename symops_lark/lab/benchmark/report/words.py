"""Figures and names as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..figures import Figure

# Underscores are markup only at the edge of a word.
_MARKUP = re.compile(r"([\\`*{}\[\]<>#|~!&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")


def code(text: str) -> str:
    """Return any name as code, on one line; it may be in a table."""
    if not text.strip():
        return "``-``"
    # A backquote would end the code, and a bar the cell of a table.
    text = text.replace("`", "'").replace("|", "¦")
    return f"`{' '.join(text.split())}`"


def plain(text: str) -> str:
    """Return an untrusted text on one line, with nothing in it that is markup."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def percent(value: float) -> str:
    """Return a share in percent; only exact values are written as 100 or 0."""
    if value in (0, 1):
        return f"{100 * value:.0f} %"
    # A rounded value must not look like one without exceptions.
    rounded = f"{100 * value:.1f}"
    if rounded == "100.0" and value < 1:
        rounded = "99.9+"
    elif rounded == "0.0" and value > 0:
        rounded = "<0.1"
    return f"{rounded} %"


def interval(figure: Figure) -> str:
    """Return the interval of a figure; only its end if there was no hit."""
    if figure.unit == "share":
        high = percent(figure.high or 0)
        if figure.k == 0:
            return f"at most {high}"
        # The sign is written once, after the second value.
        low = percent(figure.low or 0)
        return f"{low[:-2]} to {high[:-2]}"
    if figure.low is None:
        return ""
    return f"{number(figure.low)} to {number(figure.high)}"


def number(value: float | None) -> str:
    """Return a number with its significant digits."""
    if value is None:
        return ""
    # The intervals justify about three significant digits.
    if abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}"
    return f"{value:.3g}"


def cell(figure: Figure | None, *, with_n: bool) -> str:
    """Return a figure for a table, with its n if that is not in the row."""
    if figure is None:
        return "–"
    if figure.value is None:
        return "not measurable"
    text = percent(figure.value) if figure.unit == "share" else number(figure.value)
    if figure.unit == "milliseconds":
        text += " ms"
    limits = interval(figure)
    if limits:
        text += f" ({limits})"
    if with_n:
        text += f", n {figure.n:,}"
    return text


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> list[str]:
    """Return the lines of a table.

    Args:
        heads: The titles of the columns.
        rows: The cells of each row.
        numbers: The first column of numbers; it and all later ones are aligned to the right.
    """
    rule = ["---"] * numbers
    rule += ["---:"] * (len(heads) - numbers)
    return [f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows)]


def listing(parts: Sequence[str]) -> str:
    """Return words as a list in a sentence."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
