"""`symops gate`: sessions that look before they write, by hand; the same as those of `symops serve`."""

from __future__ import annotations

import click

from ..folders import CommandFolder


@click.group(name="gate", cls=CommandFolder, package=__name__)
def gate_group() -> None:
    """Work on a request so that every write rests on code that was looked at.

    The sessions are those of `symops serve`, kept in the user's state folder. Exit code 0: it was done, or is allowed;
    1: it was refused, and the answer says why and how to go on; 2: bad arguments, or no such session.
    """
