"""`symops route validate`: check manifests and the files that they name."""

from __future__ import annotations

import click

from ..contestants import licenses_option
from ..options import json_option
from ..texts import echo, write_json


@click.command(name="validate")
@click.argument("manifests", nargs=-1, required=True, metavar="MANIFEST...")
@click.option(
    "--base", metavar="FILE", help="The file of the base model. Default: the one in the manifest."
)
@click.option(
    "--key", metavar="PEM", help="Require a signature (model.yaml.sig) by this Ed25519 public key."
)
@licenses_option
@json_option
def command(
    manifests: tuple[str, ...],
    base: str | None,
    key: str | None,
    licenses: tuple[str, ...],
    as_json: bool,
) -> int:
    """Check manifests and the hashes of their files.

    Each MANIFEST is a file, or a folder with a model.yaml. The check covers the manifest, the
    schema of the output, and the hashes of weights and base.

    Exit code 0: no problem; 1: a file is missing, has another hash or could not be checked; 2: a
    manifest is invalid.
    \f

    Args:
        manifests: The manifests.
        base: The file of the base model.
        key: The public key of the signatures.
        licenses: Licenses that are accepted although they are not on the list.
        as_json: Whether the output is JSON.
    """
    from ....routing import Manifest, check_supply_chain
    from ....routing.manifests.supply_chain import check_schema

    checked = []
    for path in manifests:
        manifest = Manifest.load(path, licenses)
        # The schema first: it is read in no time, and weights are hashed for minutes.
        check_schema(manifest)
        checked.append((path, manifest, check_supply_chain(manifest, base, key)))
    # Nothing is printed before all are checked: a wrong manifest ends the command.
    if as_json:
        write_json([{"file": path, **chain.to_dict()} for path, _, chain in checked])
    else:
        for path, manifest, chain in checked:
            echo([f"{path}: {manifest.name}: {'OK' if chain.ok else 'not OK'}"])
            for link in chain.links:
                # A link that is in order has no detail.
                detail = f": {link.told}" if link.told else ""
                echo([f"  {link.name}: {link.status}{detail}"])
    return int(not all(chain.ok for *_, chain in checked))
