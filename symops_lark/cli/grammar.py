"""`symops grammar`: the installed languages."""

from __future__ import annotations

import click

from .options import json_option
from .texts import echo, write_json, write_text
from .view import paint, visible


@click.group(name="grammar", invoke_without_command=False)
def grammar_group() -> None:
    """Show the grammars: the languages, exactly."""


@grammar_group.command(name="list")
@json_option
def list_command(as_json: bool) -> int:
    """List the installed dialects."""
    from ..grammar import dialects, load_dialect

    found = [load_dialect(name) for name in dialects()]
    if as_json:
        write_json([{"name": dialect.name, "path": str(dialect.path), "marks": dialect.marks} for dialect in found])
        return 0
    for dialect in found:
        summary = dialect.text.split("\n", 1)[0].lstrip("/ ")
        echo([f"{paint(dialect.name, bold=True)}  {visible(summary)}", f"    {visible(str(dialect.path))}"])
    return 0


@grammar_group.command(name="show")
@click.argument("name", metavar="NAME|FILE")
@click.option("--recovery", is_flag=True, help="The grammar that reads broken texts.")
@click.option("--marks", is_flag=True, help="Only the marks and the verbs.")
@json_option
def show_command(name: str, recovery: bool, marks: bool, as_json: bool) -> int:
    """Print a grammar."""
    from ..grammar import load_dialect, recovery_text

    dialect = load_dialect(name)
    verbs = {group: list(words) for group, words in dialect.verbs.items()}
    if as_json:
        write_json({"name": dialect.name, "path": str(dialect.path), "marks": dialect.marks, "verbs": verbs})
    elif marks:
        echo(f"{mark:<10} {visible(dialect.marks[mark])}" for mark in dialect.marks)
        echo(f"{group:<10} {' '.join(words)}" for group, words in verbs.items())
    else:
        write_text(recovery_text(dialect)[1] if recovery else dialect.text)
    return 0
