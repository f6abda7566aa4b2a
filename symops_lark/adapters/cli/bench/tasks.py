"""`symops bench tasks`: list the tasks of the benchmark, with their correct replies."""

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

# The members of a task as JSON.
_MEMBERS = ("name", "dictated", "languages", "tags", "fingerprint", "request", "document")
_TITLES = ("task", "actions", "files", "dictated", "languages", "tags")


@click.command(name="tasks")
@click.argument("names", metavar="[NAME|GLOB|DIR]...", nargs=-1)
@format_option("v2_1", "The format of the correct reply.")
@json_option
def command(names: tuple[str, ...], format: str, as_json: bool) -> int:
    """List the tasks of the benchmark, or show one.

    The name of a task, or its file (`./my-tasks/one.md`), shows its request and the correct reply.
    Globs and custom folders (`./my-tasks/`) are listed.
    \f

    Args:
        names: The tasks; none: all of them.
        format: The format of the reply.
        as_json: Whether the tasks are printed as JSON.
    """
    from ....lab.benchmark.tasks import load_tasks

    tasks = load_tasks(names)
    if as_json:
        write_json([write_object(task, *_MEMBERS) for task in tasks])
    # Without a name the list is shown even if it has one task.
    elif len(tasks) == 1 and names:
        _show(tasks[0], format)
    else:
        echo(draw_table(_TITLES, list(map(_cells, tasks)), texts=(0, 4, 5)))
        echo(["", counted(len(tasks), "task")])
    return 0


def _show(task: Task, format: str) -> None:
    """Print a task with its correct reply, or with the reason why a format has none."""
    from ....lab.benchmark.formats import load_format

    kind = "dictated" if task.dictated else "free"
    facts = [kind, ", ".join(task.languages) or "no files"]
    if task.tags:
        facts.append(", ".join(task.tags))
    title = f"{paint(visible(task.name), bold=True)}: {visible('; '.join(facts))}"
    echo([title, "", paint("request", bold=True)])
    # Byte for byte, so that it can be copied.
    write_text(task.request + "\n")
    writer = load_format(format)
    # Not every format can express every task.
    reason = writer.refuse(task.document)
    echo(["", paint(f"reply in {visible(writer.name)}", bold=True)])
    if reason:
        echo([visible(reason)])
    else:
        write_text(writer.write(task.document))


def _cells(task: Task) -> list[object]:
    # An action without a content, such as a command, writes no file.
    actions = task.document.actions
    return [
        task.name,
        len(actions),
        sum(action.content is not None for action in actions),
        "yes" if task.dictated else "no",
        ", ".join(task.languages),
        ", ".join(task.tags),
    ]
