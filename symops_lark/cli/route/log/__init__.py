"""`symops route log`: whether a run log follows, what it comes to, why a run was won. One file per command."""

from __future__ import annotations

import click

from ...folders import CommandFolder


@click.group(name="log", cls=CommandFolder, package=__name__, short_help="Verify, count and explain run logs.")
def command() -> None:
    """Verify, count and explain run logs; score them again by another metric."""
