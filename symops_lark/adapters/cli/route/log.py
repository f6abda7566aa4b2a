"""`symops route log`: verify, count, explain and rescore run logs."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ....core.ground.json_objects import write_object
from ....core.ground.numbers import counted
from ..contestants import choose_metric, metric_options
from ..options import json_option
from ..routing_view import (
    head_option,
    jobs_option,
    log_argument,
    show_log,
    show_problems,
    show_run,
    show_tallies,
)
from ..texts import echo, tell
from ..visibility import visible_line

if TYPE_CHECKING:
    from ....routing.logs.chain import Head

# The members of a report that `verify` prints: `stats` prints the tallies as well.
_VERIFIED = (
    "path",
    "ok",
    "rows",
    "runs",
    "decided",
    "incomplete",
    "wrong",
    "problems",
    "notes",
    "chain",
)


@click.group(name="log")
def command() -> None:
    """Verify, count, explain and rescore run logs."""


@command.command(name="verify")
@log_argument
@click.option(
    "--registry", metavar="FILE", help="Require the rows that this registry has seen in the log."
)
@head_option
@jobs_option
@json_option
def verify_command(
    log: str, registry: str | None, heads: tuple[Head, ...], jobs: int, as_json: bool
) -> int:
    """Verify every reward and winner of a run log.

    They are computed again, and the lines with other values are listed. Each row must have the hash
    of the row before it, and a seal of your key must fit its row. A log that was cut at its end is
    noticed with --head or --registry. An incomplete last line of an interrupted writer is reported,
    but is not an error. No file is written.

    Exit code 1: some lines are wrong.
    \f

    Args:
        log: The run log.
        registry: The registry whose rows the log must have.
        heads: Hashes of rows that are known from elsewhere.
        jobs: Number of processes that read a large log.
        as_json: Whether the output is JSON.
    """
    from ....routing import Registry, verify_log

    if registry is not None:
        # Also rows that are not named on the command line: a shortened log lacks them.
        with Registry(registry, create=False) as records:
            heads += tuple(records.log_heads(log))
    report = verify_log(log, jobs=jobs, heads=heads)
    lines = chain(show_problems(report), show_log(report))
    tell(write_object(report, *_VERIFIED), lines, as_json)
    return int(not report.ok)


@command.command(name="stats")
@log_argument
@jobs_option
@json_option
def stats_command(log: str, jobs: int, as_json: bool) -> int:
    """Count passes, wins, rewards and costs of each model.

    Each version of a model has its rates with 95 % intervals and counts, and its mean reward and
    cost. A win counts among the runs in which the model competed with another one and a winner was
    decided.

    Exit code 1: some rows are wrong; `symops route log verify` lists them.
    \f

    Args:
        log: The run log.
        jobs: Number of processes that read a large log.
        as_json: Whether the output is JSON.
    """
    from ....routing import verify_log

    report = verify_log(log, jobs=jobs)
    # Wrong rows are counted as they are: the last line reports them.
    tell(report, chain(show_tallies(report.tallies), show_log(report)), as_json)
    return int(not report.ok)


@command.command(name="why")
@click.argument("run", metavar="RUN")
@log_argument
@json_option
def why_command(run: str, log: str, as_json: bool) -> int:
    """Explain who won a run, and why.

    The candidates are shown with their facts and figures, and the tie-break if rewards were equal.
    LOG may also come before RUN.

    Exit code 1: the rows of the run contradict each other.
    \f

    Args:
        run: The id of the run.
        log: The run log.
        as_json: Whether the output is JSON.
    """
    from ....routing import explain_run

    # The other commands have LOG first. The id of a run is rarely the name of a file.
    if Path(run).is_file() and not Path(log).is_file():
        run, log = log, run
    explanation = explain_run(log, run)
    verdict = explanation.verdict
    value = {"run_id": run, "rows": explanation.values, "verdict": verdict}
    tell(value, show_run(explanation), as_json)
    return int(bool(verdict.problems))


@command.command(name="rescore")
@click.argument("log", metavar="LOG")
@metric_options
@click.option(
    "--out", required=True, metavar="FILE", help="Write the new log to FILE, which must not exist."
)
def rescore_command(log: str, metric: str | None, alpha: float | None, out: str) -> int:
    """Score a log again by another metric, into a new file.

    The new log has the rows with the new rewards and winners; the old log is not changed. Each row
    keeps its former values in `rescored_from`.
    \f

    Args:
        log: The run log.
        metric: The file of the metric; None for metric_v1.
        alpha: The weight of metric_v1 in a mix.
        out: The new log.
    """
    from ....routing import rescore_log

    # A wrong metric is reported before the log is read.
    scorer = choose_metric(metric, alpha)
    rows = counted(rescore_log(log, scorer, out), "row")
    echo([f"{visible_line(out)}: {rows} by {scorer.name}"])
    return 0
