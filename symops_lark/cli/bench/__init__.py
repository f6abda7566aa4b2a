"""`symops bench`: how often models obey, and whether what they meant is recovered. One file per command."""

from __future__ import annotations

import click

from ..folders import CommandFolder


@click.group(name="bench", cls=CommandFolder, package=__name__, old_names={"sweep": "sensitivity"})
def bench_group() -> None:
    """Measure how often models obey a format, and whether what they meant is recovered."""
