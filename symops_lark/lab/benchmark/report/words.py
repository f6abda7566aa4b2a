"""Figures and names as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ....core.ground.numbers import counted
from ..figures import Figure

_SIGNS = re.compile(r"([\\`*{}\[\]<>#|~!&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")


def code(text: str) -> str:
    """Return a name as code, on one line, whatever it holds; in a table too."""
    return "`" + " ".join(text.replace("`", "'").replace("|", "¦").split()) + "`" if text.strip() else "``-``"


def plain(text: str) -> str:
    """Return a text of others as text: nothing in it is markup."""
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))


def percent(value: float) -> str:
    """Return a share in percent; only what is all or nothing reads 100 or 0."""
    shown = f"{100 * value:.1f}"
    if shown == "100.0" and value < 1:
        return "99.9+ %"
    return ("<0.1" if shown == "0.0" and value > 0 else shown.removesuffix(".0") if value in (0, 1) else shown) + " %"


def interval(figure: Figure) -> str:
    """Return the interval of a figure, in words if nothing was seen."""
    if figure.unit == "share":
        if figure.k == 0:
            return f"at most {percent(figure.high or 0)}"
        return f"{percent(figure.low or 0)[:-2]} to {percent(figure.high or 0)[:-2]}"
    return f"{number(figure.low)} to {number(figure.high)}" if figure.low is not None else ""


def number(value: float | None) -> str:
    """Return a number with as many places as say something."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def cell(figure: Figure | None, *, with_n: bool) -> str:
    """Return a figure for a table, with its n if the row does not tell it."""
    if figure is None:
        return "–"
    if figure.value is None:
        return "not measurable"
    value = percent(figure.value) if figure.unit == "share" else number(figure.value)
    if figure.unit == "milliseconds":
        value += " ms"
    told = interval(figure)
    return value + (f" ({told})" if told else "") + (f", n {figure.n:,}" if with_n else "")


def rate(figure: Figure) -> str:
    """Return a share for a sentence: the rate, the counts, the interval."""
    if figure.value is None:
        return f"not measurable ({figure.why})"
    if figure.k == 0:
        many = f" to {counted(figure.tasks, 'task')}" if figure.tasks else ""
        return f"none of {figure.n:,}{many}, so at most {percent(figure.high or 0)}"
    return f"{percent(figure.value)} ({figure.k:,} of {figure.n:,}; {interval(figure)})"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> list[str]:
    """Return the lines of a table; columns from `numbers` on are aligned to the right."""
    rule = ["---" if place < numbers else "---:" for place in range(len(heads))]
    return ["| " + " | ".join(row) + " |" for row in (heads, rule, *rows)]


def listing(parts: Sequence[str]) -> str:
    """Return some words as a list in a sentence."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)
