"""`symops schema`: the JSON Schemas of what `--json` prints, and of files that people write."""

from __future__ import annotations

import click

from ....core.ground.schemas import SCHEMAS, schema
from ..texts import echo, write_json


@click.command(name="schema")
@click.argument("name", required=False, metavar="[NAME]")
def command(name: str | None) -> int:
    """Print a JSON Schema.

    Each schema is complete in itself. It describes what `--json` prints (a document, result, plan
    or outcome), a line of `symops stream` (an event) or a file (a repair rule, rules of judgment, a
    manifest). Without a NAME the names are listed.
    """
    if name is None:
        echo(SCHEMAS)
    else:
        write_json(schema(name))
    return 0
