"""`symops route`: specialist models, from their manifests to who answers. One file per command."""

from __future__ import annotations

import click

from ..folders import CommandFolder


@click.group(name="route", cls=CommandFolder, package=__name__)
def route_group() -> None:
    """Let specialist models compete for a request; who passes and costs least answers."""
