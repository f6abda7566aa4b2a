"""Formats as points: what they cost against what they give, and confidence against truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...figures import RIGHT, Figure
from ..drawing import BLUE, INK, LINE, MUTED, Sheet, label_point, shares_against, shorten, spread, whisker
from ..findings import last

_SIDE = 118


def tokens_per_action(figures: Mapping[str, Sequence[Figure]]) -> Sheet | None:
    """Draw tokens for each action, contents aside, against the share of replies that come out exactly."""
    tokens = [figure for figure in figures["tokens_per_action"] if figure.value is not None]
    tokens = [figure for figure in tokens if figure.name == "besides contents" and figure.part == tokens[0].part]
    right = last(figures["fidelity_by_phase"], RIGHT)
    points = [(figure, right[figure.format]) for figure in tokens if figure.format in right]
    if len(points) < 2:
        return None
    sheet = Sheet(300)
    wide, high = sheet.width - 44 - _SIDE, 240
    axes = sheet.axes(44, 14, wide, high)
    low = min(max(0.0, (found.low or 0.0) - 0.02) for _, found in points)
    axes.set_xlim(0, 1.08 * max(figure.high or figure.value or 1.0 for figure, _ in points))
    shares_against(axes, low, 1.005, "right in the end", "tokens for each action, contents aside")
    points.sort(key=lambda pair: (-(pair[1].value or 0), pair[0].value or 0, pair[0].format))
    places = spread([(1.005 - (found.value or 0)) / (1.005 - low) * high for _, found in points], 15, high)
    for (cost, found), place in zip(points, places, strict=True):
        x, y = cost.value or 0.0, found.value or 0.0
        axes.plot([x, x], [found.low or y, found.high or y], color=BLUE, linewidth=1.2, alpha=0.7)
        whisker(axes, cost.low, cost.high, y, BLUE)
        axes.plot([x], [y], "o", color=BLUE, markersize=6, zorder=5)
        label_point(axes, shorten(cost.format, 17), (x, y), (wide + 8, high - place))
    return sheet


def calibration(figures: Mapping[str, Sequence[Figure]]) -> Sheet | None:
    """Draw for each format the share of actions that are right against the confidence that they were given."""
    known = [figure for figure in figures["calibration"] if figure.value is not None]
    formats = list(dict.fromkeys(figure.format for figure in known))
    if not formats:
        return None
    across, side = 3, 96
    down = -(-len(formats) // across)
    sheet = Sheet(down * (side + 44) + 18)
    for number, format in enumerate(formats):
        axes = sheet.axes(38 + number % across * (side + 24), 24 + number // across * (side + 44), side, side)
        axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.8, linestyle=(0, (3, 3)))
        axes.set_xlim(-0.04, 1.04)
        axes.set_ylim(-0.04, 1.04)
        axes.set_xticks([0, 1], ["0", "1"])
        axes.set_yticks([0, 1], ["0", "100 %"] if not number % across else ["", ""], color=MUTED)
        axes.grid(color=LINE)
        axes.set_title(shorten(format, 15), color=INK, weight="bold", loc="left", pad=5)
        mine = {(figure.part, figure.name): figure for figure in known if figure.format == format}
        for part in dict.fromkeys(part for part, _ in mine):
            said, right = mine[part, "said"], mine[part, "right"]
            axes.plot([said.value] * 2, [right.low, right.high], color=BLUE, linewidth=1.2, alpha=0.7)
            size = 3 + min(5, right.n**0.5 / 6)
            axes.plot([said.value], [right.value], "o", color=BLUE, markersize=size)
    legend = "right: confidence that was said; up: share of actions that are right"
    sheet.figure.text(38 / sheet.width, 4 / sheet.height, legend, color=MUTED, size=10)
    return sheet
