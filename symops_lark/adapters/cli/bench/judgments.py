"""`symops bench judgments`: measure how often readers find the rule that holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.json_objects import write_object
from ....core.ground.numbers import counted
from ..colours import paint
from ..options import (
    base_url_option,
    json_option,
    log_option,
    quiet_option,
    reply_options,
    seed_option,
)
from ..progress import show_progress
from ..run_logs import name_log, read_source
from ..tables import draw_table
from ..texts import echo, write_json
from ..visibility import visible

if TYPE_CHECKING:
    from ....lab.benchmark.judgments.measures import Outcome
    from ....lab.benchmark.judgments.running import JudgmentRun

_SIMULATED = "simulated"


@click.command(name="judgments")
@click.option(
    "-t",
    "--task",
    "tasks",
    multiple=True,
    metavar="NAME|GLOB",
    help="Use only these tasks; may be repeated. Default: all tasks.",
)
@click.option(
    "-s",
    "--source",
    default=_SIMULATED,
    metavar="SOURCE",
    help=(
        "The source of replies: simulated, local-model, PROVIDER:MODEL or the log of an earlier "
        "run."
    ),
)
@click.option(
    "-n",
    "--repetitions",
    type=click.IntRange(min=1),
    default=1,
    help="Number of replies to each task.",
)
@seed_option
@reply_options
@base_url_option
@log_option
@click.option("--each", is_flag=True, help="Also show the outcome for each kind of damage.")
@json_option
@quiet_option
def command(
    tasks: tuple[str, ...],
    source: str,
    base_url: str | None,
    out: str | None,
    each: bool,
    as_json: bool,
    quiet: bool,
    **settings: Any,
) -> int:
    """Measure how reliably judgments of steps are read.

    A model is asked in all three ways which rule holds at the end of a step, and each reader reads
    the replies. Simulated replies are correct answers that are damaged in one of many ways, each
    equally often: the figures show which damage is repaired, and describe no real model. An
    interrupted run is resumed by the same command. The log of an earlier run can be read again.
    Other readers (json-repair, BAML) are included if they are installed.

    Exit code 0: the run is complete; 2: bad arguments, or a log that is not of this run.
    \f

    Args:
        tasks: The tasks; none: all of them.
        source: The source of replies, or a log.
        base_url: The address of the provider.
        out: The file of the log.
        each: Whether each kind of damage is shown.
        as_json: Whether the figures are printed as JSON.
        quiet: Whether no progress is shown.
        settings: The other options of the run.
    """
    from ....lab.benchmark.judgments.measures import judge_all
    from ....lab.benchmark.judgments.running import read_judgments, run_judgments
    from ....lab.benchmark.settings import RunSettings

    # A log is read again: later readers can judge the replies of earlier runs.
    if Path(source).is_file():
        out = source
        run = read_judgments(source)
    else:
        # Simulated judgments are made here: `symops bench run` does not have this source.
        name = source
        options: tuple[tuple[str, str], ...] = ()
        if source != _SIMULATED:
            name, options = read_source(source, base_url=base_url)
        # Judgments have three ways instead of formats.
        run_settings = RunSettings((), tasks, name, options, **settings)
        out = out or name_log("judgments", run_settings)
        with show_progress("judgments", quiet=quiet) as step:
            run = run_judgments(run_settings, out, watch=step)
    # The log has replies, not outcomes: the installed readers decide.
    outcomes = judge_all(run)
    if as_json:
        write_json(_to_dict(run, outcomes))
        return 0
    echo(_show(run, outcomes))
    if each:
        echo(_show_damage(outcomes))
    echo([f"\nlog: {visible(out)}"])
    return 0


def _to_dict(run: JudgmentRun, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    from ....lab.benchmark.judgments.measures import by_damage, sum_up

    # Counts instead of rates: a rate can be computed from them, with any interval.
    rows = []
    for row in sum_up(outcomes):
        counts = {figure.name: figure.k or 0 for figure in row.figures}
        rows.append(write_object(row, "reader", "part", "calls") | _counts(counts))
    kinds = []
    for stage, kind, readers in by_damage(outcomes):
        by_reader = {reader: _counts(counts) for reader, counts in readers.items()}
        kinds.append({"stage": stage, "damage": kind, "readers": by_reader})
    return {
        "provenance": run.provenance,
        "records": len(run.records),
        "rows": rows,
        "damage": kinds,
    }


def _show(run: JudgmentRun, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a table for all stages in turn, and one for each stage alone."""
    from ....lab.benchmark.judgments.measures import ALL, OUTCOMES, sum_up
    from ....lab.benchmark.report.words import cell

    judgments = counted(len(run.records), "judgment")
    facts = f"{judgments}, {counted(len(run.tasks), 'task')}"
    yield paint(f"{run.provenance}: {facts}; 95 % intervals, tasks resampled", bold=True)
    for part, rows in groupby(sum_up(outcomes), attrgetter("part")):
        titles = [part, *OUTCOMES]
        # One stage alone is always one call.
        if part == ALL:
            titles.append("calls")
        cells = []
        for row in rows:
            figures = [cell(figure, with_n=False) for figure in row.figures]
            cells.append([row.reader, *figures, f"{row.calls:.2f}"][: len(titles)])
        yield ""
        yield from draw_table(titles, cells)


def _show_damage(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a table for each stage: the outcomes of each reader by kind of damage."""
    from ....lab.benchmark.judgments.measures import OUTCOMES, by_damage

    for stage, rows in groupby(by_damage(outcomes), itemgetter(0)):
        titles = [f"stage {stage}: {' / '.join(OUTCOMES)}"]
        cells = []
        for _, kind, readers in rows:
            # Every kind of damage is read by all readers, in the same order.
            titles[1:] = readers
            # Three numbers a cell, in the order of the title.
            line = [kind]
            for counts in readers.values():
                numbers = [str(counts[outcome]) for outcome in OUTCOMES]
                line.append(" / ".join(numbers))
            cells.append(line)
        yield ""
        yield from draw_table(titles, cells)


def _counts(counts: Mapping[str, int]) -> dict[str, int]:
    from ....lab.benchmark.judgments.measures import OUTCOMES

    members = {name.replace(" ", "_"): counts.get(name, 0) for name in OUTCOMES}
    return {"n": sum(counts.values()), **members}
