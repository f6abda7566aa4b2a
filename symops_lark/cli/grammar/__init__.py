"""`symops grammar`: the languages, exactly, and the workbench of those who design them. One file per command."""

from __future__ import annotations

import click

from ..folders import CommandFolder


@click.group(name="grammar", cls=CommandFolder, package=__name__)
def grammar_group() -> None:
    """Show, check, compare and derive grammars: the languages, exactly."""
