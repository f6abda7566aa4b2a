"""`symops bench run`: ask, judge, and write it all down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.numbers import counted
from ..completing import complete_from, find_sources
from ..options import (
    attempts_option,
    base_url_option,
    count_processors,
    formats_option,
    quiet_option,
    repetitions_option,
    reply_options,
    rules_option,
    seed_option,
    tasks_option,
)
from ..run_logs import name_log
from ..run_view import RunView, show_run
from ..texts import complain, echo

if TYPE_CHECKING:
    from ....lab.benchmark.records import Record

_AT_ONCE = 4  # requests to a model
_REASONS = 3


@click.command(name="run")
@formats_option(
    "A format: a dialect, a .lark file, json, …; may be repeated or a list with "
    "commas. Default: those of the source, else v1, v2, v2_1 and plain."
)
@tasks_option
@click.option(
    "-s",
    "--source",
    "source",
    default="faults",
    metavar="SOURCE",
    shell_complete=complete_from(find_sources),
    help="The source of replies: faults, local-model, PROVIDER:MODEL or a path of transcripts.",
)
@click.option(
    "--profile", metavar="NAME|FILE", help="The profile of the fault model: the rate of each kind of mistake."
)
@repetitions_option(1)
@seed_option
@rules_option
@attempts_option
@reply_options
@base_url_option
@click.option("--constrained", is_flag=True, help="Constrain decoding with the dialect's grammar.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set another option of the source; may be repeated.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of parallel jobs. Default: 4 requests to a model, else one job per processor.",
)
@click.option("--engine", default="local", metavar="NAME", help="The engine that runs the jobs: local or dask.")
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="With dask: the address of the scheduler. Default: start a cluster on this machine.",
)
@click.option(
    "-o",
    "--out",
    metavar="RUN.jsonl",
    help="Write the run log to this file. Default: a name derived from the settings.",
)
@click.option(
    "--cache", "caches", multiple=True, metavar="RUN.jsonl", help="Reuse the replies of an older log; may be repeated."
)
@click.option("--price-in", type=click.FloatRange(min=0), metavar="PRICE", help="Price per million input tokens.")
@click.option("--price-out", type=click.FloatRange(min=0), metavar="PRICE", help="Price per million output tokens.")
@click.option("--report", metavar="FILE", help="Also write the report to FILE (.md, .json or .html).")
@quiet_option
def command(
    formats: tuple[str, ...],
    tasks: tuple[str, ...],
    source: str,
    profile: str | None,
    base_url: str | None,
    constrained: bool,
    options: tuple[str, ...],
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    out: str | None,
    caches: tuple[str, ...],
    price_in: float | None,
    price_out: float | None,
    report: str | None,
    quiet: bool,
    **asking: Any,
) -> int:
    """Run the benchmark and write a run log.

    A model, or a simulation of one, replies to tasks in formats. The log has a record of each reply
    with its result after each phase. An interrupted run is resumed by the same command, and no
    request is sent twice. A failed call is a record, too. Keys are taken from the environment
    (OPENAI_API_KEY, ANTHROPIC_API_KEY, …).

    Exit code 0: the run is complete; 1: some calls failed; 2: bad arguments, or a log that is not
    of this run.
    """
    from ....lab.benchmark.runner import Setup, run
    from ....lab.benchmark.settings import RunSettings
    from ....lab.benchmark.sources import find_source

    if report is not None:  # before anything is asked
        from ....lab.benchmark.report import find_form

        find_form(report)
    name, found = find_source(source)
    for option in options:
        key, sign, value = option.partition("=")
        if not sign or not key:
            raise click.UsageError(f"--option {option}: it is NAME=VALUE")
        found[key] = value
    found |= {key: value for key, value in (("profile", profile), ("base_url", base_url)) if value is not None}
    if constrained:
        found["constrained"] = "yes"
    settings = RunSettings(_split(formats), _split(tasks), name, tuple(sorted(found.items())), **asking)
    out = out or name_log("bench", settings)
    setup = Setup(
        engine, jobs or (_AT_ONCE if name in ("live", "local-model") else count_processors()), scheduler, caches
    )
    view = RunView(out, price_in, price_out, quiet)
    try:
        with view:
            records = run(settings, out, setup, watch=view.watch)
    except KeyboardInterrupt:
        complain(f"{out} has {view.done} of {view.total} records; the same command goes on from there")
        raise
    echo(show_run(records))
    echo([f"\nlog: {out}"])
    if report is not None:
        from ....lab.benchmark.report import write_report

        write_report(records, report)
    return _tell_failures(records)


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    parts = [part.strip() for value in values for part in value.split(",")]
    return tuple(dict.fromkeys(filter(None, parts)))


def _tell_failures(records: Sequence[Record]) -> int:
    failed = [record for record in records if record.error]
    if not failed:
        return 0
    reasons = Counter(record.error for record in failed).most_common()
    complain(f"{len(failed)} of {counted(len(records), 'case has', 'cases have')} no result:")
    for reason, count in reasons[:_REASONS]:
        complain(f"  {counted(count, 'time')}: {reason}")
    if len(reasons) > _REASONS:
        complain(f"  and {counted(len(reasons) - _REASONS, 'other reason')}; the log has them all")
    complain("to try them again: another --out, and this log as --cache")
    return 1
