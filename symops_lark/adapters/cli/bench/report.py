"""`symops bench report`: report the figures of run logs."""

from __future__ import annotations

import click

from ..options import report_options
from ..run_logs import read_records
from ..texts import write_forms


@click.command(name="report")
@click.argument("runs", nargs=-1, required=True, metavar="RUN.jsonl...")
@report_options
def command(
    runs: tuple[str, ...], markdown: str | None, html: str | None, as_json: str | None
) -> int:
    """Report the figures of one or more run logs.

    The report is printed as Markdown unless a file is given; `-` is standard output. Every rate has
    its n and its interval. Replies of different provenance (simulated, replayed, live; another
    profile or model) are never in one table. Needs the libraries of the extra symops-lark[bench].
    \f

    Args:
        runs: The run logs.
        markdown: The file of the report as Markdown.
        html: The file of the report as a page.
        as_json: The file of the figures as JSON.
    """
    from ....lab.benchmark.report import split, write_json, write_markdown, write_page

    sections = split(record for run in runs for record in read_records(run))
    # The first form is printed if no file is given.
    write_forms(sections, ((markdown, write_markdown), (html, write_page), (as_json, write_json)))
    return 0
