"""`symops route register`: add models to a registry."""

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
    \f

    Args:
        manifests: The manifests.
        registry: The registry, which need not exist.
        log: The run log, which need not exist.
        jobs: Number of processes that read a large log.
        base: The file of the base model.
        key: The public key of the signatures.
        licenses: Licenses that are accepted although they are not on the list.
        as_json: Whether the output is JSON.
    """
    from ....routing import Manifest, Registry, check_supply_chain, verify_log

    # All manifests are loaded before the files of one are hashed, which takes minutes.
    loaded = [Manifest.load(path, licenses) for path in manifests]
    checked = [(manifest, check_supply_chain(manifest, base, key)) for manifest in loaded]
    with Registry(registry) as records:
        models = [records.register(manifest, links) for manifest, links in checked]
        # From now on the registry refuses a log that was shortened or written again.
        if Path(log).is_file():
            records.record_log(log, verify_log(log, jobs=jobs).chain)
    # What could not be checked does not keep a model from being registered as experimental.
    doubts = [
        f"{manifest.name}: {link.name} {link.status}: {link.told}"
        for manifest, supply_chain in checked
        for link in supply_chain.links
        if link.status != "ok"
    ]
    tell(models, chain(show_models(models), doubts), as_json)
    return 0
