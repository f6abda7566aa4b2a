"""`symops extract`: the JSON object of a model's reply, and what was refused on the way to it."""

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
@click.option("--schema", "schema_file", metavar="FILE", help="A JSON Schema that the object must fit.")
@click.option(
    "--refusals", "refusals_file", metavar="FILE", help="Read additional wordings of refusals from a YAML file."
)
@click.option(
    "--explain", is_flag=True, help="Report where the object was found, and which candidates were rejected and why."
)
@json_option
def command(file: str, schema_file: str | None, refusals_file: str | None, explain: bool, as_json: bool) -> int:
    """Extract the JSON object from a reply.

    The object is the complete reply, or is in a fence or in prose; the last one that fits is
    printed. Malformed JSON is repaired if no name and no value is in doubt. Nothing is guessed: a
    truncated reply has no object.

    Exit code 0: an object was found; 1: there is none; 2: bad arguments, files or schema.
    """
    from ....answers.structured import extract_json, load_refusals, our_refusals

    schema = None if schema_file is None else read_schema(schema_file)
    refusals = None if refusals_file is None else our_refusals() + load_refusals(refusals_file)
    text = read_text(file)
    source = Source(text.text, text.name)
    found = extract_json(text.text, schema, refusals)
    if as_json:
        write_json(found.to_dict())
        return int(found.value is None)
    if explain:
        echo(_explain(source, found))
    elif found.value is None:
        echo(show_findings(found.diagnostics, source), err=True)
    else:
        warned = [each for each in found.diagnostics if each.severity is Severity.WARNING]
        echo(show_findings(warned, source), err=True)
        write_json(found.value)
    if found.value is None and not explain:
        complain(f"{text.name}: no object")
    return int(found.value is None)


def _explain(source: Source, found: Extraction) -> Iterator[str]:
    if found.value is None or found.span is None:
        yield show_title(source.name, ["no object"])
    else:
        facts = [f"found by {found.strategy}", "repaired" if found.repaired else "as it is written"]
        place = f"line {found.span.line}, column {found.span.column}"
        yield show_title(source.name, [*facts, f"{place}, {counted(found.span.end - found.span.start, 'character')}"])
        yield from ("  " + visible(line) for line in json.dumps(found.value, ensure_ascii=False, indent=2).split("\n"))
    yield from show_findings(found.diagnostics, source)


def read_schema(name: str) -> dict[str, Any]:
    """Read a schema from a file; raise `SchemaError` with the place where it is wrong."""
    from ....answers.structured import SchemaError, find_problems

    text = read_text(name)
    try:
        schema = json.loads(text.text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise SchemaError(f"{text.name}:{error.lineno}:{error.colno}: the schema is no JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{text.name}: the schema cannot be read: {error}") from None
    if not isinstance(schema, dict):
        raise SchemaError(f"{text.name}: a schema is a JSON object")
    try:
        find_problems({}, schema)
    except SchemaError as error:
        raise SchemaError(f"{text.name}: {error}") from None
    return schema
