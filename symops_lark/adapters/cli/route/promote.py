"""`symops route promote`: who has earned to be stable, and who no longer deserves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..options import json_option
from ..routing_view import (
    base_option,
    head_option,
    jobs_option,
    log_option,
    metric_version_option,
    registry_option,
    show_evidence,
)
from ..texts import echo, write_json

if TYPE_CHECKING:
    from ....routing.logs.chain import Head
    from ....routing.registry.promotion import Evidence
    from ....routing.registry.registry import Registry
    from ....routing.registry.registry_events import Model


@click.command(name="promote")
@click.argument("models", nargs=-1, metavar="[MODEL[@VERSION]]...")
@registry_option
@log_option
@metric_version_option
@base_option
@head_option
@jobs_option
@click.option("--dry-run", is_flag=True, help="Show the evidence and change nothing.")
@json_option
def command(
    models: tuple[str, ...],
    registry: str,
    log: str,
    metric_version: str,
    base: str | None,
    heads: tuple[Head, ...],
    jobs: int,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Promote or demote models by the evidence of a log.

    All models are reviewed, or the named ones. A version becomes stable with 95 % passes in the
    last 100 rows, 20 % wins in the last 1,000 runs that were decided against another model, and an
    intact supply chain, which is checked now; fewer rows are never enough. Only rows with a seal of
    your key count, or those up to a --head. The registry notes the last row of the log, and later
    refuses a log without it. A stable version is demoted if it passed less than 95 % of its last
    100 rows, or if its files are not the registered ones.

    Exit code 1: a named model is not stable after the review.
    """
    from ....routing import Registry, check_supply_chain, promotion_evidence, verify_log

    told: list[dict[str, Any]] = []
    with Registry(registry, create=False) as known:
        report = verify_log(log, jobs=jobs, heads=(*heads, *known.log_heads(log)))
        if report.ok and not dry_run:
            known.record_log(log, report.chain)
        for model in [_find(known, name) for name in models] or known.models():
            chain = check_supply_chain(model.load_manifest(), base)
            evidence = promotion_evidence(report, *model.key, metric=metric_version, supply_chain=chain)
            if not as_json:
                echo(show_evidence(evidence, str(model.state)))
            after = model if dry_run else known.review(evidence, chain)
            told.append({"before": str(model.state), "after": str(after.state), "evidence": evidence.to_dict()})
            if not as_json:
                echo([_tell(model, after, evidence, dry_run)])
    if as_json:
        write_json(told)
    reached = all(each["after"] == "stable" or (dry_run and each["evidence"]["eligible"]) for each in told)
    return 0 if reached or not models else 1


def _find(registry: Registry, name: str) -> Model:
    model_id, _, version = name.partition("@")
    return registry.find(model_id, version or None)


def _tell(before: Model, after: Model, evidence: Evidence, dry_run: bool) -> str:
    if not dry_run:
        return f"  {'stays' if before.state == after.state else 'is now'} {after.state}"
    falls, rises = before.state == "stable" and evidence.demotions, before.state != "stable" and evidence.eligible
    return (
        f"  would {'be demoted' if falls else 'be promoted' if rises else f'stay {before.state}'}; nothing was changed"
    )
