"""What became of what was meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...figures import ALARM, NO_ANSWER, OUTCOMES, RIGHT, WRONG, Figure
from ..drawing import BLUE, GREY, INK, MUTED, ORANGE, RED, Sheet, shares, shorten
from ..words import percent

_COLOURS = {RIGHT: BLUE, ALARM: ORANGE, NO_ANSWER: GREY, WRONG: RED}
_ROW, _HEAD, _LEFT, _RIGHT, _KEY = 16, 22, 74, 22, 40


def fidelity_by_phase(figures: Mapping[str, Sequence[Figure]]) -> Sheet | None:
    """Draw for each format a bar after each phase, divided into what became of its replies."""
    known = [figure for figure in figures["fidelity_by_phase"] if figure.value is not None]
    if not known:
        return None
    rows = {format: list(dict.fromkeys(f.part for f in known if f.format == format)) for format in _formats(known)}
    high = sum(_HEAD + _ROW * len(phases) for phases in rows.values())
    sheet = Sheet(_KEY + high + 26)
    wide = sheet.width - _LEFT - _RIGHT
    axes = sheet.axes(_LEFT, _KEY, wide, high)
    shares(axes)
    axes.set_ylim(high, 0)
    axes.set_yticks([])
    cells = {(figure.format, figure.part, figure.name): figure for figure in known}
    top = 0.0
    for format, phases in rows.items():
        told = _tell(cells[format, phases[-1], RIGHT], cells[format, phases[-1], WRONG])
        axes.text(-_LEFT / wide + 0.01, top + _HEAD / 2 + 2, shorten(format, 22), weight="bold", va="center")
        axes.text(1, top + _HEAD / 2 + 2, told, ha="right", va="center", color=INK, size=10)
        top += _HEAD
        for phase in phases:
            left, middle = 0.0, top + _ROW / 2
            axes.text(-0.02, middle, phase, ha="right", va="center", color=MUTED, size=10)
            for name in OUTCOMES:
                value = cells[format, phase, name].value or 0.0
                axes.barh(middle, value, left=left, height=_ROW - 4, color=_COLOURS[name])
                left += value
            top += _ROW
    _key(sheet)
    return sheet


def _formats(figures: Sequence[Figure]) -> list[str]:
    return list(dict.fromkeys(figure.format for figure in figures))


def _tell(right: Figure, wrong: Figure) -> str:
    return f"{percent(right.value or 0)} right, {wrong.k} of {wrong.n} wrong without alarm"


def _key(sheet: Sheet) -> None:
    wide = sheet.width - 2 * _RIGHT
    axes = sheet.axes(_RIGHT, 0, wide, _KEY)
    axes.set_axis_off()
    axes.set_xlim(0, wide)
    axes.set_ylim(_KEY, 0)
    for place, (name, colour) in enumerate(_COLOURS.items()):
        left, top = place % 2 * wide / 2, 8 + place // 2 * 16
        axes.barh(top, 10, left=left, height=10, color=colour)
        axes.text(left + 15, top, name, va="center", size=10.5)
