"""`symops route log rescore`: an old log under another metric."""

from __future__ import annotations

import click

from ....numbers import counted
from ...contestants import choose_metric, metric_options
from ...texts import echo
from ...visibility import visible_line


@click.command(name="rescore", short_help="Score a log again by another metric, into a new file.")
@click.argument("log", metavar="LOG")
@metric_options
@click.option("--out", required=True, metavar="FILE", help="The new log, which must not be there yet.")
def command(log: str, metric: str | None, alpha: float | None, out: str) -> int:
    """Write a log's rows with rewards and winners by another metric to a new log; the old one stays as it is.

    Each row keeps what it had before in `rescored_from`.
    """
    from ....routing import rescore_log

    chosen = choose_metric(metric, alpha)
    echo([f"{visible_line(out)}: {counted(rescore_log(log, chosen, out), 'row')} by {chosen.name}"])
    return 0
