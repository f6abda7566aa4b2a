"""How plots look: a sheet as wide as a phone, inks that follow the page's light or dark, the same SVG always."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from itertools import accumulate
from typing import Any

from ...measuring.statistics import load_library

# Inks that the page's style sheet gives their colours; no plot uses these values for anything else.
INK, MUTED, LINE, PAPER = "#1a1a1b", "#6b6b6c", "#dcdcdd", "#fefefd"
_INKS = {INK: "var(--ink)", MUTED: "var(--muted)", LINE: "var(--line)", PAPER: "var(--paper)"}
DARK = "#101112"  # on a colour, by day and by night
# Okabe and Ito's colours, which colour-blind people can tell apart.
BLUE, SKY, GREEN, ORANGE, RED, GREY = "#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#9a9a9b"
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
    """Draw in our style, whatever the user's matplotlib is told to do, as long as this lasts."""
    matplotlib: Any = load_library("matplotlib")
    defaults = {name: value for name, value in matplotlib.rcParamsDefault.items() if "backend" not in name}
    with matplotlib.rc_context({**defaults, **_STYLE}):
        yield


class Sheet:
    """A sheet to draw on, `height` pixels high; `figure` is matplotlib's."""

    width = 400  # in pixels of a phone; letters of 11 are read there without zooming

    def __init__(self, height: float) -> None:
        self.height = height
        self.figure: Any = load_library("matplotlib.figure").Figure(figsize=(self.width / 72, height / 72), dpi=72)

    def axes(self, left: float, top: float, width: float, height: float) -> Any:
        """Return axes at a place in pixels, counted from the upper left corner."""
        box = (left / self.width, 1 - (top + height) / self.height, width / self.width, height / self.height)
        return self.figure.add_axes(box)

    def svg(self, name: str, title: str) -> str:
        """Return the drawing as an element of a page; names in it begin with `name`, `title` says what it shows."""
        from html import escape

        text = StringIO()
        self.figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        drawn = text.getvalue()
        drawn = re.sub(r"<metadata>.*?</metadata>", "", drawn[drawn.index("<svg") :], flags=re.DOTALL)
        drawn = re.sub(r'(\bid="|url\(#|xlink:href="#)', rf"\1{name}-", drawn).replace("xlink:href", "href")
        drawn = re.sub(r"font(-family)?: ([^;\"]*?)'DejaVu Sans'[^;\"]*", _font, drawn)
        for colour, ink in _INKS.items():
            drawn = drawn.replace(colour, ink)
        head = f'<svg viewBox="0 0 {self.width:g} {self.height:g}" role="img" aria-label="{escape(title)}"'
        head += f' style="max-width: {1.35 * self.width:g}px; min-width: {0.8 * self.width:g}px">'
        return head + drawn[drawn.index(">") + 1 :].strip()


def _font(found: re.Match[str]) -> str:
    return f"font-family: {found[2]}inherit" if found[1] else f"font: {found[2]}system-ui, sans-serif"


def shares(axes: Any) -> None:
    """Make the x axis one of shares, to 100 %, with quiet lines."""
    axes.set_xlim(0, 1)
    axes.set_xticks([1, 0.75, 0.5, 0.25, 0], ["100 %", "75 %", "50 %", "25 %", "0 %"])
    axes.grid(axis="x")
    axes.tick_params(axis="x", labelsize=10)
    axes.spines[["left", "bottom"]].set_visible(False)


def shares_against(axes: Any, low: float, top: float, share: str, cost: str) -> None:
    """Make the y axis one of shares, from `low` to a little above 100 %, against a cost along x; both are named."""
    step = next(step for step in (0.001, 0.01, 0.02, 0.05, 0.1, 0.25) if (1 - low) / step <= 6)
    ticks = [1 - step * number for number in range(int((1 - low) / step + 1.001))]
    axes.set_ylim(low, top)
    axes.set_yticks(ticks, [f"{100 * tick:.3g} %" for tick in ticks], color=MUTED)
    axes.set_xlabel(cost, size=10)
    axes.grid()
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.text(0, 1.0, share, transform=axes.transAxes, va="bottom", color=MUTED, size=10.5)


def whisker(axes: Any, low: float | None, high: float | None, at: float, colour: str = INK) -> None:
    """Draw an interval along x."""
    if low is not None and high is not None:
        axes.plot([low, high], [at, at], color=colour, linewidth=1.2, solid_capstyle="butt", zorder=4)


def label_point(axes: Any, name: str, point: tuple[float, float], place: tuple[float, float]) -> None:
    """Write a name at a place beside the axes, in pixels, with a line that leads to its point."""
    lead = {"arrowstyle": "-", "color": MUTED, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 4, "relpos": (0, 0.5)}
    beside = {"xytext": place, "textcoords": "axes pixels", "va": "center", "annotation_clip": False}
    axes.annotate(name, point, **beside, size=10.5, weight="bold", color=INK, arrowprops=lead)


def shorten(text: str, most: int) -> str:
    """Return a name that has room: its end is left out, or of a path its beginning."""
    if len(text) <= most:
        return text
    return "…" + text[1 - most :] if "/" in text or "\\" in text else text[: most - 1] + "…"


def spread(places: Sequence[float], gap: float, high: float) -> list[float]:
    """Return places that are too near to one another moved apart, in their order, and kept on the sheet."""
    found = list(accumulate(places, lambda above, place: max(place, above + gap)))
    if found[-1] > high:
        found = list(accumulate([high, *found[-2::-1]], lambda below, place: min(place, below - gap)))[::-1]
    return found
