"""`symops route report`: the results of a run log and a registry, as Markdown, a page or JSON."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import click

from ..options import report_options
from ..routing_view import REGISTRY, jobs_option, log_argument
from ..texts import write_forms


@click.command(name="report")
@log_argument
@click.option("--registry", metavar="FILE", help=f"The registry. Default: {REGISTRY} if it exists.")
@report_options
@jobs_option
def command(
    log: str,
    registry: str | None,
    markdown: str | None,
    html: str | None,
    as_json: str | None,
    jobs: int,
) -> int:
    """Report the results of a run log and a registry.

    The report is printed as Markdown unless a file is given; `-` is standard output. Every reward
    and winner is computed again first. The page needs the libraries of the extra
    symops-lark[bench].

    Exit code 1: some rows are wrong; the report lists them.
    \f

    Args:
        log: The run log.
        registry: The registry.
        markdown: The file for Markdown.
        html: The file for the page.
        as_json: The file for JSON.
        jobs: Number of processes that read a large log.
    """
    from ....routing import Registry, verify_log
    from ....routing.report import RoutingReport, write_markdown, write_page

    def write_json(report: RoutingReport) -> str:
        return json.dumps(report.to_dict(), indent=2, ensure_ascii=False) + "\n"

    # A report of wrong rows is written, too: it lists them.
    verified = verify_log(log, jobs=jobs)
    if registry is None and Path(REGISTRY).exists():
        registry = REGISTRY
    with ExitStack() as stack:
        records = None
        # A registry that is named must exist; none is created.
        if registry is not None:
            records = stack.enter_context(Registry(registry, create=False))
        report = RoutingReport.of(verified, records)
    # The first form is printed if no file is named.
    write_forms(report, ((markdown, write_markdown), (html, write_page), (as_json, write_json)))
    return int(not verified.ok)
