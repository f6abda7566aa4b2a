"""`symops route log rescore`: an old log under another metric."""

from __future__ import annotations

import click

from ...texts import echo


@click.command(name="rescore", short_help="Score a log again by another metric, into a new file.")
@click.argument("log", metavar="LOG")
@click.option("--metric", required=True, metavar="NAME", help="What the other metric is called, as metric_v2.")
@click.option("--weight", "weights", multiple=True, metavar="NAME=NUMBER", help="A weight of it; may be repeated.")
@click.option("--out", required=True, metavar="FILE", help="The new log, which must not be there yet.")
def command(log: str, metric: str, weights: tuple[str, ...], out: str) -> int:
    """Write a log's rows with rewards and winners by another metric to a new log; the old one stays as it is.

    Weights are lambda, pi and beta; what is not named is as in metric_v1.
    """
    from ....routing import read_metric, rescore_log

    params = {}
    for weight in weights:
        name, _, number = weight.partition("=")
        try:
            params[name] = float(number)
        except ValueError:
            raise click.UsageError(f"--weight {weight}: it is NAME=NUMBER, as in lambda=0.5") from None
    made = read_metric(metric, params)
    echo([f"{out}: {rescore_log(log, made, out):,} rows by {made.name}"])
    return 0
