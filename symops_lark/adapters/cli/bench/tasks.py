"""`symops bench tasks`: what is asked in the benchmark, and what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ....core.ground.json_objects import write_object
from ....core.ground.numbers import counted
from ..colours import paint
from ..options import format_option, json_option
from ..tables import draw_table
from ..texts import echo, write_json, write_text
from ..visibility import visible

if TYPE_CHECKING:
    from ....lab.benchmark.tasks import Task

_TOLD = ("name", "dictated", "languages", "tags", "fingerprint", "request", "document")


@click.command(name="tasks")
@click.argument("names", metavar="[NAME|GLOB|DIR]...", nargs=-1)
@format_option("v2_1", "The format of the correct reply.")
@json_option
def command(names: tuple[str, ...], format: str, as_json: bool) -> int:
    """List the tasks of the benchmark, or show one.

    The name of a task, or its file (`./my-tasks/one.md`), shows its request and the correct reply.
    Globs and custom folders (`./my-tasks/`) are listed.
    """
    from ....lab.benchmark.formats import load_format
    from ....lab.benchmark.tasks import load_tasks

    tasks = load_tasks(names)
    if as_json:
        write_json([write_object(task, *_TOLD) for task in tasks])
    elif len(tasks) == 1 and names:
        [task] = tasks
        echo([paint(visible(task.name), bold=True) + ": " + visible(_facts(task)), "", paint("request", bold=True)])
        write_text(task.request + "\n")
        writer = load_format(format)
        reason = writer.refuse(task.document)
        echo(["", paint(f"reply in {visible(writer.name)}", bold=True)])
        if reason:
            echo([visible(reason)])
        else:
            write_text(writer.write(task.document))
    else:
        titles = ("task", "actions", "files", "dictated", "languages", "tags")
        echo(draw_table(titles, list(map(_cells, tasks)), texts=(0, 4, 5)))
        echo(["", counted(len(tasks), "task")])
    return 0


def _cells(task: Task) -> list[str]:
    files = sum(action.content is not None for action in task.document.actions)
    counts = (str(len(task.document.actions)), str(files), "yes" if task.dictated else "no")
    return [task.name, *counts, ", ".join(task.languages), ", ".join(task.tags)]


def _facts(task: Task) -> str:
    words = ["dictated" if task.dictated else "free", ", ".join(task.languages) or "no files", ", ".join(task.tags)]
    return "; ".join(filter(None, words))
