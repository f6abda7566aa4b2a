"""`symops schema`: the JSON Schemas of what `--json` prints, and of files that people write."""

from __future__ import annotations

import click

from ....core.ground.schemas import SCHEMAS, schema
from ..texts import echo, write_json


@click.command(name="schema", short_help="Print a JSON Schema.")
@click.argument("name", required=False, metavar="[NAME]")
def command(name: str | None) -> int:
    """Print a JSON Schema, which needs no other; without a name the names.

    Of what `--json` prints (a document, result, plan or outcome), or of a file (a repair rule, rules of judgment, a
    manifest).
    """
    if name is None:
        echo(SCHEMAS)
    else:
        write_json(schema(name))
    return 0
