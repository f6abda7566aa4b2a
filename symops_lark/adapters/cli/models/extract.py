"""`symops extract`: the JSON object of a model's reply, and the candidates that were rejected."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.numbers import counted
from ....core.text.diagnostics import Severity
from ....core.text.source import Source
from ..options import file_argument, json_option
from ..texts import complain, echo, read_text, write_json
from ..view import show_findings, show_title
from ..visibility import visible

if TYPE_CHECKING:
    from ....answers.structured import Extraction


@click.command(name="extract")
@file_argument
@click.option(
    "--schema", "schema_file", metavar="FILE", help="A JSON Schema that the object must fit."
)
@click.option(
    "--refusals",
    "refusals_file",
    metavar="FILE",
    help="Read additional wordings of refusals from a YAML file.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Report where the object was found, and which candidates were rejected and why.",
)
@json_option
def command(
    file: str, schema_file: str | None, refusals_file: str | None, explain: bool, as_json: bool
) -> int:
    """Extract the JSON object from a reply.

    The object is the complete reply, or is in a fence or in prose; the last one that fits is
    printed. Malformed JSON is repaired if no name and no value is in doubt. Nothing is guessed: a
    truncated reply has no object.

    Exit code 0: an object was found; 1: there is none; 2: bad arguments, files or schema.
    \f

    Args:
        file: The file of the reply, or `-`.
        schema_file: The file of a JSON Schema.
        refusals_file: The file of additional refusals.
        explain: Whether the candidates are reported.
        as_json: Whether the whole result is printed as JSON.
    """
    from ....answers.structured import extract_json, load_refusals, our_refusals

    schema = None if schema_file is None else read_schema(schema_file)
    refusals = None if refusals_file is None else our_refusals() + load_refusals(refusals_file)
    text = read_text(file)
    source = Source(text.text, text.name)
    # Never raises for the text: a reply without an object has findings instead.
    extraction = extract_json(text.text, schema, refusals)
    has_object = extraction.value is not None
    if as_json:
        write_json(extraction.to_dict())
    elif explain:
        echo(_explain(source, extraction))
    elif not has_object:
        echo(show_findings(extraction.diagnostics, source), err=True)
        complain(f"{text.name}: no object")
    else:
        # Notes are left out: they describe ordinary repairs.
        warnings = [
            finding for finding in extraction.diagnostics if finding.severity is Severity.WARNING
        ]
        echo(show_findings(warnings, source), err=True)
        write_json(extraction.value)
    return int(not has_object)


def _explain(source: Source, extraction: Extraction) -> Iterator[str]:
    span = extraction.span
    if extraction.value is None or span is None:
        yield show_title(source.name, ["no object"])
    else:
        facts = [
            f"found by {extraction.strategy}",
            "repaired" if extraction.repaired else "as it is written",
            f"line {span.line}, column {span.column}",
            counted(span.end - span.start, "character"),
        ]
        yield show_title(source.name, facts)
        # The value as it was read, with the repairs.
        value = json.dumps(extraction.value, ensure_ascii=False, indent=2)
        for line in value.split("\n"):
            yield "  " + visible(line)
    yield from show_findings(extraction.diagnostics, source)


def read_schema(name: str) -> dict[str, Any]:
    """Read a schema from a file.

    Args:
        name: The file, or `-`.

    Raises:
        SchemaError: The schema is invalid; the message gives the place.
    """
    from ....answers.structured import SchemaError, find_problems

    text = read_text(name)
    try:
        # Editors of Windows begin files with a byte order mark, which `json` refuses.
        schema = json.loads(text.text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        place = f"{text.name}:{error.lineno}:{error.colno}"
        raise SchemaError(f"{place}: the schema is not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{text.name}: the schema cannot be read: {error}") from None
    if not isinstance(schema, dict):
        raise SchemaError(f"{text.name}: a schema is a JSON object")
    try:
        # Any value shows whether the schema itself is wrong.
        find_problems({}, schema)
    except SchemaError as error:
        raise SchemaError(f"{text.name}: {error}") from None
    return schema
