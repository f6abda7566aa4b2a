"""`symops route run`: ask those that fit, verify, choose, answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..contestants import (
    choose_metric,
    contest_options,
    metric_options,
    models_option,
    read_contest,
    show_tries,
    trust_options,
)
from ..models.prompt import read_request
from ..options import json_option, quiet_option
from ..routing_view import find_models
from ..texts import complain, echo, write_file, write_json, write_text

if TYPE_CHECKING:
    from ....routing import Answer


@click.command(name="run")
@click.argument("words", nargs=-1, metavar="[REQUEST]")
@models_option
@click.option("--registry", metavar="FILE", help="Use the models of a registry, with their states.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A topic of the request; may be repeated.")
@click.option("--task", metavar="NAME", help="The task. Models without it in their scope are not asked.")
@click.option(
    "-k", "--top", "top", type=click.IntRange(min=1), default=3, help="Number of models to ask at the same time."
)
@contest_options
@metric_options
@trust_options
@click.option("--log", metavar="RUN.jsonl", help="Append a row for each reply to this run log. Default: no log.")
@click.option("-o", "--output", metavar="FILE", help="Write the answer to FILE. Default: standard output.")
@quiet_option
@json_option
def command(
    words: tuple[str, ...],
    models: tuple[str, ...],
    registry: str | None,
    tags: tuple[str, ...],
    task: str | None,
    top: int,
    metric: str | None,
    alpha: float | None,
    licenses: tuple[str, ...],
    allow_commands: bool,
    hosts: tuple[str, ...],
    run_code: bool,
    time_limit: float,
    log: str | None,
    output: str | None,
    quiet: bool,
    as_json: bool,
    **contest: Any,
) -> int:
    """Route a request and print the reply of the winner.

    Without a REQUEST it is read from standard input. The matching models are asked, and each reply
    is verified as its manifest defines. If none passes, fallbacks are asked and verified, too. If
    none of them passes either, no reply is printed, the attempts are reported, and a registry
    records that a model is missing. The winner and the reason are printed on standard error.

    Exit code 0: a reply passed; 1: no reply passed; 2: bad arguments or manifests.
    """
    from ....routing import RunLog, Trust
    from ....routing.contests.flow import Flow
    from ....routing.contests.providers import open_contestants

    chosen = choose_metric(metric, alpha)
    contestants = open_contestants(find_models(models, licenses, registry), Trust(allow_commands, hosts), time_limit)
    settings = read_contest(contest, run_code) | {"top_k": top, "seconds": time_limit, "run_code": run_code}
    if log is not None:
        # Who was asked least is asked next, and who costs least is asked first in a cascade.
        settings |= {"log": RunLog(log).append_run, **RunLog(log).read_history()}
    answer = Flow(contestants, chosen, **settings).run(read_request(words), tags, task)
    if registry is not None:
        _tell_registry(registry, answer)
    if as_json:
        write_json(answer)
        return 0 if answer.sure else 1
    if not quiet:
        name = f"{answer.model_id}@{answer.version}, {answer.way}" if answer.sure else "UNSURE"
        echo([f"{name}: {answer.why}"], err=True)
        echo(show_tries(answer.tries) if answer.tries else [], err=True)
        echo([f"{skipped.model_id}: not asked: {skipped.why}" for skipped in answer.skipped], err=True)
    if answer.output is None:
        complain(f"nobody is sure: {answer.why}")
        return 1
    if output is not None:
        write_file(output, answer.output)
    else:
        write_text(answer.output if answer.output.endswith("\n") else f"{answer.output}\n")
    return 0


def _tell_registry(registry: str, answer: Answer) -> None:
    """Have a registry note that a model is missing, if one is."""
    from ....routing import Registry
    from ....routing.events import ModelAddRequest

    for event in answer.events:
        if isinstance(event, ModelAddRequest):
            with Registry(registry, create=False) as known:
                known.request_model(event)
