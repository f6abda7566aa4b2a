"""`symops route validate`: manifests, and the files that they name."""

from __future__ import annotations

import click

from ..contestants import licenses_option
from ..options import json_option
from ..texts import echo, write_json


@click.command(name="validate")
@click.argument("manifests", nargs=-1, required=True, metavar="MANIFEST...")
@click.option("--base", metavar="FILE", help="The file of the base model. Default: the one in the manifest.")
@click.option("--key", metavar="PEM", help="Require a signature (model.yaml.sig) by this Ed25519 public key.")
@licenses_option
@json_option
def command(
    manifests: tuple[str, ...], base: str | None, key: str | None, licenses: tuple[str, ...], as_json: bool
) -> int:
    """Check manifests and the hashes of their files.

    Each MANIFEST is a file, or a folder with a model.yaml. The check covers the manifest, the
    schema of the output, and the hashes of weights and base.

    Exit code 0: no problem; 1: a file is missing, has another hash or could not be checked; 2: a
    manifest is invalid.
    """
    from ....routing import Manifest, check_supply_chain
    from ....routing.manifests.supply_chain import check_schema

    found = []
    for path in manifests:
        manifest = Manifest.load(path, licenses)
        check_schema(manifest)
        found.append((path, manifest, check_supply_chain(manifest, base, key)))
    if as_json:
        write_json([{"file": path, **chain.to_dict()} for path, _, chain in found])
    else:
        for path, manifest, chain in found:
            echo([f"{path}: {manifest.name}: {'OK' if chain.ok else 'not OK'}"])
            echo([f"  {link.name}: {link.status}{': ' if link.told else ''}{link.told}" for link in chain.links])
    return 0 if all(chain.ok for *_, chain in found) else 1
