"""Draw the plots of the report, each for the models under one metric and the registry's events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

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
from ...lab.measuring.statistics import Rate
from ..logs.tallies import Key, Tally
from ..registry.promotion import PASS_PERCENT, WIN_PERCENT
from ..registry.registry_events import MODEL_DEMOTED, MODEL_PROMOTED, MODEL_REGISTERED, Happening
from .facts import find_front, point_of
from .text import name_model

# Sizes are in pixels, and those of texts in points.
_COLOURS = (BLUE, ORANGE, GREEN, SKY, RED, GREY)
_MAX_ROWS = 30  # of a plot; the tables have all
_TEXT_SIZE = 10.5  # of a legend
Plot = Callable[[Sequence[Tally], Sequence[Happening]], Sheet | None]


def _draw_rates(tallies: Sequence[Tally], events: Sequence[Happening]) -> Sheet | None:
    """Draw the rates of passes and wins, with intervals and the thresholds of promotion."""
    rows = list(tallies)[:_MAX_ROWS]
    if not rows:
        return None
    height = 30 * len(rows)
    sheet = Sheet(height + 58)
    axes = sheet.axes(128, 26, sheet.width - 144, height)
    _name_rows(axes, [name_model(tally.key) for tally in rows])
    shares(axes)
    for percent in (PASS_PERCENT, WIN_PERCENT):
        share = percent / 100
        axes.axvline(share, color=MUTED, linestyle=":")
        axes.text(
            share,
            -0.6,
            f"{percent} %",
            ha="center",
            va="bottom",
            size=9.5,
            color=MUTED,
            clip_on=False,
        )
    for index, tally in enumerate(rows):
        # The two rates of a model are one above the other.
        _draw_rate(axes, tally.pass_rate, index - 0.14, BLUE)
        _draw_rate(axes, tally.win_rate, index + 0.18, ORANGE)
    _write_legend(axes, height, {"passed": (-0.48, BLUE), "won": (-0.28, ORANGE)})
    return sheet


def _draw_rate(axes: Any, rate: Rate, at: float, colour: str) -> None:
    if rate.value is not None and rate.interval is not None:
        whisker(axes, *rate.interval, at, colour)
        _draw_dot(axes, rate.value, at, colour)


def _draw_rewards(tallies: Sequence[Tally], events: Sequence[Happening]) -> Sheet | None:
    """Draw the mean reward over time, with a line for each of the models with the most rows."""
    ordered = sorted(tallies, key=lambda tally: (-tally.sums.rows, tally.key))
    rows = ordered[: len(_COLOURS)]
    if not rows:
        return None
    height = 190
    sheet = Sheet(height + 60 + 16 * len(rows))
    axes = sheet.axes(44, 10, sheet.width - 60, height)
    axes.grid(axis="y")
    times: set[str] = set()
    for tally, colour in zip(rows, _COLOURS, strict=False):
        periods = sorted(tally.periods.sums.items())
        times.update(tally.periods.sums)
        curve = [(_seconds(time), sums.mean_reward) for time, sums in periods]
        # The number is first: matplotlib leaves out labels that begin with an underscore.
        name = shorten(name_model(tally.key), 36)
        # With marks, since a single point has no line.
        axes.plot(
            *zip(*curve, strict=True),
            "o-",
            color=colour,
            markersize=2.5,
            label=f"{tally.sums.mean_reward:.3f} in the mean: {name}",
        )
    ends = min(times), max(times)
    _name_ends(axes, {_seconds(time): time for time in ends})
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(0, -0.1),
        frameon=False,
        fontsize=_TEXT_SIZE,
        labelcolor=INK,
    )
    return sheet


def _draw_front(tallies: Sequence[Tally], events: Sequence[Happening]) -> Sheet | None:
    """Draw mean cost against the rate of passes, and the front of the best models."""
    if len(tallies) < 2:
        return None
    # The best first: not all have room.
    rows = sorted(tallies, key=_by_quality)
    rows = rows[:_MAX_ROWS]
    height = max(220, 15 * len(rows))
    sheet = Sheet(height + 60)
    width = sheet.width - 46 - 124  # the names are on the right
    axes = sheet.axes(46, 18, width, height)
    # The axis of rates begins a little below the lowest interval, and ends a little above 100 %.
    intervals = [tally.pass_rate.interval or (0.0, 1.0) for tally in rows]
    lowest, _ = min(intervals)
    bottom = max(0.0, lowest - 0.02)
    top = 1.02 - bottom / 50
    points = [point_of(tally) for tally in rows]
    highest, _ = max(points)
    axes.set_xlim(0, 1.1 * highest or 1.0)
    shares_against(axes, bottom, top, "passed", "mean cost")
    front = find_front(rows)
    best = sorted(point_of(tally) for tally in rows if tally.key in front)
    axes.plot(
        *zip(*best, strict=True), color=GREEN, linewidth=1.2, alpha=0.7, drawstyle="steps-post"
    )
    # Names of points that are close to each other are moved apart.
    places = spread(
        [(top - quality) / (top - bottom) * height for _, quality in points], 15, height
    )
    for index, tally in enumerate(rows):
        cost, quality = points[index]
        colour = BLUE
        if tally.key in front:
            colour = GREEN
        axes.plot([cost, cost], intervals[index], color=colour, linewidth=0.8)
        _draw_dot(axes, cost, quality, colour)
        label_point(
            axes,
            shorten(name_model(tally.key), 15),
            (cost, quality),
            (width + 8, height - places[index]),
        )
    return sheet


def _by_quality(tally: Tally) -> tuple[float, float, Key]:
    cost, quality = point_of(tally)
    return -quality, cost, tally.key


def _draw_states(tallies: Sequence[Tally], events: Sequence[Happening]) -> Sheet | None:
    """Draw when each version of a model was registered, and when it was stable."""
    by_name: dict[str, list[Happening]] = {}
    for event in events:
        if event.kind in (MODEL_REGISTERED, MODEL_PROMOTED, MODEL_DEMOTED):
            by_name.setdefault(f"{event.model_id}@{event.version}", []).append(event)
    # In the order of their registration, which is that of the events.
    names = list(by_name)[:_MAX_ROWS]
    if not names:
        return None
    earliest = by_name[names[0]][0].at
    latest = events[-1].at
    first = _seconds(earliest)
    last = max(_seconds(latest), first + 1)
    height = 26 * len(names)
    sheet = Sheet(height + 64)
    axes = sheet.axes(128, 24, sheet.width - 150, height)
    _name_rows(axes, names)
    axes.set_xlim(first - (last - first) / 50, last)
    _name_ends(axes, {first: earliest[:16], last: latest[:16]})
    for at, name in enumerate(names):
        end = last
        # Backwards: a state ends where the next one begins.
        for event in reversed(by_name[name]):
            begin = _seconds(event.at)
            bar = axes.barh(at, end - begin, left=begin, height=0.22, color=LINE)
            if event.kind == MODEL_PROMOTED:
                bar[0].set(y=at - 0.25, height=0.5, color=GREEN)
            if event.kind == MODEL_DEMOTED:
                axes.plot([begin], [at], "x", color=RED, markersize=7, markeredgewidth=2)
            end = begin
    legend = {"stable": (0.0, GREEN), "experimental": (0.24, MUTED), "× demoted": (0.64, RED)}
    _write_legend(axes, height, legend)
    return sheet


def _draw_dot(axes: Any, x: float, y: float, colour: str) -> None:
    # It stays round at the edge of the plot, and is above lines.
    axes.plot([x], [y], "o", color=colour, markersize=6, zorder=5, clip_on=False)


def _write_legend(axes: Any, height: float, words: Mapping[str, tuple[float, str]]) -> None:
    """Write words above a plot, each at a share of its width, in the color that it explains."""
    above = 1 + 5 / height
    for word, (left, colour) in words.items():
        text = axes.text(left, above, word, size=_TEXT_SIZE, color=colour)
        text.set_transform(axes.transAxes)
        text.set_weight("bold")


def _name_rows(axes: Any, names: Sequence[str]) -> None:
    """Write names beside the rows of a plot, from top to bottom."""
    axes.set_ylim(len(names) - 0.5, -0.5)
    # Longer names have no room beside the axis.
    axes.set_yticks(range(len(names)), [shorten(name, 17) for name in names])


def _name_ends(axes: Any, times: Mapping[float, str]) -> None:
    """Write the first and the last time below a plot; they may be the same."""
    labels = [time.replace("T", " ") for time in times.values()]
    axes.set_xticks(list(times), labels, size=10)
    # The labels end where the plot does.
    ticks = axes.get_xticklabels()
    if len(times) > 1:
        ticks[0].set_ha("left")
        ticks[1].set_ha("right")
    axes.spines[["left", "bottom"]].set_visible(False)


def _seconds(time: str) -> float:
    """Return the time that a text begins with in seconds; it may end anywhere after the year."""
    precise = time[:23]  # to milliseconds
    missing = "2000-01-01T00:00:00.000"[len(precise) :]
    return datetime.fromisoformat(f"{precise}{missing}+00:00").timestamp()


PLOTS: Mapping[str, Plot] = {
    "rates": _draw_rates,
    "rewards": _draw_rewards,
    "front": _draw_front,
    "states": _draw_states,
}
