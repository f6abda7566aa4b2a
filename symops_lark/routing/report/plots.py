"""The plots of the report: each takes what the models did under one metric, and the events of the registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from ...lab.benchmark.report.drawing import (
    BLUE,
    GREEN,
    GREY,
    INK,
    LINE,
    MUTED,
    ORANGE,
    RED,
    SKY,
    Sheet,
    label_point,
    shares,
    shares_against,
    shorten,
    spread,
    whisker,
)
from ..logs.tallies import Tally
from ..registry.promotion import PASS_PERCENT, WIN_PERCENT
from ..registry.registry_events import MODEL_DEMOTED, MODEL_PROMOTED, MODEL_REGISTERED, Happening
from .facts import find_front
from .text import name_model

_COLOURS = (BLUE, ORANGE, GREEN, SKY, RED, GREY)
_MOST = 30  # rows of a plot
Plot = Callable[[Sequence[Tally], Sequence[Happening]], Sheet | None]


def _draw_rates(tallies: Sequence[Tally], events: Sequence[Happening]) -> Sheet | None:
    """Draw for each model how often it passed and won, with intervals, and what promotion takes."""
    rows = list(tallies)[:_MOST]
    if not rows:
        return None
    sheet = Sheet(30 * len(rows) + 58)
    axes = sheet.axes(128, 26, sheet.width - 144, 30 * len(rows))
    axes.set_ylim(len(rows), 0)
    axes.set_yticks([place + 0.5 for place in range(len(rows))], [shorten(name_model(t.key), 17) for t in rows])
    shares(axes)
    for percent, word in ((PASS_PERCENT, "95 %"), (WIN_PERCENT, "20 %")):
        axes.axvline(percent / 100, color=MUTED, linewidth=0.8, linestyle=(0, (3, 3)))
        axes.text(percent / 100, -0.1, word, ha="center", va="bottom", size=9.5, color=MUTED)
    for place, tally in enumerate(rows):
        for rate, at, colour in ((tally.pass_rate, 0.36, BLUE), (tally.win_rate, 0.68, ORANGE)):
            if rate.value is not None and rate.interval is not None:
                whisker(axes, *rate.interval, place + at, colour)
                axes.plot([rate.value], [place + at], "o", color=colour, markersize=6, zorder=5, clip_on=False)
    for word, left, colour in (("passed", 4, BLUE), ("won", 56, ORANGE)):
        sheet.figure.text(left / sheet.width, 1 - 20 / sheet.height, word, color=colour, size=10.5, weight="bold")
    return sheet


def _draw_rewards(tallies: Sequence[Tally], events: Sequence[Happening]) -> Sheet | None:
    """Draw the mean reward over time, a line for each of the models with the most rows."""
    rows = sorted(tallies, key=lambda tally: (-tally.sums.rows, tally.key))[: len(_COLOURS)]
    if not rows:
        return None
    sheet = Sheet(250 + 16 * len(rows))
    axes = sheet.axes(44, 10, sheet.width - 60, 190)
    times = sorted({time for tally in rows for time in tally.periods.sums})
    first, last = _seconds(times[0]), _seconds(times[-1])
    for tally, colour in zip(rows, _COLOURS, strict=False):
        points = sorted(tally.periods.sums.items())
        style = "o-" if len(points) < 40 else "-"
        values = [sums.mean_reward for _, sums in points]
        axes.plot([_seconds(time) for time, _ in points], values, style, color=colour, markersize=3.5, linewidth=1.4)
    axes.grid(axis="y")
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(axis="y", labelcolor=MUTED)
    shown = [times[0].replace("T", " "), times[-1].replace("T", " ")]
    axes.set_xticks(*(([first, last], shown) if first < last else ([first], shown[:1])), size=10)
    for label, side in zip(axes.get_xticklabels(), ("left", "right") if first < last else ("center",), strict=True):
        label.set_ha(side)
    for number, (tally, colour) in enumerate(zip(rows, _COLOURS, strict=False)):
        below = -(40 + 16 * number) / 190
        axes.plot([0.0, 0.05], [below, below], color=colour, transform=axes.transAxes, clip_on=False, linewidth=3)
        told = f"{shorten(name_model(tally.key), 36)}, {tally.sums.mean_reward:.3f} in the mean"
        axes.text(0.07, below, told, transform=axes.transAxes, va="center", size=10.5, color=INK)
    return sheet


def _draw_front(tallies: Sequence[Tally], events: Sequence[Happening]) -> Sheet | None:
    """Draw mean cost against the rate of passes, and the front of those whom nobody beats in both."""
    rows = sorted(tallies, key=lambda tally: (-(tally.pass_rate.value or 0), tally.sums.mean_cost, tally.key))[:_MOST]
    if len(rows) < 2:
        return None
    side, high = 124, max(220, 15 * len(rows))
    sheet = Sheet(high + 60)
    wide = sheet.width - 46 - side
    axes = sheet.axes(46, 18, wide, high)
    rates = [(tally.pass_rate.value or 0.0, tally.pass_rate.interval or (0.0, 1.0)) for tally in rows]
    low = max(0.0, min(interval[0] for _, interval in rates) - 0.02)
    top = 1 + (1 - low) / 50
    axes.set_xlim(0, 1.1 * max(tally.sums.mean_cost for tally in rows) or 1.0)
    shares_against(axes, low, top, "passed", "mean cost")
    front = find_front(rows)
    best = sorted((tally.sums.mean_cost, tally.pass_rate.value or 0.0) for tally in rows if tally.key in front)
    axes.plot(
        [cost for cost, _ in best], [rate for _, rate in best], color=GREEN, linewidth=1.2, drawstyle="steps-post"
    )
    places = spread([(top - rate) / (top - low) * high for rate, _ in rates], 15, high)
    for tally, (rate, interval), place in zip(rows, rates, places, strict=True):
        colour = GREEN if tally.key in front else BLUE
        x = tally.sums.mean_cost
        axes.plot([x, x], interval, color=colour, linewidth=1.2, alpha=0.7)
        axes.plot([x], [rate], "o", color=colour, markersize=6, zorder=5)
        label_point(axes, shorten(name_model(tally.key), 15), (x, rate), (wide + 8, high - place))
    return sheet


def _draw_states(tallies: Sequence[Tally], events: Sequence[Happening]) -> Sheet | None:
    """Draw when each version of a model was registered, and when it was stable."""
    kinds = (MODEL_REGISTERED, MODEL_PROMOTED, MODEL_DEMOTED)
    told = [event for event in events if event.kind in kinds]
    names = list(dict.fromkeys(f"{event.model_id}@{event.version}" for event in told))[:_MOST]
    if not names:
        return None
    first, last = _seconds(told[0].at), max(_seconds(events[-1].at), _seconds(told[0].at) + 1)
    sheet = Sheet(26 * len(names) + 64)
    axes = sheet.axes(128, 24, sheet.width - 150, 26 * len(names))
    axes.set_ylim(len(names), 0)
    axes.set_xlim(first - (last - first) / 50, last)
    axes.set_yticks([place + 0.5 for place in range(len(names))], [shorten(name, 17) for name in names])
    axes.set_xticks([first, last], [told[0].at[:16].replace("T", " "), events[-1].at[:16].replace("T", " ")], size=10)
    for label, side in zip(axes.get_xticklabels(), ("left", "right"), strict=True):
        label.set_ha(side)
    axes.spines[["left", "bottom"]].set_visible(False)
    for place, name in enumerate(names):
        mine = [event for event in told if f"{event.model_id}@{event.version}" == name]
        ends = [*(_seconds(event.at) for event in mine[1:]), last]
        for event, end in zip(mine, ends, strict=True):
            begin, stable = _seconds(event.at), event.kind == MODEL_PROMOTED
            colour = GREEN if stable else LINE
            axes.barh(place + 0.5, end - begin, left=begin, height=0.5 if stable else 0.22, color=colour)
            if event.kind == MODEL_DEMOTED:
                axes.plot([begin], [place + 0.5], "x", color=RED, markersize=7, markeredgewidth=2, zorder=5)
    for word, at, colour in (("stable", 0.0, GREEN), ("experimental", 0.24, MUTED), ("× demoted", 0.64, RED)):
        axes.text(at, 1.03, word, transform=axes.transAxes, color=colour, size=10.5, weight="bold", va="bottom")
    return sheet


def _seconds(time: str) -> float:
    """Return the time that a text begins with, cut off anywhere behind the year, in seconds."""
    whole = "2000-01-01T00:00:00.000"
    return datetime.fromisoformat(f"{time[:23]}{whole[len(time[:23]) :]}+00:00").timestamp()


PLOTS: Mapping[str, Plot] = {
    "rates": _draw_rates,
    "rewards": _draw_rewards,
    "front": _draw_front,
    "states": _draw_states,
}
