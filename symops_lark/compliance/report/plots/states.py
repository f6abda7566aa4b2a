"""What became of what was meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...figures import Figure
from ...records import PHASES
from ..drawing import BLUE, GREEN, GREY, INK, ORANGE, RED, SKY, Sheet, shares, shorten
from ..words import percent

_COLOURS = {
    "exact": BLUE,
    "superset": SKY,
    "paths only": GREEN,
    "partial": ORANGE,
    "rejected": GREY,
    "wrong accepted": RED,
}
_ROW, _LEFT, _KEY = 34, 14, 40


def fidelity_by_phase(figures: Mapping[str, Sequence[Figure]]) -> Sheet | None:
    """Draw a bar for each format, divided into what became of its replies in the end."""
    known = [figure for figure in figures["fidelity_by_phase"] if figure.value is not None]
    if not known:
        return None
    formats = list(dict.fromkeys(figure.format for figure in known))
    sheet = Sheet(_KEY + _ROW * len(formats) + 26)
    wide = sheet.width - 2 * _LEFT - 4
    axes = sheet.axes(_LEFT, _KEY, wide, _ROW * len(formats))
    shares(axes)
    axes.set_ylim(_ROW * len(formats), 0)
    axes.set_yticks([])
    for row, format in enumerate(formats):
        mine = [figure for figure in known if figure.format == format]
        end = max((figure.part for figure in mine), key=PHASES.index)
        final = {figure.name: figure for figure in mine if figure.part == end}
        at, top = 0.0, row * _ROW
        for name, colour in _COLOURS.items():
            value = final[name].value or 0.0
            axes.barh(top + 24, value, left=at, height=14, color=colour)
            at += value
        told = f"{percent(final['exact'].value or 0)} exact"
        wrong = final["wrong accepted"]
        axes.text(0, top + 9, shorten(format, 26), weight="bold", va="center")
        axes.text(
            1, top + 9, f"{told}, {wrong.k} of {wrong.n} wrong accepted", ha="right", va="center", color=INK, size=10.5
        )
    _key(sheet, wide)
    return sheet


def _key(sheet: Sheet, wide: float) -> None:
    axes = sheet.axes(_LEFT, 0, wide, _KEY)
    axes.set_axis_off()
    axes.set_xlim(0, wide)
    axes.set_ylim(_KEY, 0)
    for place, (name, colour) in enumerate(_COLOURS.items()):
        left, top = place % 3 * wide / 3, 8 + place // 3 * 16
        axes.barh(top, 10, left=left, height=10, color=colour)
        axes.text(left + 15, top, name, va="center", size=10.5)
