"""`symops route log why`: who ran, and why the winner won."""

from __future__ import annotations

from pathlib import Path

import click

from ...options import json_option
from ...routing_view import log_argument, show_run
from ...texts import tell


@click.command(name="why", short_help="Explain who won a run, and by what.")
@click.argument("run", metavar="RUN")
@log_argument
@json_option
def command(run: str, log: str, as_json: bool) -> int:
    """Show the candidates of a run with their facts and figures, who won, and by what tie-break if rewards were equal.

    Exit code 1 if its rows contradict each other. LOG may also stand before RUN.
    """
    from ....routing import explain_run

    if Path(run).is_file() and not Path(log).is_file():
        run, log = log, run
    found = explain_run(log, run)
    tell({"run_id": run, "rows": found.values, "verdict": found.verdict}, show_run(found), as_json)
    return 1 if found.verdict.problems else 0
