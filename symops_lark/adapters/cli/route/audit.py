"""`symops route audit`: ask all models the same cases, and judge them as the audit set defines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..contestants import choose_metric, metric_options, models_option, trust_options
from ..flows import open_models
from ..options import FloatRange, json_option
from ..progress import show_progress
from ..tables import draw_table
from ..texts import echo, write_file, write_json

if TYPE_CHECKING:
    from ....routing import Metric, MixedMetric
    from ....routing.audit import Audited, AuditReport, AuditSet

_MAX_FAILURES = 3  # failures of a model that are shown


@click.command(name="audit")
@click.argument("audit_set", required=False, metavar="[AUDIT.json]")
@click.option(
    "--from-tasks",
    "tasks",
    multiple=True,
    metavar="NAME|GLOB",
    help="Use tasks of the benchmark as cases; '*' is all; may be repeated.",
)
@click.option(
    "-f",
    "--format",
    "format",
    default="v2",
    metavar="NAME",
    help="The dialect of the replies with --from-tasks.",
)
@click.option("--write", metavar="FILE", help="Write the audit set to FILE and ask no model.")
@models_option
@click.option(
    "--registry",
    metavar="FILE",
    help="Record the audit in a registry: a stable model that fails is demoted.",
)
@click.option(
    "--least", type=FloatRange(0, 1), default=0.95, help="Share of cases that a model must pass."
)
@metric_options
@trust_options
@json_option
def command(
    audit_set: str | None,
    tasks: tuple[str, ...],
    format: str,
    write: str | None,
    registry: str | None,
    least: float,
    as_json: bool,
    **options: Any,
) -> int:
    """Audit models with a set of cases.

    Every model is asked each case of AUDIT.json, or of the benchmark's tasks, and the passed cases
    are counted. With --metric the same replies are scored by metric_v1 and by that metric, side by
    side.

    Exit code 0: every model passes its share of the cases; 1: one does not; 2: bad arguments,
    manifests or audit sets.
    \f

    Args:
        audit_set: The file of the audit set.
        tasks: Names of tasks of the benchmark, in place of an audit set.
        format: The dialect of the replies to tasks.
        write: The file that the audit set is written to.
        registry: The registry that records the audit.
        least: Share of cases that a model must pass, from 0 to 1.
        as_json: Whether the output is JSON.
        options: The models, the metric, and what verifiers may do.

    Raises:
        UsageError: No model is named.
    """
    from ....routing import METRIC_V1, Registry, run_audit

    audit = _find_audit(audit_set, tasks, format)
    # A set of tasks can be edited before models are asked.
    if write is not None:
        import json

        write_file(write, json.dumps(audit.to_dict(), ensure_ascii=False, indent=2) + "\n")
        return 0
    if not options["models"]:
        raise click.UsageError("no model is named (--model)")
    # The first metric is the known one, which others are compared with.
    metrics: list[Metric | MixedMetric] = [METRIC_V1]
    metric = choose_metric(options["metric"], options["alpha"])
    if metric is not METRIC_V1:
        metrics.append(metric)
    # The registry only records: an audit is of the models that are named.
    contestants = open_models(options | {"registry": None})
    with show_progress("asking models"):
        report = run_audit(
            audit,
            contestants,
            metrics,
            seconds=options["time_limit"],
            run_code=options["run_code"],
            least=least,
        )
    if as_json:
        write_json(report)
    else:
        _show(report)
    # Each model has to pass: one that fails is not hidden by the others.
    passes = {model.model_id: report.holds(model.model_id) for model in report.models}
    if registry is not None:
        with Registry(registry, create=False) as records:
            for model in report.models:
                result = passes[model.model_id], model.to_dict()
                records.record_audit(model.model_id, model.version, *result)
    return int(not all(passes.values()))


def _find_audit(path: str | None, tasks: tuple[str, ...], format: str) -> AuditSet:
    from ....routing import AuditSet, audit_tasks

    if (path is None) == (not tasks):
        choices = "an audit set, or tasks of the benchmark (--from-tasks)"
        raise click.UsageError(f"name {choices}: one of them")
    if path is not None:
        return AuditSet.load(path)
    # The benchmark is large, and audit sets do not need it.
    from ....lab.benchmark.tasks import load_tasks

    return audit_tasks(load_tasks(tasks), format)


def _show(report: AuditReport) -> None:
    titles = ["model", "audit", "passed", "rate", "95 %", "refusals", "cost"]
    # All models have the same metrics.
    for score in report.models[0].scores:
        titles += (f"{score.metric}: reward", f"{score.metric}: wins")
    rows = []
    for model in report.models:
        verdict = "OK" if report.holds(model.model_id) else "failed"
        rows.append((f"{model.model_id}@{model.version}", verdict, *_show_numbers(model)))
    echo([f"{report.audit_id}: {report.least:.0%} of the cases are to be passed"])
    echo(draw_table(titles, rows, texts=(0, 1)))
    for model in report.models:
        _show_failures(model)


def _show_numbers(model: Audited) -> list[str]:
    """Return the cells of a model, from the passed cases to the wins under the last metric."""
    cells = [
        f"{model.passed} of {model.cases}",
        f"{model.rate:.0%}",
        f"{model.low:.0%} to {model.high:.0%}",
        str(model.refusals),
        f"{model.mean_cost:.3f}",
    ]
    for score in model.scores:
        cells += (f"{score.mean_reward:.3f}", str(score.wins))
    return cells


def _show_failures(model: Audited) -> None:
    if not model.failures:
        return
    echo([f"{model.model_id} failed:"])
    for number, reason in model.failures[:_MAX_FAILURES]:
        # Further lines are the output of a verifier's program.
        first_line = reason.partition("\n")[0]
        # As people count; the JSON has the numbers from 0.
        echo([f"  case {number + 1}: {first_line}"])
    hidden = len(model.failures) - _MAX_FAILURES
    if hidden > 0:
        echo([f"  and {hidden} more"])
