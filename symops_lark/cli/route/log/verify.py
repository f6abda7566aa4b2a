"""`symops route log verify`: whether each reward and each winner follows from the rows."""

from __future__ import annotations

from itertools import chain

import click

from ....json_objects import write_object
from ...options import json_option
from ...routing_view import jobs_option, log_argument, show_log, show_problems
from ...texts import tell


@click.command(name="verify", short_help="Compute every reward and winner again.")
@log_argument
@jobs_option
@json_option
def command(log: str, jobs: int, as_json: bool) -> int:
    """Compute each reward and each winner of a run log again, and name the lines that do not follow.

    Exit code 1 if there are any. Half a line that a killed writer left is told, and is no error; nothing is written.
    """
    from ....routing import verify_log

    report = verify_log(log, jobs=jobs)
    names = ("path", "ok", "rows", "runs", "decided", "incomplete", "wrong", "problems", "notes")
    tell(write_object(report, *names), chain(show_problems(report), show_log(report)), as_json)
    return 0 if report.ok else 1
