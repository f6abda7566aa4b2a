"""`symops bench run`: ask, judge the replies, and write a log of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.numbers import counted
from ..completing import complete_from, find_sources
from ..options import (
    FloatRange,
    attempts_option,
    base_url_option,
    count_processors,
    find_given,
    formats_option,
    out_option,
    quiet_option,
    repetitions_option,
    reply_options,
    rules_option,
    seed_option,
    split_names,
    tasks_option,
)
from ..run_logs import name_log, read_source
from ..run_view import RunView, show_run
from ..texts import complain, echo

if TYPE_CHECKING:
    from ....lab.benchmark.records import Record

_REQUESTS = 4  # to a model at the same time; more run into the limits of providers
_MAX_REASONS = 3  # of failures; the log has all


@click.command(name="run")
@formats_option(
    "A format: a dialect, a .lark file, json, …; may be repeated or a list with "
    "commas. Default: those of the source, else v1, v2, v2_1 and plain."
)
@tasks_option
@click.option(
    "-s",
    "--source",
    default="faults",
    metavar="SOURCE",
    shell_complete=complete_from(find_sources),
    help="The source of replies: faults, local-model, PROVIDER:MODEL or a path of transcripts.",
)
@click.option(
    "--profile",
    metavar="NAME|FILE",
    help="The profile of the fault model: the rate of each kind of mistake.",
)
@repetitions_option(1)
@seed_option
@rules_option
@attempts_option
@reply_options
@base_url_option
@click.option("--constrained", is_flag=True, help="Constrain decoding with the dialect's grammar.")
# For options that only one source has.
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
    help=("Number of parallel jobs. Default: 4 requests to a model, else one job per processor."),
)
@click.option(
    "--engine",
    default="local",
    metavar="NAME",
    help="The engine that runs the jobs: local or dask.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="With dask: the address of the scheduler. Default: start a cluster on this machine.",
)
@out_option
@click.option(
    "--cache",
    "caches",
    multiple=True,
    metavar="RUN.jsonl",
    help="Reuse the replies of an older log; may be repeated.",
)
@click.option(
    "--price-in", type=FloatRange(min=0), metavar="PRICE", help="Price per million input tokens."
)
@click.option(
    "--price-out", type=FloatRange(min=0), metavar="PRICE", help="Price per million output tokens."
)
@click.option(
    "--report", metavar="FILE", help="Also write the report to FILE (.md, .json or .html)."
)
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
    **further: Any,
) -> int:
    """Run the benchmark and write a run log.

    A model, or a simulation of one, replies to tasks in formats. The log has a record of each reply
    with its result after each phase. An interrupted run is resumed by the same command, and no
    request is sent twice. A failed call is a record, too. Keys are taken from the environment
    (OPENAI_API_KEY, ANTHROPIC_API_KEY, …).

    Exit code 0: the run is complete; 1: some calls failed; 2: bad arguments, or a log that is not
    of this run.
    \f

    Args:
        formats: The formats.
        tasks: The tasks; none: all of them.
        source: The source of replies.
        profile: The profile of the fault model.
        base_url: The address of the provider.
        constrained: Whether decoding is constrained.
        options: Other options of the source.
        jobs: The number of parallel jobs.
        engine: The engine that runs the jobs.
        scheduler: The address of the scheduler.
        out: The file of the log.
        caches: Older logs whose replies are reused.
        price_in: The price per million input tokens.
        price_out: The price per million output tokens.
        report: The file of the report.
        quiet: Whether no progress is shown.
        further: The other settings of the run.

    Raises:
        UsageError: An option of the source is not NAME=VALUE, or recorded replies have attempts.
    """
    from ....lab.benchmark.runner import Setup, run
    from ....lab.benchmark.settings import RunSettings

    # A wrong name of the report must not be found after hours.
    if report is not None:
        from ....lab.benchmark.report import find_form

        find_form(report)
    chosen = {}
    for option in options:
        key, sign, value = option.partition("=")
        if not sign or not key:
            raise click.UsageError(f"--option {option}: it is NAME=VALUE")
        chosen[key] = value
    # The named options win over --option.
    if profile is not None:
        chosen["profile"] = profile
    if base_url is not None:
        chosen["base_url"] = base_url
    if constrained:
        chosen["constrained"] = "yes"
    # Unknown options are an error of the source, which knows its own.
    name, source_options = read_source(source, **chosen)
    # It has a default, which is not a choice of the user.
    if name == "transcripts" and "attempts" in find_given(click.get_current_context()):
        raise click.UsageError("--attempts: no model can be asked again for a recorded reply")
    settings = RunSettings(
        split_names(formats), split_names(tasks), name, source_options, **further
    )
    out = out or name_log("bench", settings)
    # Requests to a model mostly wait; other jobs keep a processor busy.
    if jobs is None:
        jobs = _REQUESTS if name in ("live", "local-model") else count_processors()
    # The view holds the progress, which a message after an interrupt needs.
    view = RunView(out, price_in, price_out, quiet)
    try:
        with view:
            records = run(settings, out, Setup(engine, jobs, scheduler, caches), watch=view.watch)
    except KeyboardInterrupt:
        complain(f"{out} has {view.done} of {view.total} records; the same command resumes the run")
        raise
    echo(show_run(records))
    echo([f"\nlog: {out}"])
    # The libraries of reports are imported only here.
    if report is not None:
        from ....lab.benchmark.report import write_report

        write_report(records, report)
    return _report_failures(records)


def _report_failures(records: Sequence[Record]) -> int:
    """Write the most frequent reasons on standard error, and return the exit code."""
    # Failed calls mostly have the same reason, such as a missing key.
    reasons = Counter(record.error for record in records if record.error)
    if not reasons:
        return 0
    cases = counted(len(records), "case has", "cases have")
    complain(f"{reasons.total()} of {cases} no result:")
    for reason, count in reasons.most_common(_MAX_REASONS):
        complain(f"  {counted(count, 'time')}: {reason}")
    if len(reasons) > _MAX_REASONS:
        remaining = counted(len(reasons) - _MAX_REASONS, "other reason")
        complain(f"  and {remaining}; the log has them all")
    # A failed call is a record, so the same log would not try it again.
    complain("to try them again: another --out, and this log as --cache")
    return 1
