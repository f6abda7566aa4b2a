"""The report as Markdown, the source of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...core.ground.numbers import counted
from ...lab.benchmark.figures import Figure
from ...lab.benchmark.report.words import cell, code, plain, table
from ...lab.measuring.statistics import Rate
from ..logs.comparison import Comparison
from ..logs.tallies import PASS_WINDOW, WIN_WINDOW, Key, Tally
from .facts import RoutingReport, find_front

_PROBLEMS = 20
_SHOWN = ("MODEL_REGISTERED", "MODEL_CHECKED", "MODEL_AUDITED", "MODEL_PROMOTED", "MODEL_DEMOTED", "EVAL_METRIC_CHANGE")
HOW_TO_READ = f"""\
## How to read this

- **A rate** stands with its 95 % interval (Clopper and Pearson's, exact) and its n. Rows of one prompt are more alike
  than others: where prompts repeat, the intervals are too narrow.
- **Won** counts among the runs in which the model competed with another one and a winner was decided.
- **Newest** are the last {PASS_WINDOW} rows and the last {WIN_WINDOW:,} such runs: promotion takes 95 % of the first
  and 20 % of the second, and nobody is promoted on fewer.
- **On the front** is a model that no other one beats in both: a lower mean cost and a higher rate of passes.
- **Contests** are whole runs in which several models competed. The *best single* model is the one with the most passes;
  the *oracle* always asks the cheapest model that passes. A router that is worth its calls passes more than the first,
  and never more than the second but by a fallback.
- **Rewards** by different metrics are never in one table.
- `symops route log verify` computes each reward and each winner again and names the lines that do not follow;
  `symops route log stats --json` has every figure of the tables; `symops route history` has the events.
"""


def name_model(key: Key) -> str:
    """Return what a model is called in tables and plots."""
    return f"{key.model_id}@{key.version}" if key.version else key.model_id


def write_markdown(report: RoutingReport, *, plots: bool = False) -> str:
    """Return the report as Markdown; with `plots`, an image `plot:METRIC/NAME` marks the place of each plot."""
    lines = ["# Specialist models: who passes, who wins, and at what cost", "", *_head(report), ""]
    for number, metric in enumerate(report.metrics):
        lines += _section(report.tallies(metric), metric, number if plots else None)
        if metric in report.log.comparisons:
            lines += _compare(report.log.comparisons[metric], metric)
    lines += _history(report, len(report.metrics) if plots else None)
    return "\n".join([*lines, HOW_TO_READ])


def _head(report: RoutingReport) -> Iterator[str]:
    log = report.log
    rows, runs = counted(log.rows, "row"), counted(log.runs, "run")
    yield f"{rows} of {code(log.path)}: {runs}, {log.decided:,} of them with a winner."
    yield ""
    if log.ok:
        yield "**Every reward and every winner follows from the rows.**"
    else:
        yield f"**{counted(log.wrong, 'problem')}: the figures below are of a log that does not follow.**"
        cells = [(str(problem.line), plain(problem.what)) for problem in log.problems[:_PROBLEMS]]
        yield from ("", *table(["line", "what does not follow"], cells, 2))
    for note in log.notes:
        yield from ("", f"- {plain(note)}")


def _section(tallies: Sequence[Tally], metric: str, number: int | None) -> Iterator[str]:
    yield from (f"## {code(metric)}", "")
    yield from ("### Passes and wins", "", *_place(number, "rates", "How often each model passed and won"))
    rows = [
        (
            code(name_model(tally.key)),
            f"{tally.sums.rows:,}",
            _cell(tally.pass_rate),
            f"{tally.competed:,}",
            _cell(tally.win_rate),
            _cell(tally.newest_passes),
            _cell(tally.newest_wins),
        )
        for tally in tallies
    ]
    heads = ["model", "rows", "passed", "competed", "won", "newest passed", "newest won"]
    yield from (*table(heads, rows, 1), "", f"Rates by {code(metric)}, with 95 % intervals.", "")
    yield from ("### Reward over time", "", *_place(number, "rewards", "The mean reward over time"))
    yield from (*_over_time(tallies), "", "The mean of each time, and its rows; times are in UTC.", "")
    yield from ("### Cost against quality", "", *_place(number, "front", "Mean cost against the rate of passes"))
    front = find_front(tallies)
    costs = [
        (
            code(name_model(tally.key)),
            f"{tally.sums.mean_cost:.4f}",
            _cell(tally.pass_rate),
            f"{tally.sums.mean_reward:.4f}",
            "yes" if tally.key in front else "no",
        )
        for tally in sorted(tallies, key=lambda each: (each.sums.mean_cost, each.key))
    ]
    yield from table(["model", "mean cost", "passed", "mean reward", "on the front"], costs, 1)
    yield from ("", f"Costs and rewards by {code(metric)}.", "")


def _compare(comparison: Comparison, metric: str) -> Iterator[str]:
    """Yield the router beside the best single model and the oracle."""
    (model_id, version), best = comparison.find_best()
    choices = [
        ("router", comparison.router),
        (f"best single: {code(name_model(Key(model_id, version, metric)))}", best),
        ("oracle", comparison.oracle),
    ]
    rows = [
        (name, f"{each.runs:,}", _cell(each.pass_rate), f"{each.mean_calls:.2f}", f"{each.mean_cost:.4f}")
        for name, each in choices
    ]
    yield from ("### The router beside one model", "")
    yield from table(["who", "contests", "passed", "calls", "cost"], rows, 1)
    yield from ("", f"Contests by {code(metric)}; calls and cost are the mean of a request.", "")


def _over_time(tallies: Sequence[Tally]) -> list[str]:
    rows = []
    for time in sorted({time for tally in tallies for time in tally.periods.sums}):
        found = [tally.periods.sums.get(time) for tally in tallies]
        cells = [f"{sums.mean_reward:.4f}, n {sums.rows:,}" if sums else "–" for sums in found]
        rows.append((time.replace("T", " "), *cells))
    return table(["time", *(code(name_model(tally.key)) for tally in tallies)], rows, 1)


def _history(report: RoutingReport, number: int | None) -> Iterator[str]:
    yield from ("## Promotions", "")
    if not report.events:
        yield from ("There is no registry, or nothing has happened in it.", "")
        return
    yield from _place(number, "states", "Which models were stable, and when")
    models = [
        (code(model.name), str(model.state), _moment(model.since), "OK" if model.supply_chain else "not OK")
        for model in report.models
    ]
    yield from (*table(["model", "state", "since (UTC)", "supply chain"], models, 4), "", "What the registry says.", "")
    rows = []
    for event in report.events:
        if event.kind in _SHOWN:
            name = code(f"{event.model_id}@{event.version}") if event.model_id else ""
            rows.append((str(event.number), _moment(event.at), code(event.kind), name, plain(event.tell(", ", "to"))))
    yield from (*table(["no.", "when (UTC)", "what", "model", "why"], rows, 5), "", "Events of the registry.", "")


def _moment(time: str) -> str:
    """Return a time to the second, on one line."""
    return code(f"{time[:19]}Z")


def _place(number: int | None, name: str, title: str) -> list[str]:
    return [] if number is None else [f"![{title}](plot:{number}/{name})", ""]


def _cell(rate: Rate) -> str:
    """Return a rate for a table, with its interval and its n."""
    if rate.value is None:
        return "–"
    low, high = rate.interval or (None, None)
    return cell(Figure("", "", rate.value, rate.n, rate.k, low, high), with_n=True)
