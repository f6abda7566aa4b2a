"""`symops ask --schema FILE`: a JSON object that fits a schema, and the result of each attempt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.json_text import spell_json
from ....core.text.source import Source
from ..colours import paint
from ..options import find_given
from ..texts import complain, echo, write_file, write_json
from ..view import show_findings
from ..visibility import visible
from .extract import read_schema
from .prompt import read_request

if TYPE_CHECKING:
    from ....answers.structured import Attempt

# The options that asking for an object has in common with asking for a document.
_SHARED = {
    "words",
    "schema",
    "way",
    "provider",
    "model",
    "base_url",
    "command",
    "timeout",
    "time_limit",
    "size_limit",
    "max_tokens",
    "temperature",
    "output",
    "quiet",
    "trace",
    "as_json",
}
# What a line of progress reports of a model, by the status of the attempt.
_OUTCOMES = {
    "answered": "answered",
    "invalid": "answered with nothing that fits the schema",
    "empty": "said nothing",
    "cut_off": "was cut off before the answer was whole",
    "refused": "refused to answer",
}


def ask_for_object(context: click.Context, settings: dict[str, Any]) -> int:
    """Ask for an object, print it, and return the exit code.

    Args:
        context: The options of `symops ask`.
        settings: The arguments of `load_model`.
    """
    from ....answers.structured import Status, ask_json
    from ....models import load_model

    options = context.params
    output = options["output"]
    _refuse_options_of_documents(context)
    schema = read_schema(options["schema"])
    model = load_model(**settings)

    def show_failure(attempt: Attempt) -> None:
        if not options["quiet"] and attempt.status is not Status.ANSWERED:
            complain(f"{model.name} {_show_outcome(attempt)}")

    answer = ask_json(model, read_request(options["words"]), schema, on_attempt=show_failure)
    has_value = answer.value is not None
    # A file is written only if the value fits: it never has half an answer.
    if output is not None and has_value:
        write_file(output, spell_json(answer.value, 2) + "\n")
    if options["as_json"]:
        write_json({**answer.to_dict(), "model": model.name})
    else:
        if options["trace"]:
            echo(_show(answer.attempts))
        if output is None and has_value:
            write_json(answer.value)
    if has_value:
        return 0
    # A failed model is an error of the surroundings, not an answer.
    return 2 if answer.status is Status.FAILED else 1


def _refuse_options_of_documents(context: click.Context) -> None:
    for name, option in find_given(context).items():
        if name not in _SHARED:
            raise click.UsageError(
                f"{option} is about documents, and --schema asks for a JSON object"
            )


def _show_outcome(attempt: Attempt) -> str:
    return f"failed: {visible(attempt.error)}" if attempt.error else _OUTCOMES[attempt.status]


def _show(attempts: Sequence[Attempt]) -> Iterator[str]:
    """Yield the way of each attempt, the reply, and the problems of the reply."""
    for number, attempt in enumerate(attempts, 1):
        title = paint(f"attempt {number}", bold=True)
        strategy = f", {attempt.strategy}" if attempt.strategy else ""
        repaired = ", repaired" if attempt.repaired else ""
        yield f"{title}: {attempt.way}: {_show_outcome(attempt)}{strategy}{repaired}"
        # An empty reply has no line.
        for line in attempt.response.split("\n") if attempt.response else ():
            yield f"reply | {visible(line)}"
        yield from show_findings(attempt.diagnostics, Source(attempt.response, "reply"))
