"""`symops grammar diagram`: railroad diagrams of a grammar."""

from __future__ import annotations

from pathlib import Path

import click

from ....core.ground.numbers import counted
from ..texts import echo
from ..visibility import visible


@click.command(name="diagram")
@click.argument("name", metavar="NAME|FILE")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="Write the diagrams to FILE (.svg or .html).",
)
def command(name: str, output: str) -> int:
    """Draw railroad diagrams of a grammar.

    One file shows every rule and terminal of the strict grammar. Marks are drawn as their text.
    Needs the library railroad-diagrams: pip install 'symops-lark[workbench]'.
    \f

    Raises:
        UsageError: The name of the output ends with something else.
    """
    from ....core.grammar.loading import load_grammar
    from ....lab.workbench.diagram import write_html, write_svg

    writers = {".svg": write_svg, ".html": write_html}
    path = Path(output)
    if path.suffix not in writers:
        endings = " or ".join(writers)
        raise click.UsageError(f"{output}: the output is a file that ends with {endings}")
    text = writers[path.suffix](load_grammar(name))
    path.write_text(text, encoding="utf-8")
    echo([f"{visible(output)}: {counted(len(text), 'character')}"])
    return 0
