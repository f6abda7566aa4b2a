"""The style of plots: a sheet as wide as a phone, inks of the page, and the same SVG every time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import Any

from ...measuring.statistics import load_library

# Inks: the style sheet of the page gives them their colours, light or dark. Nothing else in a plot
# may have these values.
INK = "#1a1a1b"
MUTED = "#6b6b6c"
LINE = "#dcdcdd"
PAPER = "#fefefd"
_INKS = {INK: "var(--ink)", MUTED: "var(--muted)", LINE: "var(--line)", PAPER: "var(--paper)"}
DARK = "#101112"  # letters on a colour, by day and by night
# The palette of Okabe and Ito, which color-blind people can distinguish.
BLUE = "#0072b2"
SKY = "#56b4e9"
GREEN = "#009e73"
ORANGE = "#e69f00"
RED = "#d55e00"
GREY = "#9a9a9b"
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "symops",
    "font.size": 11,
    "font.family": "DejaVu Sans",
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": MUTED,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "axes.linewidth": 0.6,
    "grid.color": LINE,
    "grid.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "text.parse_math": False,
    "axes.axisbelow": True,
    "axes.titlesize": 11,
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw in our style while this lasts, whatever the settings of the user's matplotlib are."""
    matplotlib: Any = load_library("matplotlib")
    defaults = matplotlib.rcParamsDefault
    # Setting a backend would load it.
    names = [name for name in defaults if "backend" not in name]
    with matplotlib.rc_context({name: defaults[name] for name in names} | _STYLE):
        yield


class Sheet:
    """A sheet to draw on, `height` pixels high; `figure` is matplotlib's."""

    width = 400  # pixels of a phone: letters of size 11 can be read there without zooming

    def __init__(self, height: float) -> None:
        self.height = height
        size = (self.width / 72, height / 72)
        self.figure: Any = load_library("matplotlib.figure").Figure(figsize=size, dpi=72)

    def axes(self, left: float, top: float, width: float, height: float) -> Any:
        """Return axes at a place in pixels.

        Args:
            left: The distance from the left edge.
            top: The distance from the upper edge.
            width: The width of the axes.
            height: The height of the axes.
        """
        # matplotlib counts shares of the sheet, from below.
        bottom = self.height - top - height
        box = (left / self.width, bottom / self.height, width / self.width, height / self.height)
        return self.figure.add_axes(box)

    def svg(self, name: str, title: str) -> str:
        """Return the drawing as an element of a page.

        Args:
            name: The beginning of all names in it: a page may have several drawings.
            title: The description for readers who cannot see it.
        """
        from html import escape

        stream = StringIO()
        self.figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
        text = stream.getvalue()
        text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
        # A page may have several drawings: their names must not collide.
        text = re.sub(r'(\bid="|url\(#|xlink:href="#)', rf"\1{name}-", text)
        text = text.replace("xlink:href", "href")
        text = re.sub(r"font(-family)?: ([^;\"]*?)'DejaVu Sans'[^;\"]*", _use_page_font, text)
        for colour, ink in _INKS.items():
            text = text.replace(colour, ink)
        # The size of the element is that of the page, within limits.
        width = self.width
        style = f"max-width: {1.35 * width:g}px; min-width: {0.8 * width:g}px"
        view = f"0 0 {width:g} {self.height:g}"
        label = escape(title)
        start = text.index(">", text.index("<svg")) + 1
        body = text[start:].strip()
        return f'<svg viewBox="{view}" role="img" aria-label="{label}" style="{style}">{body}'


def _use_page_font(match: re.Match[str]) -> str:
    if match[1]:
        return f"font-family: {match[2]}inherit"
    return f"font: {match[2]}system-ui, sans-serif"


def shares(axes: Any) -> None:
    """Make the x axis one of shares, to 100 %, with thin lines."""
    axes.set_xlim(0, 1)
    ticks = [1, 0.75, 0.5, 0.25, 0]
    axes.set_xticks(ticks, ["100 %", "75 %", "50 %", "25 %", "0 %"])
    axes.grid(axis="x")
    axes.tick_params(axis="x", labelsize=10)
    axes.spines[["left", "bottom"]].set_visible(False)


def shares_against(axes: Any, low: float, top: float, share: str, cost: str) -> None:
    """Make the y axis one of shares, and the x axis one of costs.

    Args:
        axes: The axes.
        low: The share at the lower edge.
        top: The share at the upper edge, a little above 100 %.
        share: The name of the y axis.
        cost: The name of the x axis.
    """
    steps = (0.001, 0.01, 0.02, 0.05, 0.1, 0.25)
    step = next(step for step in steps if (1 - low) / step <= 6)
    # Ticks are counted from 100 %; a little more, for a tick that rounding puts below the edge.
    count = int((1 - low) / step + 1.001)
    ticks = [1 - step * number for number in range(count)]
    labels = [f"{100 * tick:.3g} %" for tick in ticks]
    axes.set_ylim(low, top)
    axes.set_yticks(ticks, labels, color=MUTED)
    axes.set_xlabel(cost, size=10)
    axes.grid()
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.text(0, 1.0, share, transform=axes.transAxes, va="bottom", color=MUTED, size=10.5)


def whisker(axes: Any, low: float | None, high: float | None, at: float, colour: str = INK) -> None:
    """Draw an interval along x.

    Args:
        axes: The axes.
        low: The lower bound; None if there is no interval.
        high: The upper bound; None if there is no interval.
        at: The place along y.
        colour: The colour.
    """
    if low is not None and high is not None:
        style = {"linewidth": 1.2, "solid_capstyle": "butt", "zorder": 4}
        axes.plot([low, high], [at, at], color=colour, **style)


def label_point(
    axes: Any, name: str, point: tuple[float, float], place: tuple[float, float]
) -> None:
    """Write a name beside the axes, with a line that leads to its point.

    Args:
        axes: The axes.
        name: The name.
        point: The point, in the units of the axes.
        place: The place of the name, in pixels.
    """
    line = {
        "arrowstyle": "-",
        "color": MUTED,
        "linewidth": 0.6,
        "shrinkA": 0,
        "shrinkB": 4,
        "relpos": (0, 0.5),
    }
    axes.annotate(
        name,
        point,
        xytext=place,
        textcoords="axes pixels",
        va="center",
        annotation_clip=False,
        size=10.5,
        weight="bold",
        color=INK,
        arrowprops=line,
    )


def shorten(text: str, most: int) -> str:
    """Return a name with at most this many characters: without its end, or a path's beginning."""
    if len(text) <= most:
        return text
    if "/" in text or "\\" in text:
        return "…" + text[1 - most :]
    return text[: most - 1] + "…"


def spread(places: Sequence[float], gap: float, high: float) -> list[float]:
    """Move places apart that are too close to each other.

    Args:
        places: The places, in ascending order.
        gap: The smallest distance of two places.
        high: The end of the sheet.

    Returns:
        The new places, in the same order.
    """
    moved: list[float] = []
    for place in places:
        lowest = moved[-1] + gap if moved else place
        moved.append(max(place, lowest))
    # The last ones may be below the sheet now: move them up, and their neighbors as far as needed.
    limit = high
    for index in reversed(range(len(moved))):
        moved[index] = min(moved[index], limit)
        limit = moved[index] - gap
    return moved
