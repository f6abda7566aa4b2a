"""`symops why`: the story of a run."""

from __future__ import annotations

import click

from ....core.ground.errors import SymOpsError
from ..options import json_option
from ..texts import complain, echo, print_result, write_json
from ..visibility import visible
from .show import show_runs

_LAST = 10  # runs that are listed


@click.command(name="why")
@click.argument("run", default="", metavar="[RUN]")
@click.option(
    "--root",
    default=".",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="The folder of the task.",
)
@click.option(
    "--log", metavar="DIR", help="The folder of the runs. Default: one in your state folder."
)
@json_option
def command(run: str, root: str, log: str | None, as_json: bool) -> int:
    """Explain a run of `symops do`.

    The first line is the reason of its end; then what was looked at, which models were asked and
    why each failed, what was written, how it was judged, and the cost. RUN is an id or its
    beginning.
    Without a RUN the last runs are listed.

    Exit code 0: it is explained; 1: its log was changed; 2: there is no such run.
    \f

    Args:
        run: The run.
        root: The folder of the task.
        log: The folder of runs.
        as_json: Whether it is printed as JSON.
    """
    from ....agent import Run, read_run
    from ....agent.run_log import list_runs, read_events, runs_folder

    # A RUN that is empty, as of an unset variable, lists the runs: it harms nothing.
    if run:
        story = read_run(run, root, log)
        print_result(story, map(visible, story.story()), as_json)
        return 0
    # Logs are read whole: ten of them, as they are listed for people.
    runs = []
    is_damaged = False
    for path in list_runs(runs_folder(root, log))[:_LAST]:
        try:
            runs.append(Run(read_events(path)))
        except SymOpsError as error:
            # The others can still be explained.
            complain(str(error))
            is_damaged = True
    if as_json:
        write_json([{"id": row.id, "status": str(row.status), "why": row.why} for row in runs])
    else:
        echo(show_runs(runs))
    return 1 if is_damaged else 0
