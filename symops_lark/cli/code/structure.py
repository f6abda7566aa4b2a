"""`symops code structure`: how a folder or a file is made."""

from __future__ import annotations

import click

from ..code_view import look, look_options


@click.command(name="structure")
@click.argument("path", metavar="[PATH]", default=".")
@look_options
def command(path: str, root: str, limit: int, as_json: bool) -> int:
    """Show the parts of a folder or a file; with --json also what imports what.

    Exit code 0: something was found; 1: nothing was; 2: bad arguments or files.
    """
    return look("analyze_structure", root, as_json, path=path, limit=limit)
