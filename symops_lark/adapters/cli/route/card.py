"""`symops route card`: a manifest as a model card."""

from __future__ import annotations

import click

from ..contestants import licenses_option
from ..texts import write_file, write_text


@click.command(name="card")
@click.argument("manifest", metavar="MANIFEST")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the card to FILE, such as MODEL_CARD.md. Default: standard output.",
)
@licenses_option
def command(manifest: str, output: str | None, licenses: tuple[str, ...]) -> int:
    """Print the model card of a manifest as Markdown.

    The card includes the results of checking the files of MANIFEST.
    \f

    Args:
        manifest: The manifest, or its folder.
        output: The file for the card; None for standard output.
        licenses: Licenses that are accepted although they are not on the list.
    """
    from ....routing import Manifest, check_supply_chain, write_card

    # A card is made also if files are missing: it has the result of each check.
    loaded = Manifest.load(manifest, licenses)
    text = write_card(loaded, check_supply_chain(loaded))
    if output is None:
        write_text(text)
    else:
        write_file(output, text)
    return 0
