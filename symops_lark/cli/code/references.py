"""`symops code references`: where a symbol is used."""

from __future__ import annotations

import click

from ..code_view import look, look_options, within_option


@click.command(name="references")
@click.argument("symbol", metavar="SYMBOL")
@click.option("--definition", metavar="PATH[:LINE]", help="Which of several definitions of that name is meant.")
@within_option
@look_options
def command(symbol: str, definition: str | None, path: str | None, root: str, limit: int, as_json: bool) -> int:
    """Show where a symbol is used: what surely means it first, then what may.

    Exit code 0: something was found; 1: nothing was; 2: bad arguments or files.
    """
    return look("find_references", root, as_json, symbol=symbol, path=path, limit=limit, definition=definition)
