"""`symops route run`: ask the models that fit, verify the replies, and print the winner's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..contestants import contest_options, metric_options, show_tries, trust_options
from ..flows import competitors_options, make_flow, record_missing, row_log_option, top_option
from ..models.prompt import read_request
from ..options import json_option, quiet_option
from ..texts import complain, echo, write_file, write_json, write_text

if TYPE_CHECKING:
    from ....routing import Answer


@click.command(name="run")
@click.argument("words", nargs=-1, metavar="[REQUEST]")
@competitors_options
@click.option(
    "--tag", "tags", multiple=True, metavar="TAG", help="A topic of the request; may be repeated."
)
@click.option(
    "--task", metavar="NAME", help="The task. Models without it in their scope are not asked."
)
@top_option
@contest_options
@metric_options
@trust_options
@row_log_option
@click.option(
    "-o", "--output", metavar="FILE", help="Write the answer to FILE. Default: standard output."
)
@quiet_option
@json_option
def command(
    words: tuple[str, ...],
    tags: tuple[str, ...],
    task: str | None,
    top: int,
    output: str | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Route a request and print the reply of the winner.

    Without a REQUEST it is read from standard input. The matching models are asked, and each reply
    is verified as its manifest defines. If none passes, fallbacks are asked and verified, too. If
    none of them passes either, no reply is printed, the attempts are reported, and a registry
    records that a model is missing. The winner and the reason are printed on standard error.

    Exit code 0: a reply passed; 1: no reply passed; 2: bad arguments or manifests.
    \f

    Args:
        words: The request.
        tags: The topics of the request.
        task: The task; None for any.
        top: Number of models that are asked at the same time.
        output: The file for the answer; None for standard output.
        quiet: Whether the winner and the reason are not printed.
        as_json: Whether the output is JSON.
        options: The models, how they compete, the metric, the log, and what verifiers may do.
    """
    # A request is read after the models are opened: a wrong manifest is reported first.
    answer = make_flow(options, top).run(read_request(words), tags, task)
    for event in answer.missing:
        record_missing(options["registry"], event)
    # The JSON has all of it: nothing else is printed.
    if as_json:
        write_json(answer)
        return int(not answer.sure)
    if not quiet:
        _show(answer)
    if answer.output is None:
        complain(f"no reply passed: {answer.why}")
        return 1
    if output is not None:
        # As the model wrote it: a file may be compared byte by byte.
        write_file(output, answer.output)
    else:
        write_text(answer.output if answer.output.endswith("\n") else f"{answer.output}\n")
    return 0


def _show(answer: Answer) -> None:
    """Write on standard error who won and why, and what happened to the other models."""
    winner = "UNSURE"
    if answer.sure:
        winner = f"{answer.model_id}@{answer.version}, {answer.way}"
    echo([f"{winner}: {answer.why}"], err=True)
    # An empty table would still have its titles.
    if answer.tries:
        echo(show_tries(answer.tries), err=True)
    # Models whose scope or limits do not fit the request.
    for skipped in answer.skipped:
        echo([f"{skipped.model_id}: not asked: {skipped.why}"], err=True)
