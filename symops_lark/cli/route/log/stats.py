"""`symops route log stats`: how often each model passed and won."""

from __future__ import annotations

from itertools import chain

import click

from ...options import json_option
from ...routing_view import jobs_option, log_argument, show_log, show_tallies
from ...texts import tell


@click.command(name="stats", short_help="Count passes, wins, rewards and costs of each model.")
@log_argument
@jobs_option
@json_option
def command(log: str, jobs: int, as_json: bool) -> int:
    """Show how often each version of a model passed and won, its mean reward and cost.

    Rates have their 95 % intervals and counts. A win counts among the runs in which the model competed with another
    one and a winner was decided. Exit code 1 if rows do not follow: `symops route log verify` names them.
    """
    from ....routing import verify_log

    report = verify_log(log, jobs=jobs)
    tell(report, chain(show_tallies(report.tallies), show_log(report)), as_json)
    return 0 if report.ok else 1
