"""`symops gate look`: files are opened, and count as looked at."""

from __future__ import annotations

import click

from ..sessions import find_session, session_options, tell_answer
from ..texts import echo
from ..visibility import visible_line


@click.command(name="look", short_help="Open files, so that they count as looked at.")
@session_options(click.argument("paths", nargs=-1, required=True, metavar="PATH..."))
def command(session_id: str, paths: tuple[str, ...], root: str, as_json: bool) -> int:
    """Open files, so that they count as looked at; paths are relative to the folder that is worked on."""
    answer = find_session(root, session_id).add_explored_files(list(paths))
    if not as_json:
        echo(f"looked at {visible_line(item['path'])}" for item in answer.get("items", ()))
    return tell_answer(answer, as_json)
