"""`symops route audit`: the same cases for all models, judged as the audit set says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..contestants import choose_metric, metric_options, models_option, trust_options
from ..options import json_option
from ..progress import show_progress
from ..routing_view import find_models
from ..tables import draw_table
from ..texts import echo, write_file, write_json

if TYPE_CHECKING:
    from ....routing.audit import AuditReport, AuditSet

_FAILURES = 3


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
    "-f", "--format", "format", default="v2", metavar="NAME", help="The dialect of the replies with --from-tasks."
)
@click.option("--write", metavar="FILE", help="Write the audit set to FILE and ask no model.")
@models_option
@click.option(
    "--registry", metavar="FILE", help="Record the audit in a registry: a stable model that fails is demoted."
)
@click.option("--least", type=click.FloatRange(0, 1), default=0.95, help="Share of cases that a model must pass.")
@metric_options
@trust_options
@json_option
def command(
    audit_set: str | None,
    tasks: tuple[str, ...],
    format: str,
    write: str | None,
    models: tuple[str, ...],
    registry: str | None,
    least: float,
    metric: str | None,
    alpha: float | None,
    licenses: tuple[str, ...],
    allow_commands: bool,
    hosts: tuple[str, ...],
    run_code: bool,
    time_limit: float,
    as_json: bool,
) -> int:
    """Audit models with a set of cases.

    Every model is asked each case of AUDIT.json, or of the benchmark's tasks, and the passed cases
    are counted. With --metric the same replies are scored by metric_v1 and by that metric, side by
    side.

    Exit code 0: every model passes its share of the cases; 1: one does not; 2: bad arguments,
    manifests or audit sets.
    """
    from ....routing import METRIC_V1, Registry, Trust, run_audit
    from ....routing.contests.providers import open_contestants

    audit = _find_audit(audit_set, tasks, format)
    if write is not None:
        import json

        write_file(write, json.dumps(audit.to_dict(), ensure_ascii=False, indent=2) + "\n")
        return 0
    if not models:
        raise click.UsageError("no model is named (--model)")
    chosen = choose_metric(metric, alpha)
    contestants = open_contestants(find_models(models, licenses, None), Trust(allow_commands, hosts), time_limit)
    metrics = [METRIC_V1] if chosen is METRIC_V1 else [METRIC_V1, chosen]
    with show_progress("asking models"):
        report = run_audit(audit, contestants, metrics, seconds=time_limit, run_code=run_code, least=least)
    if as_json:
        write_json(report)
    else:
        _show(report)
    if registry is not None:
        with Registry(registry, create=False) as known:
            for model in report.models:
                known.record_audit(model.model_id, model.version, report.holds(model.model_id), model.to_dict())
    return 0 if all(report.holds(model.model_id) for model in report.models) else 1


def _find_audit(path: str | None, tasks: tuple[str, ...], format: str) -> AuditSet:
    from ....routing import AuditSet, audit_tasks

    if (path is None) == (not tasks):
        raise click.UsageError("name an audit set, or tasks of the benchmark (--from-tasks): one of them")
    if path is not None:
        return AuditSet.load(path)
    from ....lab.benchmark.tasks import load_tasks

    return audit_tasks(load_tasks(tasks), format)


def _show(report: AuditReport) -> None:
    metrics = [score.metric for score in report.models[0].scores]
    titles = ["model", "audit", "passed", "rate", "95 %", "refusals", "cost"]
    titles += [f"{name}: {word}" for name in metrics for word in ("reward", "wins")]
    rows = []
    for model in report.models:
        scores = [cell for score in model.scores for cell in (f"{score.mean_reward:.3f}", str(score.wins))]
        interval = f"{model.low:.0%} to {model.high:.0%}"
        numbers = (f"{model.passed} of {model.cases}", f"{model.rate:.0%}", interval, str(model.refusals))
        word = "OK" if report.holds(model.model_id) else "failed"
        rows.append((f"{model.model_id}@{model.version}", word, *numbers, f"{model.mean_cost:.3f}", *scores))
    echo([f"{report.audit_id}: {report.least:.0%} of the cases are to be passed"])
    echo(draw_table(titles, rows, texts=(0, 1)))
    for model in report.models:
        told = [f"  case {number}: {why.splitlines()[0] if why else ''}" for number, why in model.failures[:_FAILURES]]
        more = len(model.failures) - len(told)
        echo([f"{model.model_id} failed:", *told, *([f"  and {more} more"] if more else [])] if told else [])
