"""Options of the commands that ask models, and the flow that they configure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from .contestants import choose_metric, models_option, read_contest
from .options import together
from .routing_view import find_models

if TYPE_CHECKING:
    from ...routing import Contestant, Flow
    from ...routing.events import ModelAddRequest

# `registry_option` is for commands that work on the registry itself, and has a default.
competitors_options = together(
    models_option,
    click.option(
        "--registry", metavar="FILE", help="Use the models of a registry, with their states."
    ),
)
top_option = click.option(
    *("-k", "--top", "top"),
    type=click.IntRange(min=1),
    default=3,
    help="Number of models to ask at the same time.",
)
# Without a default: a question is logged only if the user asks for it.
row_log_option = click.option(
    "--log",
    metavar="RUN.jsonl",
    help="Append a row for each reply to this run log. Default: no log.",
)


def open_models(options: Mapping[str, Any]) -> list[Contestant]:
    """Return the models that compete, ready to be asked.

    Args:
        options: The values of `competitors_options` and `trust_options`.
    """
    from ...routing import Trust
    from ...routing.contests.providers import open_contestants

    models = find_models(options["models"], options["licenses"], options["registry"])
    trust = Trust(options["allow_commands"], options["hosts"])
    return open_contestants(models, trust, options["time_limit"])


def make_flow(options: Mapping[str, Any], top: int | None = None) -> Flow:
    """Return the flow that answers requests.

    Args:
        options: The values that `open_models` needs, of `row_log_option`,
            `contest_options` and `metric_options`.
        top: Number of models that are asked at the same time; None for all.
    """
    from ...routing import Flow, RunLog

    metric = choose_metric(options["metric"], options["alpha"])
    contestants = open_models(options)
    settings = read_contest(options, options["run_code"])
    if options["log"] is not None:
        log = RunLog(options["log"])
        log.check_metric(metric)
        # A model that was asked less often than others is asked next, and a cascade begins with
        # the cheapest one: the log has both numbers.
        settings |= {"log": log.append_run, **log.read_history()}
    return Flow(
        contestants,
        metric,
        # A registry may be empty: `Flow` then reports that no model was asked.
        top or len(contestants) or 1,
        options["time_limit"],
        run_code=options["run_code"],
        **settings,
    )


def record_missing(registry: str | None, event: ModelAddRequest) -> None:
    """Record in a registry, if there is one, that a model is missing."""
    if registry is None:
        return
    from ...routing import Registry

    # Opened only now: most answers need no new model.
    with Registry(registry, create=False) as records:
        records.request_model(event)
