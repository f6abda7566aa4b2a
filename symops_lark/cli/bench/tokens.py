"""`symops bench tokens`: what each format costs in model tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ..options import json_option
from ..tables import draw_table
from ..texts import echo, write_json
from ..view import paint, visible

if TYPE_CHECKING:
    from ...compliance.tokens import Claim, Count, TokenReport

_TITLES = ("format", "all", "contents", "all said", "markup", "markup/action", "all besides contents/action", "of JSON's")
_KINDS = {"action": "tokens for one action", "task": "tokens for the three-file task", "more": "the same, over v1"}


@click.command(name="tokens", short_help="Count what formats cost in model tokens.")
@click.option("-f", "--format", "formats", multiple=True, metavar="NAME|FILE",
              help="A format; may be repeated. Without it: all that can be used.")  # fmt: skip
@click.option("--task", "tasks", multiple=True, metavar="NAME|GLOB|DIR", help="A task; without it: all.")
@click.option("--encoding", "encodings", multiple=True, metavar="NAME",
              help="An encoding, such as o200k_base; may be repeated. Without it: all that are installed.")  # fmt: skip
@json_option
def tokens_command(formats: tuple[str, ...], tasks: tuple[str, ...], encodings: tuple[str, ...],
                   as_json: bool) -> int:  # fmt: skip
    """Count the model tokens of the three-file task of the source documents, and of the task set, in every format.

    All formats are counted on the same tasks: those that each of them can say. Needs a tokenizer library:
    pip install 'symops-lark[workbench]', or [bench] for those of Llama 3 and Qwen as well.
    """
    from ...compliance.formats import known_formats, load_format
    from ...compliance.tasks import load_tasks
    from ...compliance.tokens import CLAIMS, THREE_FILES, measure_tokens
    from ...prompts.tokens import NO_CLAUDE

    missing = {name: reason for name, reason in known_formats().items() if reason and not formats}
    chosen = [load_format(name) for name in formats or (name for name, reason in known_formats().items() if not reason)]
    three = measure_tokens(chosen, load_tasks((THREE_FILES,)), encodings)
    whole = measure_tokens(chosen, load_tasks(tasks), encodings)
    if as_json:
        claims = [{"format": claim.format, "kind": claim.kind, "said": claim.said, "ours": claim.measure(three, whole)}
                  for claim in CLAIMS]  # fmt: skip
        write_json({"three_files": three.to_dict(), "tasks": whole.to_dict(), "claims": claims, "missing": missing,
                    "note": NO_CLAUDE})  # fmt: skip
        return 0
    echo(_show(three, "the three-file task"))
    echo(_show(whole, "the tasks that all of these formats can say"))
    echo(_show_claims(CLAIMS, three, whole))
    unusable = [f"{name}: {reason}" for name, reason in missing.items()]
    for title, lines in (("left out", list(_show_refused(whole))), ("cannot be used", unusable)):
        if lines:
            echo(["", paint(title, bold=True), *("  " + visible(line) for line in lines)])
    echo(["", NO_CLAUDE])
    return 0


def _show(report: TokenReport, title: str) -> Iterator[str]:
    for encoding in dict.fromkeys(count.encoding for count in report.counts):
        counts = [count for count in report.counts if count.encoding == encoding]
        n = f"{counts[0].tasks} tasks, {counts[0].actions} actions"
        yield f"{paint(f'tokens by {encoding}', bold=True)}: {title} ({n})"
        yield from draw_table(_TITLES, [_cells(count, report) for count in counts])
        yield ""


def _cells(count: Count, report: TokenReport) -> list[str]:
    relative = report.relative(count)
    per_action = (f"{count.markup_per_action:.1f}", f"{count.besides:.1f}")
    return [count.format, *map(str, (count.total, count.contents, count.payload, count.markup)), *per_action,
            "-" if relative is None else f"{relative:.0%}"]  # fmt: skip


def _show_claims(claims: tuple[Claim, ...], three: TokenReport, whole: TokenReport) -> Iterator[str]:
    yield paint("beside the source documents", bold=True) + ", which predict and do not measure; contents left out"
    rows = [(claim.format, _KINDS[claim.kind], claim.said, claim.measure(three, whole) or "not counted here")
            for claim in claims]  # fmt: skip
    yield from draw_table(("format", "what", "they say", "we count"), rows, texts=(0, 1))


def _show_refused(report: TokenReport) -> Iterator[str]:
    """Give a line for each task that some format cannot say."""
    by_task: dict[str, list[str]] = {}
    for format, task, _ in report.refused:
        by_task.setdefault(task, []).append(format)
    yield from (f"{task}: not to be said in {', '.join(formats)}" for task, formats in by_task.items())
