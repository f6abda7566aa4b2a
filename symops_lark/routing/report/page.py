"""Write the report as one page: the Markdown text with the plots in it."""

from __future__ import annotations

from ...lab.benchmark.report.html import lay_out
from .facts import RoutingReport
from .plots import PLOTS
from .text import write_markdown


def write_page(report: RoutingReport) -> str:
    """Return the report as one page without scripts or references to a network."""
    metrics = report.metrics

    def draw(address: str, title: str) -> str | None:
        number, _, name = address.partition("/")
        # Any other address was not written by `text`: a name of a model may look like one.
        if name not in PLOTS or not number.isdigit() or int(number) > len(metrics):
            return None
        # The number after those of the metrics belongs to the plot of events.
        index = int(number)
        tallies = []
        if index < len(metrics):
            tallies = report.tallies(metrics[index])
        sheet = PLOTS[name](tallies, report.events)
        if sheet is None:
            return ""
        return sheet.svg(f"plot{number}-{name}", title)

    return lay_out(write_markdown(report, plots=True), draw)
