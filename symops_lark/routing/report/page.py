"""The report as one page: the Markdown text, with the plots drawn into it."""

from __future__ import annotations

from collections.abc import Sequence

from ...lab.benchmark.report.html import lay_out
from ..logs.tallies import Tally
from .facts import RoutingReport
from .plots import PLOTS
from .text import write_markdown


def write_page(report: RoutingReport) -> str:
    """Return the report as one page that needs nothing else: no scripts, no network."""
    metrics = report.metrics

    def draw(address: str, title: str) -> str | None:
        number, _, name = address.partition("/")
        if name not in PLOTS or not number.isdigit() or int(number) > len(metrics):
            return None
        tallies: Sequence[Tally] = report.tallies(metrics[int(number)]) if int(number) < len(metrics) else ()
        sheet = PLOTS[name](tallies, report.events)
        return sheet.svg(f"plot{number}-{name}", title) if sheet else ""

    return lay_out(write_markdown(report, plots=True), draw)
