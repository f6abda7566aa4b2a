"""`symops grammar show`: a grammar's text, its marks and verbs."""

from __future__ import annotations

import click

from ..options import json_option
from ..texts import echo, write_json, write_text
from ..visibility import visible


@click.command(name="show")
@click.argument("name", metavar="NAME|FILE")
@click.option("--recovery", is_flag=True, help="Print the recovery grammar, which parses broken texts.")
@click.option("--marks", is_flag=True, help="Print only the marks and the verbs.")
@json_option
def command(name: str, recovery: bool, marks: bool, as_json: bool) -> int:
    """Print a grammar."""
    from ....core.grammar.loading import load_grammar, recovery_text

    dialect = load_grammar(name)
    verbs = {group: list(words) for group, words in dialect.verbs.items() if "action" in dialect.rules}
    if as_json:
        write_json({"name": dialect.name, "path": str(dialect.path), "marks": dialect.said_marks, "verbs": verbs})
    elif marks:
        echo(f"{mark:<10} {visible(text)}" for mark, text in dialect.said_marks.items())
        echo(f"{group:<10} {' '.join(words)}" for group, words in verbs.items())
    else:
        write_text(recovery_text(dialect)[1] if recovery else dialect.text)
    return 0
