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
    may have, the characters of a path) are generated again, if they are written
    as in the installed dialects: others stay as they are.
    \f

    Args:
        name: The dialect, or the file of its grammar.
        definitions: New definitions, as NAME=DEFINITION.
        output: The file for the grammar; None for standard output.

    Raises:
        UsageError: A definition has another form, or its quotes are missing.
    """
    from ....core.grammar.loading import derive

    # A later definition of a name replaces an earlier one.
    changes = {}
    for definition in definitions:
        key, _, body = definition.partition("=")
        if not key.strip() or not body.strip():
            form = "write NAME=DEFINITION, such as _ACTION='\"@@\"'"
            raise click.UsageError(f"--set {definition!r}: {form}")
        changes[key.strip()] = body.strip()
    try:
        text = derive(name, changes)
    except GrammarError as error:
        # A grammar has texts in quotes, and a shell removes quotes that are not quoted.
        options = []
        quoted = changes.copy()
        for key, body in changes.items():
            if body[0] not in '"/':
                quoted[key] = f'"{body}"'
                options.append(f"--set {key}='{quoted[key]}'")
        if options and _can_derive(name, quoted):
            hint = f"quote it, {' '.join(options)}"
            problem = "a text is in quotes, and shells remove them"
            raise click.UsageError(f"{problem}: {hint}") from error
        raise
    if output is None:
        write_text(text)
    else:
        write_file(output, text)
    return 0


def _can_derive(name: str, changes: dict[str, str]) -> bool:
    """Return whether a dialect can be derived, or only marks that begin alike prevent it."""
    from ....core.grammar.loading import derive

    try:
        derive(name, changes)
    except GrammarError as error:
        # The quotes are right then, and the user's marks are not.
        return str(error).startswith("the marks collide")
    return True
