"""The plot: readers of the same payload, how fast they are × `json.loads`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from symops_lark.lab.benchmark.report.drawing import BLUE, GREY, INK, PAPER, Sheet, styled

_OWN = ("parse", "process")


def draw(rates: Mapping[str, float], title: str, path: Path) -> None:
    """Write the plot as SVG."""
    names = sorted(rates, key=lambda name: rates[name])
    with styled():
        sheet = Sheet(60 + 18 * len(names))
        axes = sheet.axes(135, 30, 240, 18 * len(names))
        axes.barh(
            names, [rates[name] for name in names], color=[BLUE if name.startswith(_OWN) else GREY for name in names]
        )
        axes.set_xscale("log")
        axes.axvline(1, color=INK, linewidth=0.8)
        axes.set_title(title, loc="left", x=-0.5)
        for place, name in enumerate(names):
            axes.text(rates[name], place, f" {rates[name]:.2g}", va="center", fontsize=9)
        axes.spines[["left", "bottom"]].set_visible(False)
        sheet.figure.savefig(path, format="svg", metadata={"Date": None}, facecolor=PAPER)
