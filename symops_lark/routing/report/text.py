"""Write the report as Markdown, the source of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, repeat

from ...core.ground.numbers import counted, grouped
from ...lab.benchmark.figures import Figure
from ...lab.benchmark.report.words import cell, code, plain, table
from ...lab.measuring.statistics import Rate
from ..logs.comparison import Comparison
from ..logs.tallies import PASS_WINDOW, WIN_WINDOW, Key, Tally
from .facts import RoutingReport, find_front

_MAX_PROBLEMS = 20
_EVENTS = (
    "MODEL_REGISTERED",
    "MODEL_CHECKED",
    "MODEL_AUDITED",
    "MODEL_PROMOTED",
    "MODEL_DEMOTED",
    "EVAL_METRIC_CHANGE",
)
HOW_TO_READ = f"""\
## How to read this

- **A rate** is given with its 95 % interval (Clopper and Pearson's, exact) and its n. Rows of one
  prompt are more alike than others: where prompts repeat, the intervals are too narrow.
- **Won** counts among the runs in which the model competed with another one and a winner was
  decided.
- **Newest** are the last {PASS_WINDOW} rows and the last {grouped(WIN_WINDOW)} such runs:
  promotion takes 95 % of the first and 20 % of the second, and no model is promoted on fewer.
- **On the front** is a model that no other one beats in both: a lower mean cost and a higher rate
  of passes.
- **Contests** are whole runs in which several models competed. The *best single* model is the one
  with the most passes; the *oracle* always asks the cheapest model that passes. A router that is
  worth its calls passes more than the first, and never more than the second but by a fallback.
- **Rewards** by different metrics are never in one table.
- `symops route log verify` computes each reward and each winner again and names the lines that do
  not follow; `symops route log stats --json` has every figure of the tables; `symops route history`
  has the events.
"""


def name_model(key: Key) -> str:
    """Return the name of a model in tables and plots."""
    # Rows of old logs may have no version.
    return f"{key.model_id}@{key.version}" if key.version else key.model_id


def write_markdown(report: RoutingReport, *, plots: bool = False) -> str:
    """Return the report as Markdown.

    Args:
        report: The content.
        plots: Whether an image `plot:METRIC/NAME` marks the place of each plot.
    """
    lines = ["# Specialist models: who passes, who wins, and at what cost", "", *_head(report), ""]
    # Each section has a number, which is in the addresses of its plots.
    numbers = count() if plots else repeat(None)
    for metric in report.metrics:
        lines += _section(report.tallies(metric), metric, next(numbers))
        if metric in report.log.comparisons:
            lines += _compare(report.log.comparisons[metric], metric)
    lines += _history(report, next(numbers))
    return "\n".join([*lines, HOW_TO_READ])


def _head(report: RoutingReport) -> Iterator[str]:
    log = report.log
    rows = counted(log.rows, "row")
    runs = counted(log.runs, "run")
    yield f"{rows} of {code(log.path)}: {runs}, {grouped(log.decided)} of them with a winner."
    yield ""
    if log.ok:
        yield "**Every reward and every winner follows from the rows.**"
    else:
        problems = counted(log.wrong, "problem")
        yield f"**{problems}: the figures below are of a log that does not follow.**"
        yield ""
        # The reasons quote the log, so that they may look like Markdown.
        cells = [(str(row.line), plain(row.what)) for row in log.problems[:_MAX_PROBLEMS]]
        yield from table(["line", "what does not follow"], cells, 2)
    for note in log.notes:
        yield from ("", f"- {plain(note)}")


def _section(tallies: Sequence[Tally], metric: str, number: int | None) -> list[str]:
    of_metric = f"by {code(metric)}"
    return [
        f"## {code(metric)}",
        "",
        "### Passes and wins",
        "",
        *_plot(number, "rates", "How often each model passed and won"),
        *_rates(tallies),
        *_caption(f"Rates {of_metric}, with 95 % intervals."),
        "### Reward over time",
        "",
        *_plot(number, "rewards", "The mean reward over time"),
        *_over_time(tallies),
        *_caption("The mean of each time, and its rows; times are in UTC."),
        "### Cost against quality",
        "",
        *_plot(number, "front", "Mean cost against the rate of passes"),
        *_costs(tallies),
        *_caption(f"Costs and rewards {of_metric}."),
    ]


def _rates(tallies: Sequence[Tally]) -> list[str]:
    rows = [
        (
            code(name_model(tally.key)),
            grouped(tally.sums.rows),
            _cell(tally.pass_rate),
            grouped(tally.competed),
            _cell(tally.win_rate),
            _cell(tally.newest_passes),
            _cell(tally.newest_wins),
        )
        for tally in tallies
    ]
    heads = ["model", "rows", "passed", "competed", "won", "newest passed", "newest won"]
    return table(heads, rows, 1)


def _costs(tallies: Sequence[Tally]) -> list[str]:
    front = find_front(tallies)
    rows = [
        (
            code(name_model(tally.key)),
            f"{tally.sums.mean_cost:.4f}",
            _cell(tally.pass_rate),
            f"{tally.sums.mean_reward:.4f}",
            "yes" if tally.key in front else "no",
        )
        for tally in sorted(tallies, key=lambda tally: (tally.sums.mean_cost, tally.key))
    ]
    return table(["model", "mean cost", "passed", "mean reward", "on the front"], rows, 1)


def _compare(comparison: Comparison, metric: str) -> list[str]:
    """Return the router beside the best single model and the oracle."""
    (model_id, version), best = comparison.find_best()
    name = code(name_model(Key(model_id, version, metric)))
    choices = {
        "router": comparison.router,
        f"best single: {name}": best,
        "oracle": comparison.oracle,
    }
    rows = [
        (
            title,
            grouped(choice.runs),
            _cell(choice.pass_rate),
            f"{choice.mean_calls:.2f}",
            f"{choice.mean_cost:.4f}",
        )
        for title, choice in choices.items()
    ]
    return [
        "### The router beside one model",
        "",
        *table(["who", "contests", "passed", "calls", "cost"], rows, 1),
        *_caption(f"Contests by {code(metric)}; calls and cost are the mean of a request."),
    ]


def _over_time(tallies: Sequence[Tally]) -> list[str]:
    times = set().union(*(tally.periods.sums for tally in tallies))
    rows = []
    for time in sorted(times):
        cells = [time.replace("T", " ")]
        for tally in tallies:
            sums = tally.periods.sums.get(time)
            value = "–"  # a model may have no row at the time of another one
            if sums is not None:
                value = f"{sums.mean_reward:.4f}, n {grouped(sums.rows)}"
            cells.append(value)
        rows.append(cells)
    names = [code(name_model(tally.key)) for tally in tallies]
    return table(["time", *names], rows, 1)


def _history(report: RoutingReport, number: int | None) -> list[str]:
    lines = ["## Promotions", ""]
    if not report.events:
        return [*lines, "There is no registry, or nothing has happened in it.", ""]
    models = [
        (
            code(model.name),
            str(model.state),
            _moment(model.since),
            "OK" if model.supply_chain else "not OK",
        )
        for model in report.models
    ]
    events = [
        (
            str(event.number),
            _moment(event.at),
            code(event.kind),
            # A change of the metric is not about a model.
            code(f"{event.model_id}@{event.version}") if event.model_id else "",
            plain(event.tell(", ", "to")),
        )
        for event in report.events
        if event.kind in _EVENTS
    ]
    return [
        *lines,
        *_plot(number, "states", "Which models were stable, and when"),
        *table(["model", "state", "since (UTC)", "supply chain"], models, 4),
        *_caption("What the registry says."),
        *table(["no.", "when (UTC)", "what", "model", "why"], events, 5),
        *_caption("Events of the registry."),
    ]


def _caption(text: str) -> tuple[str, ...]:
    # Markdown ends a table, and a paragraph, at an empty line.
    return "", text, ""


def _moment(time: str) -> str:
    """Return a time to the second, as code so that it stays on one line."""
    return code(f"{time[:19]}Z")


def _plot(number: int | None, name: str, title: str) -> list[str]:
    return [] if number is None else [f"![{title}](plot:{number}/{name})", ""]


def _cell(rate: Rate) -> str:
    """Return a rate with its interval and its n."""
    # Without a row there is no rate, not a rate of 0.
    if rate.value is None:
        return "–"
    low, high = rate.interval or (None, None)
    figure = Figure("", "", rate.value, rate.n, rate.k, low, high)
    return cell(figure, with_n=True)
