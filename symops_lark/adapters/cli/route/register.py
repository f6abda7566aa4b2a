"""`symops route register`: a model is made known."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import click

from ..contestants import licenses_option
from ..options import json_option
from ..routing_view import base_option, jobs_option, log_option, registry_option, show_models
from ..texts import tell


@click.command(name="register")
@click.argument("manifests", nargs=-1, required=True, metavar="MANIFEST...")
@registry_option
@log_option
@jobs_option
@base_option
@click.option("--key", metavar="FILE", help="Require a signature by this Ed25519 public key.")
@licenses_option
@json_option
def command(
    manifests: tuple[str, ...],
    registry: str,
    log: str,
    jobs: int,
    base: str | None,
    key: str | None,
    licenses: tuple[str, ...],
    as_json: bool,
) -> int:
    """Register models as experimental.

    Each MANIFEST is a `model.yaml` or its folder. A manifest with a missing field is refused, and
    so are weights with other hashes. Files that could not be checked (a base without a file) are
    reported: the model is registered, and cannot be promoted until they are checked. If there is a
    run log, the registry notes its last row: a log that is cut or rewritten later is refused.
    """
    from ....routing import Manifest, Registry, check_supply_chain, verify_log

    loaded = [Manifest.load(place, licenses) for place in manifests]
    checked = [(manifest, check_supply_chain(manifest, base, key)) for manifest in loaded]
    with Registry(registry) as known:
        models = [known.register(manifest, found) for manifest, found in checked]
        if Path(log).is_file():
            known.record_log(log, verify_log(log, jobs=jobs).chain)
    doubts = (
        f"{manifest.name}: {link.name} {link.status}: {link.told}"
        for manifest, found in checked
        for link in found.links
        if link.status != "ok"
    )
    tell(models, chain(show_models(models), doubts), as_json)
    return 0
