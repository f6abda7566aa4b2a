"""`symops code text`: lines that texts or patterns occur in."""

from __future__ import annotations

import click

from ..code_view import look, look_options, within_option


@click.command(name="text")
@click.argument("patterns", metavar="PATTERN...", nargs=-1, required=True)
@click.option("-e", "--regex", is_flag=True, help="Each PATTERN is a regular expression in RE2's syntax.")
@click.option("-i", "--ignore-case", is_flag=True, help="Upper and lower case are the same.")
@within_option
@look_options
def command(
    patterns: tuple[str, ...], regex: bool, ignore_case: bool, path: str | None, root: str, limit: int, as_json: bool
) -> int:
    """Show the lines that any PATTERN occurs in.

    Exit code 0: something was found; 1: nothing was; 2: bad arguments or files.
    """
    settings = {"regex": regex, "ignore_case": ignore_case, "limit": limit}
    return look("search_text", root, as_json, patterns=patterns, path=path, **settings)
