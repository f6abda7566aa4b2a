"""`symops bench tokens`: what each format costs in model tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ....core.ground.numbers import counted
from ..colours import paint
from ..options import encodings_option, formats_option, json_option, tasks_option
from ..progress import show_progress
from ..tables import draw_table
from ..texts import echo, write_json
from ..visibility import visible

if TYPE_CHECKING:
    from ....lab.benchmark.tokens import Claim, Count, TokenReport

_TITLES = (
    *("format", "tasks", "actions", "tokens", "contents", "all said", "markup"),
    *("markup/action", "all but contents/action", "of JSON's"),
)
_KINDS = {"action": "tokens for one action", "task": "tokens for the three-file task", "more": "the same, over v1"}


@click.command(name="tokens")
@formats_option("Count this format; may be repeated. Default: all available formats.")
@tasks_option
@encodings_option
@json_option
def command(formats: tuple[str, ...], tasks: tuple[str, ...], encodings: tuple[str, ...], as_json: bool) -> int:
    """Count the model tokens of each format.

    The tokens are those of the three-file task of the original notes, and of the task set. Each
    format is counted on the tasks that it can express, and compared with JSON on the same ones
    (JSON indented, as function calling writes it). Needs a tokenizer library: pip install
    'symops-lark[workbench]', or [bench] to add those of Llama 3 and Qwen.
    """
    from ....lab.benchmark.formats import known_formats, load_format
    from ....lab.benchmark.tasks import load_tasks
    from ....lab.benchmark.tokens import CLAIMS, SAYING_LESS, THREE_FILES, measure_tokens
    from ....models.prompts.tokens import NO_CLAUDE

    missing = {name: reason for name, reason in known_formats().items() if reason and not formats}
    chosen = [load_format(name) for name in formats or (name for name, reason in known_formats().items() if not reason)]
    with show_progress("counting tokens") as step:
        three = measure_tokens(chosen, load_tasks((THREE_FILES,)), encodings)
        whole = measure_tokens(chosen, load_tasks(tasks), encodings, step)
    if as_json:
        claims = [
            {"format": claim.format, "kind": claim.kind, "said": claim.said, "ours": claim.measure(three, whole)}
            for claim in CLAIMS
        ]
        notes = [SAYING_LESS, NO_CLAUDE]
        write_json({"three_files": three, "tasks": whole, "claims": claims, "missing": missing, "notes": notes})
        return 0
    echo(_show(three, "the three-file task"))
    echo(_show(whole, f"{counted(len(whole.tasks), 'task')}, of each format those that it can say"))
    echo(_show_claims(CLAIMS, three, whole))
    for title, lines in (
        ("left out", list(_show_refused(whole))),
        ("cannot be used", [f"{name}: {reason}" for name, reason in missing.items()]),
        ("counted once", [f"{name} writes what {twin} does" for name, twin in whole.same]),
    ):
        if lines:
            echo(["", paint(title, bold=True), *("  " + visible(line) for line in lines)])
    echo(["", SAYING_LESS, NO_CLAUDE])
    return 0


def _show(report: TokenReport, title: str) -> Iterator[str]:
    for encoding in dict.fromkeys(count.encoding for count in report.counts):
        counts = [count for count in report.counts if count.encoding == encoding]
        yield f"{paint(f'tokens by {encoding}', bold=True)}: {title}"
        yield from draw_table(_TITLES, [_cells(count) for count in counts])
        yield ""


def _cells(count: Count) -> list[str]:
    sums = (count.tasks, count.actions, count.total, count.contents, count.payload, count.markup)
    per_action = (f"{count.markup_per_action:.1f}", f"{count.besides:.1f}")
    return [count.format, *map(str, sums), *per_action, "-" if count.relative is None else f"{count.relative:.0%}"]


def _show_claims(claims: tuple[Claim, ...], three: TokenReport, whole: TokenReport) -> Iterator[str]:
    yield paint("beside the original notes", bold=True) + ", which predict and do not measure; contents left out"
    rows = [
        (claim.format, _KINDS[claim.kind], claim.said, claim.measure(three, whole) or "not counted here")
        for claim in claims
    ]
    yield from draw_table(("format", "what", "they say", "we count"), rows, texts=(0, 1))


def _show_refused(report: TokenReport) -> Iterator[str]:
    """Return a line for each format that cannot say some tasks."""
    by_format: dict[str, list[str]] = {}
    for format, task, _ in report.refused:
        by_format.setdefault(format, []).append(task)
    yield from (f"{format} cannot say {', '.join(tasks)}" for format, tasks in by_format.items())
