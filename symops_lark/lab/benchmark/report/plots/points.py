"""Formats as points: tokens against correct replies, and confidence against truth."""

from __future__ import annotations

from typing import Any

from ...figures import RIGHT, Figure
from ..drawing import (
    BLUE,
    INK,
    LINE,
    MUTED,
    Sheet,
    label_point,
    shares_against,
    shorten,
    spread,
    whisker,
)
from ..findings import FiguresByMeasure, last, measured, nest

Point = tuple[Figure, Figure]  # what a format costs, and its share of correct replies

# Pixels.
_NAMES = 118  # beside the axes
_LEFT = 44
_HEIGHT = 240
_CALIBRATION_SIDE = 96
_CALIBRATION_LEFT = 38
_CALIBRATION_TOP = 24
_CALIBRATION_GAP = 24  # between two columns
_CALIBRATION_NAMES = 44  # the title and the ticks of a row
_ACROSS = 3  # plots of calibration in a row
_TOP = 1.005  # the share at the upper edge: points at 100 % are drawn completely
_CALIBRATION_LEGEND = "right: confidence that was said; up: share of actions that are right"
_INTERVAL = {
    "color": BLUE,
    "linewidth": 1.2,
    "alpha": 0.7,  # intervals of neighbors overlap
}
_DIAGONAL = {"color": MUTED, "linewidth": 0.8, "linestyle": (0, (3, 3))}
_UNIT_SQUARE = {
    "xlim": (-0.04, 1.04),
    "ylim": (-0.04, 1.04),
    "xticks": (0, 1),
    "xticklabels": ("0", "1"),
}
_TOKEN_AXES = ("right in the end", "tokens for each action, contents aside")
_TITLE_STYLE = {"color": INK, "weight": "bold", "loc": "left", "pad": 5}


def tokens_per_action(figures: FiguresByMeasure) -> Sheet | None:
    """Draw tokens for each action, contents aside, against the share of correct replies."""
    costs = measured(figures["tokens_per_action"], "besides contents")
    right = last(figures["fidelity_by_phase"], RIGHT)
    points = []
    for cost in costs:
        share = right.get(cost.format)
        # Counts of different tokenizers are not comparable: the first one is drawn.
        if share and cost.part == costs[0].part:
            points.append((cost, share))
    if len(points) < 2:
        return None
    sheet = Sheet(300)
    width = sheet.width - _LEFT - _NAMES
    axes = sheet.axes(_LEFT, 14, width, _HEIGHT)
    low = min(max(0.0, (share.low or 0.0) - 0.02) for _, share in points)
    most_tokens = max(cost.high or cost.value or 1.0 for cost, _ in points)
    axes.set_xlim(0, 1.08 * most_tokens)
    shares_against(axes, low, _TOP, *_TOKEN_AXES)
    points.sort(key=_order_from_top)
    scale = _HEIGHT / (_TOP - low)
    heights = [(_TOP - share.amount) * scale for _, share in points]
    places = spread(heights, 15, _HEIGHT)
    for (cost, share), place in zip(points, places, strict=True):
        x = cost.amount
        y = share.amount
        _draw_interval(axes, x, share)
        whisker(axes, cost.low, cost.high, y, BLUE)
        axes.plot([x], [y], "o", color=BLUE, markersize=6, zorder=5)
        name = shorten(cost.format, 17)
        label_point(axes, name, (x, y), (width + 8, _HEIGHT - place))
    return sheet


def calibration(figures: FiguresByMeasure) -> Sheet | None:
    """Draw for each format the share of correct actions against their confidence."""
    formats = nest(measured(figures["calibration"]))
    if not formats:
        return None
    side = _CALIBRATION_SIDE
    row_height = side + _CALIBRATION_NAMES
    row_count = -(-len(formats) // _ACROSS)
    sheet = Sheet(row_count * row_height + 18)
    for index, (format, bins) in enumerate(formats.items()):
        row, column = divmod(index, _ACROSS)
        left = _CALIBRATION_LEFT + column * (side + _CALIBRATION_GAP)
        top = _CALIBRATION_TOP + row * row_height
        axes = sheet.axes(left, top, side, side)
        axes.plot([0, 1], [0, 1], **_DIAGONAL)
        axes.set(**_UNIT_SQUARE)
        # Only the first plot of a row has room for the names of its ticks.
        labels = ["", ""]
        if column == 0:
            labels = ["0", "100 %"]
        axes.set_yticks([0, 1], labels, color=MUTED)
        axes.grid(color=LINE)
        title = shorten(format, 15)
        axes.set_title(title, **_TITLE_STYLE)
        for shares in bins.values():
            confidence = shares["said"].value
            right = shares["right"]
            _draw_interval(axes, confidence, right)
            # The area grows with the number of actions, up to a limit.
            size = 3 + min(5, right.n**0.5 / 6)
            axes.plot([confidence], [right.value], "o", color=BLUE, markersize=size)
    corner = (_CALIBRATION_LEFT / sheet.width, 4 / sheet.height)
    sheet.figure.text(*corner, _CALIBRATION_LEGEND, color=MUTED, size=10)
    return sheet


def _order_from_top(point: Point) -> tuple[float, float, str]:
    cost, share = point
    return -share.amount, cost.amount, cost.format


def _draw_interval(axes: Any, x: float | None, share: Figure) -> None:
    """Draw the interval of a share along y."""
    axes.plot([x, x], [share.low, share.high], **_INTERVAL)
