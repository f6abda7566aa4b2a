"""`symops route promote`: promote and demote models by the evidence of a run log."""

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
    \f

    Args:
        models: The models, each with or without its version; none for all.
        registry: The registry.
        log: The run log.
        metric_version: The metric whose rows count.
        base: The file of the base model.
        heads: Hashes of rows that are known from elsewhere.
        jobs: Number of processes that read a large log.
        dry_run: Whether nothing is changed.
        as_json: Whether the output is JSON.
    """
    from ....routing import Registry, check_supply_chain, promotion_evidence, verify_log

    reviews: list[dict[str, Any]] = []
    all_stable = True
    with Registry(registry, create=False) as records:
        report = verify_log(log, jobs=jobs, heads=(*heads, *records.log_heads(log)))
        # The last row of a wrong log is not noted: a correct one could then be refused.
        if report.ok and not dry_run:
            records.record_log(log, report.chain)
        for model in [_find(records, name) for name in models] or records.models():
            # Files may have changed since the model was registered.
            chain = check_supply_chain(model.load_manifest(), base)
            evidence = promotion_evidence(
                report, *model.key, metric=metric_version, supply_chain=chain
            )
            # Printed before the review, so that it is seen even if the registry refuses.
            if not as_json:
                echo(show_evidence(evidence, str(model.state)))
            after = model if dry_run else records.review(evidence, chain)
            if not as_json:
                echo([_show_review(model, after, evidence, dry_run)])
            all_stable &= after.state == "stable" or (dry_run and evidence.eligible)
            states = {"before": str(model.state), "after": str(after.state)}
            reviews.append({**states, "evidence": evidence.to_dict()})
    if as_json:
        write_json(reviews)
    # Without names the command reviews, and no state is wrong.
    return int(bool(models) and not all_stable)


def _find(registry: Registry, name: str) -> Model:
    model_id, _, version = name.partition("@")
    return registry.find(model_id, version or None)


def _show_review(before: Model, after: Model, evidence: Evidence, dry_run: bool) -> str:
    if not dry_run:
        verb = "stays" if before.state == after.state else "is now"
        return f"  {verb} {after.state}"
    change = f"stay {before.state}"
    if before.state == "stable":
        # Only stable versions can be demoted.
        if evidence.demotions:
            change = "be demoted"
    elif evidence.eligible:
        change = "be promoted"
    return f"  would {change}; nothing was changed"
