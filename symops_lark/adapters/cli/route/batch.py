"""`symops route batch`: many requests, in threads or with Dask's workers, into one log."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from ....core.ground.numbers import counted
from ..contestants import (
    choose_metric,
    contest_options,
    metric_options,
    read_contest,
    trust_options,
)
from ..flows import competitors_options, record_missing, top_option
from ..options import quiet_option
from ..routing_view import LOG, find_models
from ..texts import complain, echo
from ..visibility import visible_line


@click.command(name="batch")
@click.argument("requests", metavar="REQUESTS.jsonl")
@competitors_options
@click.option("--log", default=LOG, metavar="FILE", help="The run log. Rows are appended.")
@top_option
@contest_options
@click.option(
    "--engine",
    default="local",
    metavar="NAME",
    help="The engine that runs the requests: local or dask.",
)
@click.option(
    "-j", "--jobs", type=click.IntRange(min=1), default=4, help="Number of parallel requests."
)
@click.option(
    "--scheduler", metavar="ADDRESS", help="With dask: the address of a running scheduler."
)
@metric_options
@trust_options
@quiet_option
def command(
    requests: str,
    log: str,
    engine: str,
    jobs: int,
    scheduler: str | None,
    quiet: bool,
    **options: Any,
) -> int:
    """Route many requests and log every reply.

    REQUESTS.jsonl has one JSON object per line, with a `prompt` (and `tags`, `task`). An
    interrupted batch is resumed by the same command: requests in the log are not sent again.
    A registry records if a model is missing.

    Exit code 0: each request has its rows in the log; 1: some have none; 2: bad arguments or files.
    \f

    Args:
        requests: The file of requests.
        log: The run log.
        engine: The engine that runs the requests.
        jobs: Number of parallel requests.
        scheduler: The address of Dask's scheduler.
        quiet: Whether the number of requests is not printed.
        options: The models, how they compete, the metric, and what verifiers may do.
    """
    from ....lab.benchmark.engines import Workers
    from ....routing import Trust
    from ....routing.contests.batch import BatchSettings, read_requests, run_batch

    # A wrong file of requests is reported before the models are opened.
    rows = read_requests(requests)
    # Models are opened where the work is done, so a batch has manifests and no contestants.
    settings = BatchSettings(
        find_models(options["models"], options["licenses"], options["registry"]),
        choose_metric(options["metric"], options["alpha"]),
        options["top"],
        options["time_limit"],
        run_code=options["run_code"],
        trust=Trust(options["allow_commands"], options["hosts"]),
        **read_contest(options, options["run_code"]),
    )
    # Requests mostly wait for the network, so the local engine takes threads, not processes.
    workers = Workers(jobs, waiting=engine == "local", scheduler=scheduler)
    record = partial(record_missing, options["registry"])
    batch = run_batch(rows, settings, log, engine, workers, record=record)
    if not quiet:
        total = counted(batch.total, "request is", "requests are")
        echo([f"{visible_line(log)}: {batch.logged:,} of {total} done"])
    # A request that ends its worker is given up after some attempts.
    if batch.lost:
        lost = counted(batch.lost, "request")
        complain(f"{lost} without a row: the workers ended again and again")
    for why, number in batch.unasked.items():
        complain(f"{counted(number, 'request')} without a row: no model was asked: {why}")
    return int(bool(batch.lost or batch.unasked))
