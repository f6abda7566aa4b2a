"""`symops route log`: whether a run log follows, what it comes to, why a run was won. A function for each command."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import click

from ....core.ground.json_objects import write_object
from ....core.ground.numbers import counted
from ..contestants import choose_metric, metric_options
from ..options import json_option
from ..routing_view import jobs_option, log_argument, show_log, show_problems, show_run, show_tallies
from ..texts import echo, tell
from ..visibility import visible_line


@click.group(name="log", short_help="Verify, count and explain run logs.")
def command() -> None:
    """Verify, count and explain run logs; score them again by another metric."""


@command.command(name="verify", short_help="Compute every reward and winner again.")
@log_argument
@jobs_option
@json_option
def verify_command(log: str, jobs: int, as_json: bool) -> int:
    """Compute each reward and each winner of a run log again, and name the lines that do not follow.

    Exit code 1 if there are any. Half a line that a killed writer left is told, and is no error; nothing is written.
    """
    from ....routing import verify_log

    report = verify_log(log, jobs=jobs)
    names = ("path", "ok", "rows", "runs", "decided", "incomplete", "wrong", "problems", "notes")
    tell(write_object(report, *names), chain(show_problems(report), show_log(report)), as_json)
    return 0 if report.ok else 1


@command.command(name="stats", short_help="Count passes, wins, rewards and costs of each model.")
@log_argument
@jobs_option
@json_option
def stats_command(log: str, jobs: int, as_json: bool) -> int:
    """Show how often each version of a model passed and won, its mean reward and cost.

    Rates have their 95 % intervals and counts. A win counts among the runs in which the model competed with another
    one and a winner was decided. Exit code 1 if rows do not follow: `symops route log verify` names them.
    """
    from ....routing import verify_log

    report = verify_log(log, jobs=jobs)
    tell(report, chain(show_tallies(report.tallies), show_log(report)), as_json)
    return 0 if report.ok else 1


@command.command(name="why", short_help="Explain who won a run, and by what.")
@click.argument("run", metavar="RUN")
@log_argument
@json_option
def why_command(run: str, log: str, as_json: bool) -> int:
    """Show the candidates of a run with their facts and figures, who won, and by what tie-break if rewards were equal.

    Exit code 1 if its rows contradict each other. LOG may also stand before RUN.
    """
    from ....routing import explain_run

    if Path(run).is_file() and not Path(log).is_file():
        run, log = log, run
    found = explain_run(log, run)
    tell({"run_id": run, "rows": found.values, "verdict": found.verdict}, show_run(found), as_json)
    return 1 if found.verdict.problems else 0


@command.command(name="rescore", short_help="Score a log again by another metric, into a new file.")
@click.argument("log", metavar="LOG")
@metric_options
@click.option("--out", required=True, metavar="FILE", help="The new log, which must not be there yet.")
def rescore_command(log: str, metric: str | None, alpha: float | None, out: str) -> int:
    """Write a log's rows with rewards and winners by another metric to a new log; the old one stays as it is.

    Each row keeps what it had before in `rescored_from`.
    """
    from ....routing import rescore_log

    chosen = choose_metric(metric, alpha)
    echo([f"{visible_line(out)}: {counted(rescore_log(log, chosen, out), 'row')} by {chosen.name}"])
    return 0
