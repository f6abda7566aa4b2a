"""`symops ask --schema FILE`: a JSON object that fits a schema, and what each attempt to get it gave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.json_text import spell_json
from ....core.text.source import Source
from ..colours import paint
from ..texts import complain, echo, write_file, write_json
from ..view import show_findings
from ..visibility import visible
from .extract import read_schema
from .prompt import read_request

if TYPE_CHECKING:
    from ....answers.structured import Attempt

# What asking for an object has in common with asking for a document.
_SHARED = frozenset(
    {
        *("words", "schema", "way", "provider", "model", "base_url", "command", "timeout", "time_limit", "size_limit"),
        *("max_tokens", "temperature", "output", "quiet", "trace", "as_json"),
    }
)
_SAYS = {
    "answered": "answered",
    "invalid": "answered with nothing that fits the schema",
    "empty": "said nothing",
    "cut_off": "was cut off before the answer was whole",
    "refused": "refused to answer",
}


def ask_for_object(
    context: click.Context,
    schema: str,
    words: tuple[str, ...],
    output: str | None,
    quiet: bool,
    trace: bool,
    as_json: bool,
    settings: dict[str, Any],
) -> int:
    """Ask for an object, print it, and return the exit code."""
    from ....answers.structured import Status, ask_json
    from ....models import load_model

    _refuse_others(context)
    shape = read_schema(schema)
    model = load_model(**settings)

    def tell(attempt: Attempt) -> None:
        if not quiet and attempt.status is not Status.ANSWERED:
            complain(f"{model.name} {_say(attempt)}")

    answer = ask_json(model, read_request(words), shape, on_attempt=tell)
    if output is not None and answer.value is not None:
        write_file(output, spell_json(answer.value, 2) + "\n")
    if as_json:
        write_json(answer.to_dict() | {"model": model.name})
    else:
        echo(_show(answer.attempts if trace else ()))
        if answer.value is not None and output is None:
            write_json(answer.value)
    return 0 if answer.value is not None else 2 if answer.status is Status.FAILED else 1


def _refuse_others(context: click.Context) -> None:
    """Refuse options that are about documents."""
    for parameter in context.command.params:
        name = parameter.name or ""
        if name not in _SHARED and context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{parameter.opts[0]} is about documents, and --schema asks for a JSON object")


def _say(attempt: Attempt) -> str:
    return f"failed: {visible(attempt.error)}" if attempt.error else _SAYS[attempt.status]


def _show(attempts: Sequence[Attempt]) -> Iterator[str]:
    """Yield the lines for people: how each attempt was made, what was answered, and what is wrong with it."""
    for number, attempt in enumerate(attempts, 1):
        found = f", {attempt.strategy}" if attempt.strategy else ""
        repaired = ", repaired" if attempt.repaired else ""
        yield paint(f"attempt {number}", bold=True) + f": {attempt.way}: {_say(attempt)}{found}{repaired}"
        yield from ("reply | " + visible(line) for line in attempt.response.split("\n") if attempt.response)
        yield from show_findings(attempt.diagnostics, Source(attempt.response, "reply"))
