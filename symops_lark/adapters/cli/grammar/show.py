"""`symops grammar show`: a grammar's text, its marks and verbs."""

from __future__ import annotations

import click

from ..options import json_option
from ..texts import echo, write_json, write_text
from ..visibility import visible


@click.command(name="show")
@click.argument("name", metavar="NAME|FILE")
@click.option(
    "--recovery", is_flag=True, help="Print the recovery grammar, which parses broken texts."
)
@click.option("--marks", is_flag=True, help="Print only the marks and the verbs.")
@json_option
def command(name: str, recovery: bool, marks: bool, as_json: bool) -> int:
    """Print a grammar.

    \f

    Args:
        name: The dialect, or the file of a grammar.
        recovery: Whether the recovery grammar is printed.
        marks: Whether only the marks and the verbs are printed.
        as_json: Whether the output is JSON.
    """
    from ....core.grammar.loading import load_grammar, recovery_text

    dialect = load_grammar(name)
    # A grammar without actions is not a dialect, and has no verbs.
    verbs = dialect.verbs if "action" in dialect.rules else {}
    # As they are in the grammar: marks may be texts or patterns.
    marks_by_name = dialect.said_marks
    if as_json:
        path = str(dialect.path)
        write_json({"name": dialect.name, "path": path, "marks": marks_by_name, "verbs": verbs})
    elif marks:
        echo(f"{mark:<10} {visible(text)}" for mark, text in marks_by_name.items())
        echo(f"{group:<10} {' '.join(words)}" for group, words in verbs.items())
    elif recovery:
        write_text(recovery_text(dialect)[1])
    else:
        write_text(dialect.text)
    return 0
