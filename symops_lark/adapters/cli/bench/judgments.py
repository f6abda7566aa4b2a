"""`symops bench judgments`: how often the rule that holds is found, and how often a wrong one is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.json_objects import write_object
from ....core.ground.numbers import counted
from ..colours import paint
from ..options import base_url_option, json_option, quiet_option, reply_options, seed_option
from ..progress import show_progress
from ..run_logs import name_log
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
    help="The source of replies: simulated, local-model, PROVIDER:MODEL or the log of an earlier run.",
)
@click.option("-n", "--repetitions", type=click.IntRange(min=1), default=1, help="Number of replies to each task.")
@seed_option
@reply_options
@base_url_option
@click.option(
    "-o",
    "--out",
    metavar="RUN.jsonl",
    help="Write the run log to this file. Default: a name derived from the settings.",
)
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
    **asking: Any,
) -> int:
    """Measure how reliably judgments of steps are read.

    A model is asked in all three ways which rule holds at the end of a step, and each reader reads
    the replies. Simulated replies are correct answers that are damaged in one of many ways, each
    equally often: the figures show which damage is repaired, and describe no real model. An
    interrupted run is resumed by the same command. The log of an earlier run can be read again.
    Other readers (json-repair, BAML) are included if they are installed.

    Exit code 0: the run is complete; 2: bad arguments, or a log that is not of this run.
    """
    from ....lab.benchmark.judgments.measures import by_damage, judge_all, sum_up
    from ....lab.benchmark.judgments.running import read_judgments, run_judgments
    from ....lab.benchmark.settings import RunSettings
    from ....lab.benchmark.sources import find_source

    if Path(source).is_file():
        out, run = source, read_judgments(source)
    else:
        name, found = (source, {}) if source == _SIMULATED else find_source(source)
        found |= {"base_url": base_url} if base_url is not None else {}
        settings = RunSettings((), tasks, name, tuple(sorted(found.items())), **asking)
        out = out or name_log("judgments", settings)
        with show_progress("judgments") as step:
            run = run_judgments(settings, out, watch=(lambda done, total: None) if quiet else step)
    outcomes = judge_all(run)
    if as_json:
        rows = [
            write_object(row, "reader", "part", "calls") | _counts({f.name: f.k or 0 for f in row.figures})
            for row in sum_up(outcomes)
        ]
        kinds = [
            {"stage": stage, "damage": kind, "readers": {reader: _counts(row) for reader, row in readers.items()}}
            for stage, kind, readers in by_damage(outcomes)
        ]
        write_json({"provenance": run.provenance.to_dict(), "records": len(run.records), "rows": rows, "damage": kinds})
        return 0
    echo(_show(run, outcomes, each))
    echo([f"\nlog: {visible(out)}"])
    return 0


def _show(run: JudgmentRun, outcomes: Sequence[Outcome], each: bool) -> Iterator[str]:
    from ....lab.benchmark.judgments.measures import ALL, OUTCOMES, by_damage, sum_up
    from ....lab.benchmark.report.words import cell

    yield paint(
        f"{run.provenance}: {counted(len(run.records), 'judgment')}, {counted(len(run.tasks), 'task')}; "
        "95 % intervals, whole tasks drawn",
        bold=True,
    )
    rows = list(sum_up(outcomes))
    for part in dict.fromkeys(row.part for row in rows):
        yield ""
        own = [row for row in rows if row.part == part]
        cells = [[row.reader, *(cell(figure, with_n=False) for figure in row.figures)] for row in own]
        if part == ALL:
            cells = [[*line, f"{row.calls:.2f}"] for line, row in zip(cells, own, strict=True)]
        yield from draw_table([part, *OUTCOMES, *(["calls"] if part == ALL else [])], cells)
    if not each:
        return
    found = list(by_damage(outcomes))
    for stage in sorted({stage for stage, _, _ in found}):
        yield ""
        names = list(dict.fromkeys(reader for _, _, readers in found for reader in readers))
        table = [
            [kind, *(" / ".join(str(readers[name][outcome]) for outcome in OUTCOMES) for name in names)]
            for at, kind, readers in found
            if at == stage
        ]
        yield from draw_table([f"stage {stage}: {' / '.join(OUTCOMES)}", *names], table)


def _counts(found: Mapping[str, int]) -> dict[str, int]:
    from ....lab.benchmark.judgments.measures import OUTCOMES

    return {"n": sum(found.values()), **{name.replace(" ", "_"): found.get(name, 0) for name in OUTCOMES}}
