"""Routing as people see it: options that its commands share, tables of what a log or a registry has."""

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
    from ...routing.logs.runs import Problem
    from ...routing.logs.tallies import Tally
    from ...routing.logs.verification import LogReport
    from ...routing.registry.promotion import Evidence
    from ...routing.registry.registry_events import Happening, Model

LOG, REGISTRY = "run_log.jsonl", "registry.db"
_SHOWN = 20  # problems

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
    *("-j", "--jobs"),
    type=click.IntRange(min=1),
    default=count_processors,
    show_default=False,
    metavar="N",
    help="Number of processes that read a large log.",
)

head_option = click.option(
    "--head",
    "heads",
    multiple=True,
    callback=lambda _context, _option, values: _read_heads(values),
    metavar="HASH",
    help="The hash of a row that you know from elsewhere. The rows up to it count without your seal.",
)


def _read_heads(values: Sequence[str]) -> tuple[Head, ...]:
    """Return the heads that the command line names."""
    from ...routing.logs.chain import Head

    for value in values:
        if not re.fullmatch("[0-9a-f]{64}", value):
            raise click.BadParameter(f"{value!r} is not a SHA-256 hash of 64 hexadecimal digits")
    return tuple(Head(value, trusted=True) for value in values)


def find_models(
    paths: Sequence[str], licenses: Sequence[str], registry: str | None
) -> tuple[tuple[Manifest, str], ...]:
    """Return the models that are named, and those of a registry, each with its state.

    Of a registry each model's newest stable version counts, else its newest one, but for models that are named.
    """
    from ...routing import Manifest, Registry

    if not paths and registry is None:
        raise click.UsageError("no model is named (--model, or --registry)")
    found = [(Manifest.load(path, licenses), "experimental") for path in paths]
    if registry is not None:
        with Registry(registry, create=False) as known:
            newest = {
                model.model_id: model for model in sorted(known.models(), key=lambda each: each.state == "stable")
            }
        named = {manifest.model_id for manifest, _ in found}
        found += [(each.load_manifest(), str(each.state)) for each in newest.values() if each.model_id not in named]
    return tuple(found)


def show_rate(rate: Rate) -> str:
    """Return a rate with its interval and its counts."""
    if rate.value is None or rate.interval is None:
        return "–"
    low, high = rate.interval
    return f"{100 * rate.value:.1f} % ({100 * low:.1f} to {100 * high:.1f}; {rate.k:,} of {rate.n:,})"


def show_problems(report: LogReport) -> Iterator[str]:
    """Yield what does not follow, the first of it."""
    yield from (_show_problem(report.path, problem) for problem in report.problems[:_SHOWN])
    if report.wrong > _SHOWN:
        yield f"and {counted(report.wrong - _SHOWN, 'more problem')} (--json shows the first {len(report.problems):,})"


def _show_problem(path: str, problem: Problem) -> str:
    where = f"{visible_line(path)}:{problem.line}" if problem.line else visible_line(path)
    return f"{where}: {paint('error', 'red', bold=True)}: {visible_line(problem.what)}"


def show_log(report: LogReport) -> Iterator[str]:
    """Yield the line that sums a log up, and what is to be known of it."""
    yield from (f"{visible_line(report.path)}: note: {visible_line(note)}" for note in report.notes)
    if report.chain.last is not None:
        yield f"{visible_line(report.path)}: head: row {report.chain.last}, {report.chain.head}"
    told = "every row follows" if report.ok else counted(report.wrong, "problem")
    yield (
        f"{visible_line(report.path)}: {counted(report.rows, 'row')}, {counted(report.runs, 'run')}, "
        f"{report.decided:,} with a winner: {paint(told, 'green' if report.ok else 'red', bold=True)}"
    )


def show_tallies(tallies: Iterable[Tally]) -> Iterator[str]:
    """Yield a table of models: how often each passed and won, its mean reward and cost."""
    rows = [
        [
            tally.key.model_id,
            tally.key.version or "–",
            tally.key.metric,
            show_rate(tally.pass_rate),
            show_rate(tally.win_rate),
            f"{tally.sums.mean_reward:.4f}",
            f"{tally.sums.mean_cost:.4f}",
        ]
        for tally in tallies
    ]
    yield from draw_table(["model", "version", "metric", "passed", "won", "reward", "cost"], rows, (0, 1, 2))


