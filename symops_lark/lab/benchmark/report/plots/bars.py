"""Bars, a row of them for each phase of a format: what became of what was meant, and what each phase adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...figures import ALARM, NO_ANSWER, OUTCOMES, RIGHT, WRONG, Figure
from ..drawing import BLUE, GREEN, GREY, INK, MUTED, ORANGE, RED, SKY, Sheet, shares, shorten, whisker
from ..words import percent

_ENDS = {RIGHT: BLUE, ALARM: ORANGE, NO_ANSWER: GREY, WRONG: RED}
_PHASES = {"strict": BLUE, "repaired": SKY, "recovered": GREEN, "corrected": ORANGE}
_HEAD, _KEY = 22, 40


def fidelity_by_phase(figures: Mapping[str, Sequence[Figure]]) -> Sheet | None:
    """Draw for each format a bar after each phase, divided into what became of its replies."""
    known = [figure for figure in figures["fidelity_by_phase"] if figure.value is not None]
    if not known:
        return None
    row, left, right = 16, 74, 22
    cells = {(figure.format, figure.part, figure.name): figure for figure in known}
    formats = dict.fromkeys(figure.format for figure in known)
    phases = {format: list(dict.fromkeys(f.part for f in known if f.format == format)) for format in formats}
    high = sum(_HEAD + row * len(own) for own in phases.values())
    sheet = Sheet(_KEY + high + 26)
    wide = sheet.width - left - right
    axes = _make_axes(sheet, left, _KEY, wide, high)
    top = 0.0
    for format, own in phases.items():
        meant, wrong = cells[format, own[-1], RIGHT], cells[format, own[-1], WRONG]
        told = f"{percent(meant.value or 0)} right, {wrong.k} of {wrong.n} wrong without alarm"
        axes.text(-left / wide + 0.01, top + _HEAD / 2 + 2, shorten(format, 22), weight="bold", va="center")
        axes.text(1, top + _HEAD / 2 + 2, told, ha="right", va="center", color=INK, size=10)
        top += _HEAD
        for phase in own:
            begin, middle = 0.0, top + row / 2
            axes.text(-0.02, middle, phase, ha="right", va="center", color=MUTED, size=10)
            for name in OUTCOMES:
                value = cells[format, phase, name].value or 0.0
                axes.barh(middle, value, left=begin, height=row - 4, color=_ENDS[name])
                begin += value
            top += row
    _draw_key(sheet, right)
    return sheet


def _draw_key(sheet: Sheet, margin: float) -> None:
    wide = sheet.width - 2 * margin
    axes = sheet.axes(margin, 0, wide, _KEY)
    axes.set_axis_off()
    axes.set_xlim(0, wide)
    axes.set_ylim(_KEY, 0)
    for place, (name, colour) in enumerate(_ENDS.items()):
        left, top = place % 2 * wide / 2, 8 + place // 2 * 16
        axes.barh(top, 10, left=left, height=10, color=colour)
        axes.text(left + 15, top, name, va="center", size=10.5)


def compliance_by_phase(figures: Mapping[str, Sequence[Figure]]) -> Sheet | None:
    """Draw for each format a bar for what is valid as written, and one behind it for what each later phase adds."""
    known = [figure for figure in figures["compliance_by_phase"] if figure.value is not None]
    if not known:
        return None
    row, above, left, right = 18, 8, 92, 52
    formats = list(dict.fromkeys(figure.format for figure in known))
    high = _HEAD * len(formats) + row * len(known)
    sheet = Sheet(high + above + 24)
    wide = sheet.width - left - right
    axes = _make_axes(sheet, left, above, wide, high)
    top = 0.0
    for format in formats:
        axes.text(-left / wide, top + _HEAD / 2 + 3, shorten(format, 40), weight="bold", va="center")
        top += _HEAD
        before = 0.0
        for figure in (figure for figure in known if figure.format == format):
            value, middle = figure.value or 0.0, top + row / 2
            axes.barh(middle, value - before, left=before, height=row - 6, color=_PHASES[figure.part])
            whisker(axes, figure.low, figure.high, middle)
            sign = "" if figure.part == "strict" else "+ "
            axes.text(-0.02, middle, sign + figure.part, ha="right", va="center", color=MUTED, size=10.5)
            axes.text(1.02, middle, f"{100 * value:.1f} %", va="center", color=INK, size=10.5)
            before, top = value, top + row
    return sheet


def _make_axes(sheet: Sheet, left: float, top: float, wide: float, high: float) -> Any:
    """Return axes of shares, along which y is counted in pixels from above."""
    axes = sheet.axes(left, top, wide, high)
    shares(axes)
    axes.set_ylim(high, 0)
    axes.set_yticks([])
    return axes
