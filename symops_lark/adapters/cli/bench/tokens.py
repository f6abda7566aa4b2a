"""`symops bench tokens`: count the model tokens that each format costs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import click

from ....core.ground.json_objects import write_object
from ....core.ground.numbers import counted
from ..colours import paint
from ..options import encodings_option, formats_option, json_option, tasks_option
from ..progress import show_progress
from ..tables import draw_table
from ..texts import echo, write_json
from ..visibility import visible

if TYPE_CHECKING:
    from ....lab.benchmark.tokens import Count, TokenReport

_TITLES = (
    "format",
    "tasks",
    "actions",
    "tokens",
    "contents",
    "all said",  # verbs, paths, contents, texts and numbers
    "markup",  # the other tokens
    "markup/action",
    "all but contents/action",
    "of JSON's",
)
# The kinds of claims of the original notes.
_KINDS = {
    "action": "tokens for one action",
    "task": "tokens for the three-file task",
    "more": "the same, over v1",
}


@click.command(name="tokens")
@formats_option("Count this format; may be repeated. Default: all available formats.")
@tasks_option
@encodings_option
@json_option
def command(
    formats: tuple[str, ...], tasks: tuple[str, ...], encodings: tuple[str, ...], as_json: bool
) -> int:
    """Count the model tokens of each format.

    The tokens are those of the three-file task of the original notes, and of the task set. Each
    format is counted on the tasks that it can express, and compared with JSON on the same ones
    (JSON indented, as function calling writes it). Needs a tokenizer library: pip install
    'symops-lark[workbench]', or [bench] to add those of Llama 3 and Qwen.
    \f

    Args:
        formats: The formats; none: the available ones.
        tasks: The tasks; none: all of them.
        encodings: The encodings; none: the installed ones.
        as_json: Whether the counts are printed as JSON.
    """
    from ....lab.benchmark.formats import known_formats, load_format
    from ....lab.benchmark.tasks import load_tasks
    from ....lab.benchmark.tokens import CLAIMS, SAYING_LESS, THREE_FILES, measure_tokens
    from ....models.prompts.tokens import NO_CLAUDE

    # A format that the user names and that cannot be used is an error of `load_format`.
    reasons = {} if formats else known_formats()
    missing = {name: reason for name, reason in reasons.items() if reason}
    names = formats or [name for name in reasons if name not in missing]
    loaded = [load_format(name) for name in names]
    # The notes count one task only; ours are counted on all of them.
    with show_progress("counting tokens") as step:
        three = measure_tokens(loaded, load_tasks((THREE_FILES,)), encodings)
        total = measure_tokens(loaded, load_tasks(tasks), encodings, step)
    # What the figures do not show, under every output.
    notes = [SAYING_LESS, NO_CLAUDE]
    if as_json:
        claims = []
        for claim in CLAIMS:
            row = write_object(claim, "format", "kind", "said")
            claims.append(row | {"ours": claim.measure(three, total)})
        value = {
            "three_files": three,
            "tasks": total,
            "claims": claims,
            "missing": missing,
            "notes": notes,
        }
        write_json(value)
        return 0
    echo(_show(three, "the three-file task"))
    echo(_show(total, f"{counted(len(total.tasks), 'task')}, each format on those it can express"))
    echo(_show_claims(three, total))
    unusable = [f"{name}: {reason}" for name, reason in missing.items()]
    twins = [f"{name} writes the same as {twin}" for name, twin in total.same]
    refused = list(_show_refused(total))
    lists = {"left out": refused, "cannot be used": unusable, "counted once": twins}
    for title, lines in lists.items():
        if lines:
            echo(["", paint(title, bold=True), *(f"  {visible(line)}" for line in lines)])
    echo(["", *notes])
    return 0


def _show(report: TokenReport, title: str) -> Iterator[str]:
    """Yield a table for each encoding."""
    for encoding, counts in groupby(report.counts, attrgetter("encoding")):
        yield f"{paint(f'tokens by {encoding}', bold=True)}: {title}"
        yield from draw_table(_TITLES, list(map(_cells, counts)))
        yield ""


def _cells(count: Count) -> list[object]:
    # JSON may be none of the formats that are counted.
    relative = "-" if count.relative is None else f"{count.relative:.0%}"
    return [
        count.format,
        count.tasks,
        count.actions,
        count.total,
        count.contents,
        count.payload,
        count.markup,
        f"{count.markup_per_action:.1f}",
        f"{count.besides:.1f}",
        relative,
    ]


def _show_claims(three: TokenReport, total: TokenReport) -> Iterator[str]:
    from ....lab.benchmark.tokens import CLAIMS

    title = paint("beside the original notes", bold=True)
    yield f"{title}, which predict and do not measure; contents left out"
    rows = []
    for claim in CLAIMS:
        measured = claim.measure(three, total) or "not counted here"
        rows.append((claim.format, _KINDS[claim.kind], claim.said, measured))
    yield from draw_table(("format", "what", "they say", "we count"), rows, texts=(0, 1))


def _show_refused(report: TokenReport) -> Iterator[str]:
    """Yield a line for each format that cannot express some tasks."""
    # The reasons are in the JSON: here there would be one line for each task.
    by_format: dict[str, list[str]] = {}
    for format, task, _ in report.refused:
        by_format.setdefault(format, []).append(task)
    for format, tasks in by_format.items():
        yield f"{format} cannot say {', '.join(tasks)}"
