"""`symops code files`: files by their names."""

from __future__ import annotations

import click

from ..code_view import look, look_options


@click.command(name="files")
@click.argument("pattern", metavar="PATTERN")
@look_options
def command(pattern: str, root: str, limit: int, as_json: bool) -> int:
    """Show the files whose path holds PATTERN, or fits it as a glob (`*.py`, `src/**/test_*`).

    Exit code 0: something was found; 1: nothing was; 2: bad arguments or files.
    """
    return look("search_files", root, as_json, pattern=pattern, limit=limit)
