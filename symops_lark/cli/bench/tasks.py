"""`symops bench tasks`: what is asked in the benchmark, and what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..options import json_option
from ..tables import draw_table
from ..texts import echo, write_json, write_text
from ..view import paint, visible

if TYPE_CHECKING:
    from ...compliance.tasks import Task


@click.command(name="tasks", short_help="List the tasks, or show some.")
@click.argument("names", metavar="[NAME|GLOB|DIR]...", nargs=-1)
@click.option(
    "-f",
    "--format",
    "format",
    default="v2_1",
    show_default=True,
    metavar="NAME|FILE",
    help="The format that the right reply is shown in.",
)
@json_option
def tasks_command(names: tuple[str, ...], format: str, as_json: bool) -> int:
    """List the tasks of the benchmark; a name shows one: its request, and the reply that would be right.

    Globs and folders of your own (`./my-tasks/`) are listed; a file (`./my-tasks/one.md`) is shown.
    """
    from ...compliance.formats import load_format
    from ...compliance.tasks import load_tasks

    tasks = load_tasks(names)
    if as_json:
        write_json([_to_dict(task) for task in tasks])
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
        rows = [
            [
                task.name,
                str(len(task.document.actions)),
                str(_files(task)),
                "yes" if task.dictated else "no",
                ", ".join(task.languages),
                ", ".join(task.tags),
            ]
            for task in tasks
        ]
        echo(draw_table(("task", "actions", "files", "dictated", "languages", "tags"), rows, texts=(0, 4, 5)))
        echo(["", f"{len(tasks)} tasks"])
    return 0


def _files(task: Task) -> int:
    return sum(action.content is not None for action in task.document.actions)


def _facts(task: Task) -> str:
    words = ["dictated" if task.dictated else "free", ", ".join(task.languages) or "no files", ", ".join(task.tags)]
    return "; ".join(filter(None, words))


def _to_dict(task: Task) -> dict[str, Any]:
    return {
        "name": task.name,
        "dictated": task.dictated,
        "languages": list(task.languages),
        "tags": list(task.tags),
        "fingerprint": task.fingerprint,
        "request": task.request,
        "document": task.document.to_dict(),
    }
