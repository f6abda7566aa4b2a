"""`symops bench report`: what a run found."""

from __future__ import annotations

import click

from ..run_logs import read_records
from ..texts import write_file, write_text


@click.command(name="report", short_help="Show what runs found: Markdown, a page with plots, JSON.")
@click.argument("runs", nargs=-1, required=True, metavar="RUN.jsonl...")
@click.option("--markdown", metavar="FILE", help="Write the Markdown to a file.")
@click.option("--html", metavar="FILE", help="Write one page with plots, which needs no network.")
@click.option("--json", "as_json", metavar="FILE", help="Write all figures as JSON.")
def command(runs: tuple[str, ...], markdown: str | None, html: str | None, as_json: str | None) -> int:
    """Show the figures of one or more run logs, as Markdown unless a file is asked for. `-` is standard output.

    Every rate has its n and its interval. Replies of different provenance (simulated, replayed, live; another profile
    or model) are never in one table. Needs the libraries of the extra symops-lark[bench].
    """
    from ...compliance.report import split, write_json, write_markdown, write_page

    sections = split(record for run in runs for record in read_records(run))
    asked = ((markdown, write_markdown), (html, write_page), (as_json, write_json))
    if not any(name for name, _ in asked):
        write_text(write_markdown(sections))
    for name, write in asked:
        if name == "-":
            write_text(write(sections))
        elif name:
            write_file(name, write(sections))
    return 0
