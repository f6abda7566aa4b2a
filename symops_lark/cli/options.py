"""The arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from ..grammar.dialect import Dialect
    from ..processor import SymOpsProcessor

Command = TypeVar("Command", bound=Callable[..., int])

files_argument = click.argument("files", nargs=-1, metavar="[FILE]...")
file_argument = click.argument("file", default="-", metavar="[FILE]")
format_option = click.option(
    "-f",
    "--format",
    "format",
    default="auto",
    metavar="NAME|FILE|auto",
    show_default=True,
    help="The dialect: its name, a .lark file, or auto to tell it from the text; "
    "auto:FILE,… tells it among these files too.",
)
rules_option = click.option(
    "--rules", multiple=True, metavar="DIR", help="A folder with repair rules of your own; may be repeated."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
cut_off_option = click.option(
    "--cut-off/--not-cut-off", default=None, help="Whether the reply ended too early; judged if not given."
)
tasks_option = click.option(
    "-t",
    "--task",
    "tasks",
    multiple=True,
    metavar="NAME|GLOB|PATH",
    help="Which tasks; may be repeated; all if not given.",
)
seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="What everything random is drawn from."
)


def formats_option(help: str) -> Callable[[Command], Command]:
    """Return the option for several formats."""
    return click.option("-f", "--format", "formats", multiple=True, metavar="NAME|FILE", help=help)


def repetitions_option(default: int) -> Callable[[Command], Command]:
    """Return the option for how often each task is asked in each format."""
    told = "How many replies to each task in each format."
    kind = click.IntRange(min=1)
    return click.option("-n", "--repetitions", type=kind, default=default, show_default=True, help=told)


encodings_option = click.option(
    "--encoding",
    "encodings",
    multiple=True,
    metavar="NAME",
    help="An encoding, such as o200k_base; may be repeated. Without it: all that are installed.",
)
engine_option = click.option(
    "--engine",
    type=click.Choice(["automaton", "earley"]),
    help="What runs the recovery grammar; without it the automaton, or Earley where the grammar nests.",
)


def reading_options(command: Command) -> Command:
    """Add the options of every command that reads replies with the rules."""
    return format_option(rules_option(cut_off_option(command)))


def forms_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options that choose among the forms of v2.1."""
    for option in (
        click.option("--fence", type=click.IntRange(3, 8), default=3, help="The least length of a fence."),
        click.option("--attributes", is_flag=True, help="Path and dependencies on lines of their own."),
        click.option("--end-marked", is_flag=True, help="End blocks by the longer closing delimiter."),
        click.option("--numbered", is_flag=True, help="Number the actions."),
    ):
        command = option(command)
    return command


def make_processor(format: str, rules: tuple[str, ...] = (), engine: str | None = None) -> SymOpsProcessor:
    """Return the pipeline; a wrong grammar or rule is reported now, before any text is read."""
    from ..grammar.loading import dialects, load_dialect
    from ..processor import SymOpsProcessor

    among = format.removeprefix("auto:").split(",") if format.startswith("auto:") else []
    if among:
        format = "auto"
    known = format if format == "auto" else load_dialect(format)
    processor = SymOpsProcessor(known, rules=rules, dialects=among, recovery_engine=engine)
    if rules and format == "auto":
        for name in dialects():
            processor.engine(name)
    return processor


def dialect_of(text: str, processor: SymOpsProcessor) -> Dialect:
    """Return the dialect that the user asked for, or the one that the text is most likely in."""
    from ..grammar.loading import load_dialect
    from ..processor import detect_dialect

    return detect_dialect(text, processor) if processor.format == "auto" else load_dialect(processor.format)
