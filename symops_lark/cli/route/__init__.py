"""`symops route`: specialist models, who wins, who is promoted. One file per command."""

from __future__ import annotations

import click

from ..folders import CommandFolder


@click.group(name="route", cls=CommandFolder, package=__name__)
def route_group() -> None:
    """Let specialist models compete for a request; log, verify, promote."""
