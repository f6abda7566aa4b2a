"""`symops route batch`: many requests, over threads or Dask's workers, into one log."""

from __future__ import annotations

from typing import Any

import click

from ....core.ground.numbers import counted
from ..contestants import choose_metric, contest_options, metric_options, models_option, read_contest, trust_options
from ..options import quiet_option
from ..routing_view import LOG, find_models
from ..texts import complain, echo
from ..visibility import visible_line


@click.command(name="batch")
@click.argument("requests", metavar="REQUESTS.jsonl")
@models_option
@click.option("--registry", metavar="FILE", help="Use the models of a registry, with their states.")
@click.option("--log", default=LOG, metavar="FILE", help="The run log. Rows are appended.")
@click.option(
    "-k", "--top", "top", type=click.IntRange(min=1), default=3, help="Number of models to ask at the same time."
)
@contest_options
@click.option("--engine", default="local", metavar="NAME", help="The engine that runs the requests: local or dask.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=4, help="Number of parallel requests.")
@click.option("--scheduler", metavar="ADDRESS", help="With dask: the address of a running scheduler.")
@metric_options
@trust_options
@quiet_option
def command(
    requests: str,
    models: tuple[str, ...],
    registry: str | None,
    log: str,
    top: int,
    engine: str,
    jobs: int,
    scheduler: str | None,
    metric: str | None,
    alpha: float | None,
    licenses: tuple[str, ...],
    allow_commands: bool,
    hosts: tuple[str, ...],
    run_code: bool,
    time_limit: float,
    quiet: bool,
    **contest: Any,
) -> int:
    """Route many requests and log every reply.

    REQUESTS.jsonl has one JSON object per line, with a `prompt` (and `tags`, `task`). An
    interrupted batch is resumed by the same command: requests in the log are not sent again.
    """
    from ....lab.benchmark.engines import Workers
    from ....routing import Trust
    from ....routing.contests.batch import BatchSettings, read_requests, run_batch

    asked = read_requests(requests)
    chosen = find_models(models, licenses, registry)
    trust = Trust(allow_commands, hosts)
    chosen_metric, further = choose_metric(metric, alpha), read_contest(contest, run_code)
    settings = BatchSettings(chosen, chosen_metric, top, time_limit, run_code=run_code, trust=trust, **further)
    done = run_batch(asked, settings, log, engine, Workers(jobs, engine == "local", scheduler))
    if not quiet:
        echo([f"{visible_line(log)}: {done.logged:,} of {counted(done.total, 'request is', 'requests are')} done"])
    if done.lost:
        complain(f"{counted(done.lost, 'request')} without a row: the workers ended again and again")
    return 1 if done.lost else 0
