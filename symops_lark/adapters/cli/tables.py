"""Tables for the terminal, drawn by rich."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from .colours import is_coloured
from .visibility import visible

if TYPE_CHECKING:
    from rich.table import Table

_WIDEST = 400  # columns: rows of numbers are not wrapped


def draw_table(titles: Sequence[str], rows: Sequence[Sequence[object]], texts: Collection[int] = (0,)) -> Iterator[str]:
    """Yield the lines of a table; the columns `texts` (from 0) stand to the left, the others are numbers."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for place, title in enumerate(titles):
        table.add_column(Text(title), justify="left" if place in texts else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(visible(str(cell))) for cell in row))  # texts, not strings: rich would read marks in those
    yield from draw(table, _WIDEST)


def align(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> Iterator[str]:
    """Yield rows with their cells in columns; the columns `right` (from 0) stand to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        sized = enumerate(zip(row, widths, strict=True))
        yield "  ".join(cell.rjust(w) if i in right else cell.ljust(w) for i, (cell, w) in sized).rstrip()


def draw(table: Table, width: int) -> Iterator[str]:
    """Yield the lines of a table of rich, at most so many columns wide; coloured where the terminal is."""
    from rich.console import Console

    drawn, coloured = StringIO(newline=""), is_coloured()
    Console(
        file=drawn,
        width=width,
        height=24,
        force_terminal=coloured,
        no_color=not coloured,
        color_system="standard" if coloured else None,
        legacy_windows=False,
    ).print(table)
    yield from (line.rstrip(" ") for line in drawn.getvalue().removesuffix("\n").split("\n"))
