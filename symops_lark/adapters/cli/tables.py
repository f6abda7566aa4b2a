"""Draw tables for the terminal with rich."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from .colours import is_coloured
from .visibility import visible

if TYPE_CHECKING:
    from rich.table import Table

_WIDEST = 400  # columns: rows of numbers are not wrapped


def draw_table(
    titles: Sequence[str], rows: Sequence[Sequence[object]], texts: Collection[int] = (0,)
) -> Iterator[str]:
    """Yield the lines of a table.

    Args:
        titles: The title of each column.
        rows: The cells of each row.
        texts: The columns that are aligned to the left, from 0; the others are numbers.
    """
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for index, title in enumerate(titles):
        table.add_column(Text(title), justify="left" if index in texts else "right", no_wrap=True)
    for row in rows:
        # Texts, not strings: rich would interpret its markup in those.
        table.add_row(*(Text(visible(str(cell))) for cell in row))
    yield from draw(table, _WIDEST)


def align(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> Iterator[str]:
    """Yield rows with their cells in columns.

    Args:
        rows: The cells of each row.
        right: The columns that are aligned to the right, from 0.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = []
        for index, width in enumerate(widths):
            cell = row[index]
            cells.append(cell.rjust(width) if index in right else cell.ljust(width))
        yield "  ".join(cells).rstrip()


def draw(table: Table, width: int) -> Iterator[str]:
    """Yield the lines of a table of rich; coloured on a terminal.

    Args:
        table: The table.
        width: The maximum width, in columns.
    """
    from rich.console import Console

    # Without `newline` the text would get the line endings of the machine.
    output = StringIO(newline="")
    has_colours = is_coloured()
    console = Console(
        file=output,
        width=width,
        height=24,
        force_terminal=has_colours,
        no_color=not has_colours,
        color_system="standard" if has_colours else None,
        legacy_windows=False,
    )
    console.print(table)
    for line in output.getvalue().removesuffix("\n").split("\n"):
        yield line.rstrip(" ")
