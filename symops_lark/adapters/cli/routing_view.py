"""Options of the routing commands, and tables of logs and registries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ...core.ground.numbers import counted
from .colours import paint
from .options import count_processors
from .tables import draw_table
from .visibility import visible, visible_line

if TYPE_CHECKING:
    from ...lab.measuring.statistics import Rate
    from ...routing import Manifest
    from ...routing.logs.chain import Head
    from ...routing.logs.run_log import Explanation
    from ...routing.logs.tallies import Tally
    from ...routing.logs.verification import LogReport
    from ...routing.registry.promotion import Evidence
    from ...routing.registry.registry_events import Happening, Model

LOG = "run_log.jsonl"
REGISTRY = "registry.db"
_MAX_PROBLEMS = 20  # that are shown; --json has more
_MAX_REASON = 60  # characters, in a table of many columns

registry_option = click.option("--registry", default=REGISTRY, metavar="FILE", help="The registry.")
log_option = click.option("--log", default=LOG, metavar="FILE", help="The run log.")
log_argument = click.argument("log", default=LOG, metavar="[LOG]")
base_option = click.option(
    "--base", metavar="FILE", help="The file of the base model. Default: the one in the manifest."
)
metric_version_option = click.option(
    "--metric-version", default="metric_v1", metavar="NAME", help="Count only rows of this metric."
)
jobs_option = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    default=count_processors,
    show_default=False,  # it would be the number of this machine
    metavar="N",
    help="Number of processes that read a large log.",
)


def _read_heads(
    context: click.Context, option: click.Parameter, values: Sequence[str]
) -> tuple[Head, ...]:
    """Return the heads that the command line names; raise `BadParameter` for other texts."""
    from ...routing.logs.chain import Head

    for value in values:
        if not re.fullmatch("[0-9a-f]{64}", value):
            raise click.BadParameter(f"{value!r} is not a SHA-256 hash of 64 hexadecimal digits")
    return tuple(Head(value, trusted=True) for value in values)


head_option = click.option(
    "--head",
    "heads",
    multiple=True,
    callback=_read_heads,
    metavar="HASH",
    help=(
        "The hash of a row that you know from elsewhere. The rows up to it count without your seal."
    ),
)


def find_models(
    paths: Sequence[str], licenses: Sequence[str], registry: str | None
) -> tuple[tuple[Manifest, str], ...]:
    """Return the models that are named, and those of a registry, each with its state.

    The registry gives the newest stable version of each model, or else its newest version. A model
    that is named replaces its versions in the registry.

    Args:
        paths: The manifests that are named.
        licenses: The licenses that are accepted besides the usual ones.
        registry: The file of the registry.

    Raises:
        UsageError: There are neither manifests nor a registry.
    """
    from ...routing import Manifest, Registry

    if not paths and registry is None:
        raise click.UsageError("no model is named (--model, or --registry)")
    manifests = [(Manifest.load(path, licenses), "experimental") for path in paths]
    if registry is None:
        return tuple(manifests)
    names = {manifest.model_id for manifest, _ in manifests}
    with Registry(registry, create=False) as database:
        # The last version of a model wins: stable ones come last.
        models = sorted(database.models(), key=lambda model: model.state == "stable")
    newest = {model.model_id: model for model in models if model.model_id not in names}
    manifests += [(model.load_manifest(), str(model.state)) for model in newest.values()]
    return tuple(manifests)


def show_rate(rate: Rate) -> str:
    """Return a rate with its interval and its counts."""
    if rate.value is None or rate.interval is None:
        return "–"
    low, high = rate.interval
    interval = f"{100 * low:.1f} to {100 * high:.1f}"
    return f"{100 * rate.value:.1f} % ({interval}; {rate.k:,} of {rate.n:,})"


def show_problems(report: LogReport) -> Iterator[str]:
    """Yield the first problems of a log."""
    path = visible_line(report.path)
    for problem in report.problems[:_MAX_PROBLEMS]:
        # A problem of the complete log has no line.
        place = f"{path}:{problem.line}" if problem.line else path
        yield f"{place}: {paint('error', 'red', bold=True)}: {visible_line(problem.what)}"
    if report.wrong > _MAX_PROBLEMS:
        remaining = counted(report.wrong - _MAX_PROBLEMS, "more problem")
        yield f"and {remaining} (--json shows the first {len(report.problems):,})"


def show_log(report: LogReport) -> Iterator[str]:
    """Yield the notes of a log, its head, and a summary."""
    path = visible_line(report.path)
    for note in report.notes:
        yield f"{path}: note: {visible_line(note)}"
    if report.chain.last is not None:
        yield f"{path}: head: row {report.chain.last}, {report.chain.head}"
    verdict = "every row follows" if report.ok else counted(report.wrong, "problem")
    verdict = paint(verdict, "green" if report.ok else "red", bold=True)
    counts = f"{counted(report.rows, 'row')}, {counted(report.runs, 'run')}"
    yield f"{path}: {counts}, {report.decided:,} with a winner: {verdict}"


def show_tallies(tallies: Iterable[Tally]) -> Iterator[str]:
    """Yield a table of models: how often each passed and won, its mean reward and cost."""
    rows = [
        (
            tally.key.model_id,
            tally.key.version or "–",
            tally.key.metric,
            show_rate(tally.pass_rate),
            show_rate(tally.win_rate),
            f"{tally.sums.mean_reward:.4f}",
            f"{tally.sums.mean_cost:.4f}",
        )
        for tally in tallies
    ]
    titles = ("model", "version", "metric", "passed", "won", "reward", "cost")
    yield from draw_table(titles, rows, (0, 1, 2))


def show_evidence(evidence: Evidence, state: str) -> Iterator[str]:
    """Yield the figures and reasons for and against a version of a model."""
    name = visible_line(f"{evidence.model_id}@{evidence.version}")
    yield f"{paint(name, bold=True)} ({state}, {evidence.metric})"
    yield f"  passed       {show_rate(evidence.passes)}; needed: 95 % of the last 100 rows"
    needed = "needed: 20 % of the last 1,000 decided runs against others"
    yield f"  won          {show_rate(evidence.wins)}; {needed}"
    yield f"  supply chain {'OK' if evidence.supply_chain else 'not OK'}"
    for warning in evidence.warnings:
        yield f"  warning: {visible(warning)}"
    # A stable version is judged by the rules of demotion, the others by those of promotion.
    title, reasons = "not eligible", evidence.reasons
    if state == "stable":
        title, reasons = "to be demoted", evidence.demotions
    for reason in reasons:
        yield f"  {title}: {visible(reason)}"


def show_history(events: Iterable[Happening]) -> Iterator[str]:
    """Yield a table of the events of a registry."""
    rows = [
        (
            event.number,
            event.at,
            event.kind,
            # Some events are of the registry itself.
            f"{event.model_id}@{event.version}" if event.model_id else "",
            event.tell("; ", "→"),
        )
        for event in events
    ]
    titles = ("no.", "when (UTC)", "what", "model", "why")
    yield from draw_table(titles, rows, (1, 2, 3, 4))


def show_models(models: Iterable[Model]) -> Iterator[str]:
    """Yield a table of the versions of models."""
    audits = {None: "none", True: "passed", False: "failed"}
    rows = [
        (
            model.model_id,
            model.version,
            model.state,
            model.since,
            "OK" if model.supply_chain else "not OK",
            audits[model.audit],
        )
        for model in models
    ]
    titles = ("model", "version", "state", "since (UTC)", "supply chain", "audit")
    yield from draw_table(titles, rows, range(6))


def show_run(run: Explanation) -> Iterator[str]:
    """Yield a table of the models of a run with their figures, and the winner with its reason."""
    first = run.values[0]
    prompt = visible_line(str(first["prompt_hash"])[:19])
    yield f"run {visible_line(run.run_id)}, prompt {prompt}…, {first['timestamp']}"
    titles = (
        "model",
        "version",
        "role",
        "result",
        "q0",
        "q1",
        "cost",
        "refusal",
        "reward",
        "stable",
        "why",
    )
    rows = []
    for row, value in zip(run.rows, run.values, strict=True):
        is_winner = row.competes and row.model_id == run.verdict.winner
        cells = (
            row.model_id,
            row.version or "–",
            "winner" if is_winner else value.get("role", "candidate"),
            value["verifier_result"],
            value["q0"],
            "–" if row.q1 is None else f"{row.q1:g}",
            f"{row.cost:.4f}",
            f"{row.refusal_penalty:g}",
            f"{row.reward:.4f}",
            "yes" if row.stable else "no",
            str(value.get("reason") or "")[:_MAX_REASON],
        )
        rows.append(cells)
    yield from draw_table(titles, rows, (0, 1, 2, 3, 9, 10))
    for problem in run.verdict.problems:
        yield f"problem: {visible_line(problem.what)}"
    yield _explain_winner(run)


def _explain_winner(run: Explanation) -> str:
    """Return who won and why, or why no model won."""
    verdict = run.verdict
    first = run.rows[0]
    if verdict.incomplete:
        rows = counted(first.candidates or 0, "row is", "rows are")
        return f"{len(run.rows)} of {rows} there: its writer was killed, and no model won"
    if verdict.winner is None:
        fallback = run.values[0].get("served_by")
        if not fallback:
            return "no model won"
        return f"no model won; {visible_line(str(fallback))} served as the fallback"
    ties = {
        "cost": "of equal rewards the lower cost",
        "stable": "of equal rewards and costs the stable one",
        "model_id": "of equals the first by its id",
    }
    reason = ties.get(verdict.tie_break or "", "the highest reward of those that passed")
    formula = "reward = q0 + beta·q1 - lambda·cost - pi·refusal"
    return f"{visible_line(verdict.winner)} won: {reason} ({formula}; {first.metric.name})"
