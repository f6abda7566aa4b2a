"""`symops code at`: the function or class that a line belongs to."""

from __future__ import annotations

import click

from ..code_view import look, look_options


@click.command(name="at")
@click.argument("path", metavar="FILE")
@click.argument("line", metavar="LINE", type=click.IntRange(1))
@look_options
def command(path: str, line: int, root: str, limit: int, as_json: bool) -> int:
    """Show the function or class that LINE of FILE belongs to; FILE is relative to the root.

    Exit code 0: something was found; 1: nothing was; 2: bad arguments or files.
    """
    return look("get_function_at_line", root, as_json, path=path, line=line)
