"""`symops code semantic`: what may be meant by some words."""

from __future__ import annotations

import click

from ..code_view import look, look_options, within_option


@click.command(name="semantic")
@click.argument("query", metavar="WORDS")
@within_option
@look_options
def command(query: str, path: str | None, root: str, limit: int, as_json: bool) -> int:
    """Show what may be meant by some WORDS, synonyms included: guesses.

    Exit code 0: something was found; 1: nothing was; 2: bad arguments or files.
    """
    return look("semantic_search", root, as_json, query=query, path=path, limit=limit)
