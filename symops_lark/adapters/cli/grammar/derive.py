"""`symops grammar derive`: a new dialect from an old one, with other marks or rules."""

from __future__ import annotations

import click

from ....core.ground.errors import GrammarError
from ..texts import write_file, write_text


@click.command(name="derive")
@click.argument("name", metavar="NAME|FILE")
@click.option(
    "--set",
    "definitions",
    multiple=True,
    metavar="NAME=DEFINITION",
    required=True,
    help="Replace a definition, in grammar syntax: _ACTION='\"@@\"'; may be repeated.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Write the grammar to FILE. Default: standard output.",
)
def command(name: str, definitions: tuple[str, ...], output: str | None) -> int:
    """Derive a dialect by replacing marks or rules.

    The result is a complete grammar. Definitions that depend on the marks (the lines that a content
    may have, the characters of a path) are generated again.
    """
    from ....core.grammar.loading import derive

    changes = {}
    for definition in definitions:
        key, equals, body = definition.partition("=")
        if not equals or not key.strip() or not body.strip():
            raise click.UsageError(f"--set {definition!r}: write NAME=DEFINITION, such as _ACTION='\"@@\"'")
        changes[key.strip()] = body.strip()
    try:
        text = derive(name, changes)
    except GrammarError as error:
        quoted = {key: body if body[0] in '"/' else f'"{body}"' for key, body in changes.items()}
        if quoted != changes and _means_marks(name, quoted):
            told = " ".join(f"--set {key}='{body}'" for key, body in quoted.items() if body != changes[key])
            raise click.UsageError(f"a text stands in quotes, and shells take them away: quote it, {told}") from error
        raise
    if output is None:
        write_text(text)
    else:
        write_file(output, text)
    return 0


def _means_marks(name: str, changes: dict[str, str]) -> bool:
    """Return whether a dialect can be derived so, or whether nothing but two marks that begin alike is in the way."""
    from ....core.grammar.loading import derive

    try:
        derive(name, changes)
    except GrammarError as error:
        return str(error).startswith("the marks collide")
    return True
