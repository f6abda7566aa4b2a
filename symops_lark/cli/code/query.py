"""`symops code query`: what code is about some words."""

from __future__ import annotations

import click

from ..code_view import look, look_options, within_option


@click.command(name="query")
@click.argument("text", metavar="WORDS")
@within_option
@look_options
def command(text: str, path: str | None, root: str, limit: int, as_json: bool) -> int:
    """Show definitions and files for some WORDS, the best first.

    Exit code 0: something was found; 1: nothing was; 2: bad arguments or files.
    """
    return look("query", root, as_json, text=text, path=path, limit=limit)
