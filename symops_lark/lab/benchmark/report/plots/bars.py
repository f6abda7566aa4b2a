"""Bars for each format, one after each phase: the outcomes of replies, and what a phase adds."""

from __future__ import annotations

from typing import Any

from ...figures import ALARM, NO_ANSWER, OUTCOMES, RIGHT, WRONG
from ..drawing import (
    BLUE,
    GREEN,
    GREY,
    INK,
    MUTED,
    ORANGE,
    RED,
    SKY,
    Sheet,
    shares,
    shorten,
    whisker,
)
from ..findings import FiguresByMeasure, measured, nest
from ..words import percent

_OUTCOME_COLOURS = {RIGHT: BLUE, ALARM: ORANGE, NO_ANSWER: GREY, WRONG: RED}
_PHASE_COLOURS = {"strict": BLUE, "repaired": SKY, "recovered": GREEN, "corrected": ORANGE}
# Pixels: the title of a format, the key above the bars, and a bar with its gap.
_TITLE = 22
_TITLE_MIDDLE = 13
_KEY = 40
_BAR = 18
_GAP = 6
_TICKS = 26  # below the bars
_ABOVE = 8  # compliance has no key
_LEFT = 92  # the names of phases
_RIGHT = 22  # beside the bars of fidelity and beside their key
_RATES = 52  # beside the bars of compliance
_PHASE_STYLE = {"ha": "right", "va": "center", "color": MUTED, "size": 10.5}
_TITLE_STYLE = {"weight": "bold", "va": "center"}
_SUMMARY_STYLE = {
    "ha": "right",
    "va": "center",
    "color": INK,
    "size": 10,  # smaller than the title, which is on the same line
}
_RATE_STYLE = {
    "va": "center",
    "color": INK,
    "size": 10.5,  # the size of the phase at the other end of the bar
}


def fidelity_by_phase(figures: FiguresByMeasure) -> Sheet | None:
    """Draw for each format a bar after each phase, divided by the outcomes of its replies."""
    formats = nest(measured(figures["fidelity_by_phase"]))
    if not formats:
        return None
    bar_count = sum(map(len, formats.values()))
    height = _TITLE * len(formats) + _BAR * bar_count
    sheet = Sheet(_KEY + height + _TICKS)
    width = sheet.width - _LEFT - _RIGHT
    axes = _make_axes(sheet, _LEFT, _KEY, width, height)
    top = 0.0
    for format, phases in formats.items():
        outcomes = next(reversed(phases.values()))
        correct = percent(outcomes[RIGHT].amount)
        silent = outcomes[WRONG]
        summary = f"{correct} right, {silent.k} of {silent.n} wrong without alarm"
        axes.text(1, top + _TITLE_MIDDLE, summary, **_SUMMARY_STYLE)
        top = _write_title(axes, top, shorten(format, 22), width)
        for phase, outcomes in phases.items():
            middle = top + _BAR / 2
            axes.text(-0.02, middle, phase, **_PHASE_STYLE)
            start = 0.0
            for name in OUTCOMES:
                share = outcomes[name].amount
                colour = _OUTCOME_COLOURS[name]
                axes.barh(middle, share, left=start, height=_BAR - _GAP, color=colour)
                start += share
            top += _BAR
    _draw_key(sheet)
    return sheet


def _draw_key(sheet: Sheet) -> None:
    """Draw what the colours mean, in two columns at the top of the sheet."""
    width = sheet.width - 2 * _RIGHT
    axes = sheet.axes(_RIGHT, 0, width, _KEY)
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(_KEY, 0)
    for index, (name, colour) in enumerate(_OUTCOME_COLOURS.items()):
        row, column = divmod(index, 2)
        left = column * width / 2
        top = 8 + row * 16
        axes.barh(top, 10, left=left, height=10, color=colour)
        axes.text(left + 15, top, name, va="center", size=10.5)


def compliance_by_phase(figures: FiguresByMeasure) -> Sheet | None:
    """Draw for each format a bar of what is valid as written, and one of what each phase adds."""
    rates = measured(figures["compliance_by_phase"])
    if not rates:
        return None
    formats = nest(rates)
    height = _TITLE * len(formats) + _BAR * len(rates)
    sheet = Sheet(_ABOVE + height + _TICKS)
    width = sheet.width - _LEFT - _RATES
    axes = _make_axes(sheet, _LEFT, _ABOVE, width, height)
    top = 0.0
    for format, phases in formats.items():
        top = _write_title(axes, top, shorten(format, 40), width)
        start = 0.0
        for phase, outcomes in phases.items():
            figure = outcomes["valid"]
            value = figure.amount
            middle = top + _BAR / 2
            colour = _PHASE_COLOURS[phase]
            axes.barh(middle, value - start, left=start, height=_BAR - _GAP, color=colour)
            whisker(axes, figure.low, figure.high, middle)
            # The first phase starts at zero; every later one shows only its addition.
            label = phase if phase == "strict" else f"+ {phase}"
            axes.text(-0.02, middle, label, **_PHASE_STYLE)
            axes.text(1.02, middle, f"{100 * value:.1f} %", **_RATE_STYLE)
            start = value
            top += _BAR
    return sheet


def _write_title(axes: Any, top: float, title: str, width: float) -> float:
    """Write the title of a format; return where its bars begin."""
    axes.text(-_LEFT / width, top + _TITLE_MIDDLE, title, **_TITLE_STYLE)
    return top + _TITLE


def _make_axes(sheet: Sheet, left: float, top: float, width: float, height: float) -> Any:
    """Return axes of shares along x; y is counted in pixels from above."""
    axes = sheet.axes(left, top, width, height)
    shares(axes)
    axes.set_ylim(height, 0)
    axes.set_yticks([])
    return axes
