"""`symops code`: looking into a folder of code by the tools that sessions use. One file per command."""

from __future__ import annotations

import click

from ..folders import CommandFolder


@click.group(name="code", cls=CommandFolder, package=__name__)
def code_group() -> None:
    """Look into a folder of code: definitions, uses, texts, structure."""
