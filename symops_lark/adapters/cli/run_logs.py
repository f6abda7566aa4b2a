"""Run logs: what they are called, and those that a user names, read with the reasons why they cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...core.ground.numbers import counted
from .texts import complain
from .visibility import visible_line

if TYPE_CHECKING:
    from ...lab.benchmark.records import Record
    from ...lab.benchmark.selection import Side
    from ...lab.benchmark.settings import RunSettings


def read_records(name: str) -> tuple[Record, ...]:
    """Read the records of a run log; say what to do about a folder of transcripts, and about an unfinished run."""
    from ...lab.benchmark.runlog import read_log

    if Path(name).is_dir():
        raise click.UsageError(
            f"{name} is a folder, and a report is made of a run log. If it has transcripts:\n"
            f"  symops bench run --source {name} --out run.jsonl --report report.html"
        )
    log = read_log(name)
    if log.missing > 0:
        complain(
            f"{visible_line(name)}: {log.missing:,} of {counted(log.header.cases, 'case is', 'cases are')} not done "
            "yet; the same `symops bench run` goes on with it"
        )
    return log.records


def read_source(source: str, **options: str | None) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the name of a source of replies, and its options with those that are given.

    Args:
        source: The source, as `--source` and `--model` take it.
        options: Options of the source; None: not given.
    """
    from ...lab.benchmark.sources import find_source

    name, values = find_source(source)
    for key, value in options.items():
        if value is not None:
            values[key] = value
    return name, tuple(sorted(values.items()))


def name_log(kind: str, settings: RunSettings) -> str:
    """Name a log after the settings, so that the same command finds it again."""
    from ...lab.benchmark.records import identify

    return f"{kind}-{settings.source}-{identify(settings=settings.to_dict())}.jsonl"


def read_side(name: str, provenance: str | None) -> Side:
    """Read what LOG or LOG:FORMAT means."""
    from ...lab.benchmark.selection import Side

    path, colon, format = name.rpartition(":")
    if not colon or Path(name).exists() or not Path(path).exists():
        path, format = name, ""
    return Side(name, read_records(path), format, provenance or "")
