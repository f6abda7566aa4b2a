"""`symops grammar list`: the installed dialects."""

from __future__ import annotations

import click

from ..colours import paint
from ..options import json_option
from ..texts import echo, write_json
from ..visibility import visible


@click.command(name="list")
@json_option
def command(as_json: bool) -> int:
    """List the installed dialects."""
    from ....core.grammar.loading import dialects, load_grammar

    found = [load_grammar(name) for name in dialects()]
    if as_json:
        write_json([{"name": dialect.name, "path": str(dialect.path), "marks": dialect.marks} for dialect in found])
        return 0
    for dialect in found:
        summary = dialect.text.split("\n", 1)[0].lstrip("/ ")
        echo([f"{paint(dialect.name, bold=True)}  {visible(summary)}", f"    {visible(str(dialect.path))}"])
    return 0
