"""Heat maps: rows of mistakes or languages, a column for each format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...figures import EVERY, Figure
from ..drawing import DARK, INK, LINE, MUTED, ORANGE, Sheet, shorten

_ROW, _LEFT, _RIGHT, _SLANT, _MOST = 20, 132, 52, 72, 30


def exact_by_mistake(figures: Mapping[str, Sequence[Figure]]) -> Sheet | None:
    """Draw the mistakes, each alone, that some format does not put right every time, the costliest first."""
    known = [figure for figure in figures["exact_by_mistake"] if figure.value is not None and figure.name == "alone"]
    lost = dict.fromkeys(sorted({figure.part for figure in known}), 0)
    for figure in known:
        lost[figure.part] += figure.n - (figure.k or 0)
    rows = sorted((part for part in lost if lost[part]), key=lambda part: (-lost[part], part))[:_MOST]
    return _grid(known, rows, lambda figure: figure.n - (figure.k or 0))


def collisions(figures: Mapping[str, Sequence[Figure]]) -> Sheet | None:
    """Draw the languages with a content that collides in some format, the most frequent collisions first."""
    known = [figure for figure in figures["collisions"] if figure.value is not None and figure.name == "collide"]
    hits = dict.fromkeys(sorted({figure.part for figure in known}), 0)
    for figure in known:
        hits[figure.part] += figure.k or 0
    rows = sorted((part for part in hits if hits[part]), key=lambda part: (part != EVERY, -hits[part], part))[:_MOST]
    return _grid(known, rows, lambda figure: figure.k or 0)


def _grid(known: Sequence[Figure], rows: Sequence[str], count: Callable[[Figure], int]) -> Sheet | None:
    """Draw k of n in each cell, on an orange that is the deeper the greater the share of what is bad."""
    if not rows:
        return None
    formats = list(dict.fromkeys(figure.format for figure in known))
    cells = {(figure.part, figure.format): figure for figure in known}
    sheet = Sheet(_SLANT + _ROW * len(rows) + 4, max(400, _LEFT + 36 * len(formats) + _RIGHT))
    wide = min(sheet.width - _LEFT - _RIGHT, 60 * len(formats))
    axes = sheet.axes(_LEFT, _SLANT, wide, _ROW * len(rows))
    axes.set_xlim(0, len(formats))
    axes.set_ylim(len(rows), 0)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_yticks([number + 0.5 for number in range(len(rows))], [shorten(row, 25) for row in rows], size=10)
    axes.set_xticks([])
    for place, format in enumerate(formats):
        axes.text(
            place + 0.4,
            -0.3,
            shorten(format, 16),
            rotation=40,
            ha="left",
            va="bottom",
            size=10.5,
            weight="bold",
            rotation_mode="anchor",
        )
        for number, row in enumerate(rows):
            figure = cells.get((row, format))
            share = count(figure) / figure.n if figure else 0.0
            axes.barh(
                number + 0.5,
                0.94,
                left=place + 0.03,
                height=0.88,
                color=ORANGE if share else LINE,
                alpha=0.25 + 0.75 * share if share else 0.45 if figure else 0.0,
            )
            text = f"{figure.k}/{figure.n}" if figure else "·"
            axes.text(
                place + 0.5,
                number + 0.52,
                text,
                ha="center",
                va="center",
                size=9.5,
                color=DARK if share > 0.6 else INK if share else MUTED,
            )
    return sheet
