"""`symops schema`: the JSON Schemas of what `--json` prints, and of files that people write."""

from __future__ import annotations

import click

from ..schemas import SCHEMAS, schema
from .texts import echo, write_json


@click.command(name="schema", short_help="Print a JSON Schema.")
@click.argument("name", required=False, metavar="[NAME]")
def command(name: str | None) -> int:
    """Print the JSON Schema of a document, result, plan or outcome, as `--json` prints them, or of a file: a repair
    rule, rules of judgment, a manifest. Each needs no other schema. Without a name: the names.
    """
    if name is None:
        echo(SCHEMAS)
    else:
        write_json(schema(name))
    return 0
