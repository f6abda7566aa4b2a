"""Heat maps: a row for each mistake or language, a column for each format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from ...figures import EVERY, Figure
from ..drawing import DARK, INK, LINE, MUTED, ORANGE, Sheet, shorten
from ..findings import Figures, FiguresByMeasure, distinct, measured

# Pixels: a row, a column, the names of the rows at the left, the slanted names of the columns.
_ROW = 20
_COLUMN = 36
_LEFT = 132
_SLANT = 72
_MAX_ROWS = 30
_COLUMNS_ACROSS = 6  # that fit on a phone; further formats get a grid below
_FORMAT_STYLE = {
    "rotation": 40,
    "rotation_mode": "anchor",
    "ha": "left",
    "va": "bottom",
    "weight": "bold",
    "size": 10.5,
}
_CELL_STYLE = {"ha": "center", "va": "center", "size": 9.5}


def right_by_mistake(figures: FiguresByMeasure) -> Sheet | None:
    """Draw the mistakes that some format does not always repair, the most expensive first."""
    return _draw_grids(figures["right_by_mistake"], "alone", _count_misses)


def collisions(figures: FiguresByMeasure) -> Sheet | None:
    """Draw the languages with a content that collides in some format, the most frequent first."""
    return _draw_grids(figures["collisions"], "collide", _count_hits)


def _count_misses(figure: Figure) -> int:
    return figure.n - _count_hits(figure)


def _count_hits(figure: Figure) -> int:
    return figure.k or 0


def _draw_grids(figures: Figures, name: str, count_bad: Callable[[Figure], int]) -> Sheet | None:
    """Draw k of n in each cell; the greater the share of bad replies, the deeper the orange."""
    measurable = measured(figures, name)
    bad = Counter[str]()
    for figure in measurable:
        bad[figure.part] += count_bad(figure)
    rows = [part for part in bad if bad[part]]
    rows.sort(key=lambda part: (part != EVERY, -bad[part], part))
    rows = rows[:_MAX_ROWS]
    if not rows:
        return None
    formats = distinct(measurable, "format")
    cells = {(figure.part, figure.format): figure for figure in measurable}
    block = _SLANT + _ROW * len(rows) + 8
    starts = range(0, len(formats), _COLUMNS_ACROSS)
    sheet = Sheet(block * len(starts))
    for index, start in enumerate(starts):
        columns = formats[start : start + _COLUMNS_ACROSS]
        _draw_grid(sheet, block * index, rows, columns, cells, count_bad)
    return sheet


def _draw_grid(
    sheet: Sheet,
    top: float,
    rows: Sequence[str],
    formats: Sequence[str],
    cells: Mapping[tuple[str, str], Figure],
    count_bad: Callable[[Figure], int],
) -> None:
    """Draw one grid of columns that fit beside each other."""
    width = _COLUMN * len(formats)
    height = _ROW * len(rows)
    axes = sheet.axes(_LEFT, top + _SLANT, width, height)
    axes.set_xlim(0, len(formats))
    axes.set_ylim(len(rows), 0)
    axes.spines[["left", "bottom"]].set_visible(False)
    middles = [index + 0.5 for index in range(len(rows))]
    labels = [shorten(row, 25) for row in rows]
    axes.set_yticks(middles, labels, size=10)
    axes.set_xticks([])
    for column, format in enumerate(formats):
        label = shorten(format, 16)
        axes.text(column + 0.4, -0.3, label, **_FORMAT_STYLE)
        for index, row in enumerate(rows):
            text = "·"
            ink = MUTED
            fill = LINE
            depth = 0.0
            cell = cells.get((row, format))
            if cell:
                text = f"{cell.k}/{cell.n}"
                depth = 0.45
                share = count_bad(cell) / cell.n
                if share:
                    fill = ORANGE
                    depth = 0.25 + 0.75 * share
                    ink = INK
                if share > 0.6:
                    # Light letters are not readable on a deep orange.
                    ink = DARK
            left = column + 0.03
            axes.barh(index + 0.5, 0.94, left=left, height=0.88, color=fill, alpha=depth)
            middle = column + 0.5
            axes.text(middle, index + 0.52, text, color=ink, **_CELL_STYLE)
