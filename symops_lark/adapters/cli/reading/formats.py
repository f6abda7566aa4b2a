"""`symops formats`: the installed formats of other agents."""

from __future__ import annotations

import click

from ..colours import paint
from ..options import json_option
from ..texts import echo, write_json
from ..visibility import visible


@click.command(name="formats")
@json_option
def command(as_json: bool) -> int:
    """List the formats of other agents.

    Each is a notation for files, edits and commands: its name, the verbs that it can express, and
    whose it is.
    """
    from ....core.formats.loading import formats

    rows = [
        {"name": format.name, "verbs": sorted(format.can), "description": format.description}
        for format in formats().values()
    ]
    if as_json:
        write_json(rows)
        return 0
    for format in formats().values():
        verbs = ", ".join(sorted(format.can))
        echo([f"{paint(format.name, bold=True)}  {verbs}", f"    {visible(format.description)}"])
    return 0
