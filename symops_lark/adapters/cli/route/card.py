"""`symops route card`: a manifest as a model card."""

from __future__ import annotations

import click

from ..contestants import licenses_option
from ..texts import write_file, write_text


@click.command(name="card", short_help="Write a manifest as a model card in Markdown.")
@click.argument("manifest", metavar="MANIFEST")
@click.option("-o", "--output", metavar="FILE", help="Write it to FILE (MODEL_CARD.md, as a rule).")
@licenses_option
def command(manifest: str, output: str | None, licenses: tuple[str, ...]) -> int:
    """Print the model card of MANIFEST, with what is found of its files."""
    from ....routing import Manifest, check_supply_chain, write_card

    found = Manifest.load(manifest, licenses)
    text = write_card(found, check_supply_chain(found))
    if output is None:
        write_text(text)
    else:
        write_file(output, text)
    return 0