def show_evidence(evidence: Evidence, state: str) -> Iterator[str]:
    """Yield what is known for and against a version of a model."""
    name = f"{evidence.model_id}@{evidence.version}"
    yield f"{paint(visible_line(name), bold=True)} ({state}, {evidence.metric})"
    yield f"  passed       {show_rate(evidence.passes)}; needed: 95 % of the last 100 rows"
    yield f"  won          {show_rate(evidence.wins)}; needed: 20 % of the last 1,000 decided runs against others"
    yield f"  supply chain {'OK' if evidence.supply_chain else 'not OK'}"
    yield from (f"  warning: {visible(warning)}" for warning in evidence.warnings)
    if state == "stable":
        yield from (f"  to be demoted: {visible(reason)}" for reason in evidence.demotions)
    else:
        yield from (f"  not eligible: {visible(reason)}" for reason in evidence.reasons)


def show_history(events: Iterable[Happening]) -> Iterator[str]:
    """Yield a table of what happened."""
    rows = [[str(e.number), e.at, e.kind, _name(e), e.tell("; ", "→")] for e in events]
    yield from draw_table(["no.", "when (UTC)", "what", "model", "why"], rows, (1, 2, 3, 4))


def show_models(models: Iterable[Model]) -> Iterator[str]:
    """Yield a table of the versions of models."""
    audits = {None: "none", True: "passed", False: "failed"}
    rows = [
        [m.model_id, m.version, str(m.state), m.since, "OK" if m.supply_chain else "not OK", audits[m.audit]]
        for m in models
    ]
    yield from draw_table(["model", "version", "state", "since (UTC)", "supply chain", "audit"], rows, range(6))


def show_run(run: Explanation) -> Iterator[str]:
    """Yield a table of who ran, with the facts and figures, and who won by what."""
    first = run.values[0]
    prompt = visible_line(str(first["prompt_hash"])[:19])
    yield f"run {visible_line(run.run_id)}, prompt {prompt}…, {first['timestamp']}"
    titles = ["model", "version", "role", "result", "q0", "q1", "cost", "refusal", "reward", "stable", "why"]
    rows = []
    for row, value in zip(run.rows, run.values, strict=True):
        won = "winner" if row.model_id == run.verdict.winner and row.competes else value.get("role", "candidate")
        rows.append(
            [
                *(row.model_id, row.version or "–", str(won), str(value["verifier_result"]), str(value["q0"])),
                *("–" if row.q1 is None else f"{row.q1:g}", f"{row.cost:.4f}", f"{row.refusal_penalty:g}"),
                *(f"{row.reward:.4f}", "yes" if row.stable else "no", str(value.get("reason") or "")[:60]),
            ]
        )
    yield from draw_table(titles, rows, (0, 1, 2, 3, 9, 10))
    yield from (f"problem: {visible_line(problem.what)}" for problem in run.verdict.problems)
    yield _tell_winner(run)


def _tell_winner(run: Explanation) -> str:
    verdict, first = run.verdict, run.rows[0]
    formula = "reward = q0 + beta·q1 - lambda·cost - pi·refusal"
    if verdict.incomplete:
        wanted = counted(first.candidates or 0, "row is", "rows are")
        return f"{len(run.rows)} of {wanted} there: its writer was killed, and nobody won"
    if verdict.winner is None:
        served = run.values[0].get("served_by")
        return "nobody won" + (f"; {visible_line(str(served))} served as the fallback" if served else "")
    ties = {
        "cost": "of equal rewards the lower cost",
        "stable": "of equal rewards and costs the stable one",
        "model_id": "of equals the first by its id",
    }
    how = ties.get(verdict.tie_break or "", "the highest reward of those that passed")
    return f"{visible_line(verdict.winner)} won: {how} ({formula}; {first.metric.name})"


def _name(event: Happening) -> str:
    return f"{event.model_id}@{event.version}" if event.model_id else ""
