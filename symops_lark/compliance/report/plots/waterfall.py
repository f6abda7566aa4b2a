"""What each phase adds to compliance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...figures import Figure
from ..drawing import BLUE, GREEN, INK, MUTED, ORANGE, SKY, Sheet, shares, shorten, whisker

_COLOURS = {"strict": BLUE, "repaired": SKY, "recovered": GREEN, "corrected": ORANGE}
_ROW, _HEAD, _TOP, _LEFT, _RIGHT = 18, 22, 8, 92, 52


def compliance_by_phase(figures: Mapping[str, Sequence[Figure]]) -> Sheet | None:
    """Draw for each format a bar for what is valid as written, and one behind it for what each later phase adds."""
    known = [figure for figure in figures["compliance_by_phase"] if figure.value is not None]
    if not known:
        return None
    formats = list(dict.fromkeys(figure.format for figure in known))
    height = _HEAD * len(formats) + _ROW * len(known)
    sheet = Sheet(height + _TOP + 24)
    axes = sheet.axes(_LEFT, _TOP, sheet.width - _LEFT - _RIGHT, height)
    shares(axes)
    axes.set_ylim(height, 0)
    axes.set_yticks([])
    at = 0.0
    for format in formats:
        axes.text(
            -_LEFT / (sheet.width - _LEFT - _RIGHT), at + _HEAD / 2 + 3, shorten(format, 40), weight="bold", va="center"
        )
        at += _HEAD
        before = 0.0
        for figure in (figure for figure in known if figure.format == format):
            value, middle = figure.value or 0.0, at + _ROW / 2
            axes.barh(middle, value - before, left=before, height=_ROW - 6, color=_COLOURS[figure.part])
            whisker(axes, figure.low, figure.high, middle)
            sign = "" if figure.part == "strict" else "+ "
            axes.text(-0.02, middle, sign + figure.part, ha="right", va="center", color=MUTED, size=10.5)
            axes.text(1.02, middle, f"{100 * value:.1f} %", va="center", color=INK, size=10.5)
            before, at = value, at + _ROW
    return sheet
