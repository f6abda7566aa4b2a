"""Heat maps: rows of mistakes or languages, a column for each format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from ...figures import EVERY, Figure
from ..drawing import DARK, INK, LINE, MUTED, ORANGE, Sheet, shorten

_ROW, _LEFT, _SLANT, _MOST = 20, 132, 72, 30
_COLUMN, _ACROSS = 36, 6  # columns that stand beside one another


def right_by_mistake(figures: Mapping[str, Sequence[Figure]]) -> Sheet | None:
    """Draw the mistakes, each alone, that some format does not put right every time, the costliest first."""
    return _grid(figures["right_by_mistake"], "alone", lambda figure: figure.n - (figure.k or 0))


def collisions(figures: Mapping[str, Sequence[Figure]]) -> Sheet | None:
    """Draw the languages with a content that collides in some format, the most frequent collisions first."""
    return _grid(figures["collisions"], "collide", lambda figure: figure.k or 0)


def _grid(figures: Sequence[Figure], name: str, count: Callable[[Figure], int]) -> Sheet | None:
    """Draw k of n in each cell, on an orange that is the deeper the greater the share of what is bad, which counts."""
    known = [figure for figure in figures if figure.value is not None and figure.name == name]
    bad = Counter[str]()
    for figure in known:
        bad[figure.part] += count(figure)
    rows = sorted((part for part in bad if bad[part]), key=lambda part: (part != EVERY, -bad[part], part))[:_MOST]
    if not rows:
        return None
    formats = list(dict.fromkeys(figure.format for figure in known))
    cells = {(figure.part, figure.format): figure for figure in known}
    block = _SLANT + _ROW * len(rows) + 8
    sheet = Sheet(block * -(-len(formats) // _ACROSS))
    for number in range(0, len(formats), _ACROSS):
        _draw(sheet, block * (number // _ACROSS), rows, formats[number : number + _ACROSS], cells, count)
    return sheet


def _draw(
    sheet: Sheet,
    top: float,
    rows: Sequence[str],
    formats: Sequence[str],
    cells: Mapping[tuple[str, str], Figure],
    count: Callable[[Figure], int],
) -> None:
    """Draw some columns, as many as a phone has room for."""
    axes = sheet.axes(_LEFT, top + _SLANT, _COLUMN * len(formats), _ROW * len(rows))
    axes.set_xlim(0, len(formats))
    axes.set_ylim(len(rows), 0)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_yticks([number + 0.5 for number in range(len(rows))], [shorten(row, 25) for row in rows], size=10)
    axes.set_xticks([])
    for place, format in enumerate(formats):
        style = {"rotation": 40, "rotation_mode": "anchor", "ha": "left", "va": "bottom", "weight": "bold"}
        axes.text(place + 0.4, -0.3, shorten(format, 16), size=10.5, **style)
        for number, row in enumerate(rows):
            cell = cells.get((row, format))
            share = count(cell) / cell.n if cell else 0.0
            fill, depth = (ORANGE, 0.25 + 0.75 * share) if share else (LINE, 0.45 if cell else 0.0)
            axes.barh(number + 0.5, 0.94, left=place + 0.03, height=0.88, color=fill, alpha=depth)
            text, ink = f"{cell.k}/{cell.n}" if cell else "·", DARK if share > 0.6 else INK if share else MUTED
            axes.text(place + 0.5, number + 0.52, text, ha="center", va="center", size=9.5, color=ink)
