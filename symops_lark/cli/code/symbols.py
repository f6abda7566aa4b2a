"""`symops code symbols`: what a file or a folder defines."""

from __future__ import annotations

import click

from ..code_view import look, look_options


@click.command(name="symbols")
@click.argument("path", metavar="[PATH]", default=".")
@click.option("--kind", metavar="KIND", help="Only those of a kind: class, function, method, …")
@look_options
def command(path: str, kind: str | None, root: str, limit: int, as_json: bool) -> int:
    """Show what a file or a folder defines.

    Exit code 0: something was found; 1: nothing was; 2: bad arguments or files.
    """
    return look("get_symbols", root, as_json, path=path, kind=kind, limit=limit)
