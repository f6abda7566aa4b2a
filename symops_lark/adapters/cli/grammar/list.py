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

    values = []
    for name in dialects():
        dialect = load_grammar(name)
        values.append({"name": name, "path": str(dialect.path), "marks": dialect.marks})
        if not as_json:
            # The first line of each grammar is a comment that describes the dialect.
            summary = dialect.text.split("\n", 1)[0].lstrip("/ ")
            title = paint(name, bold=True)
            echo([f"{title}  {visible(summary)}", f"    {visible(str(dialect.path))}"])
    if as_json:
        write_json(values)
    return 0
