"""Arguments and options that several commands share, and the pipeline that they define."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import wraps
from math import isnan
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from .completing import Find, complete_from, find_formats, find_tasks

if TYPE_CHECKING:
    from pathlib import Path

    from ...core.grammar.dialect import Dialect
    from ...core.processor import SymOpsProcessor

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


class FloatRange(click.FloatRange):
    """A range of numbers without NaN, which click takes as being in each range."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; the option is wrong if it is NaN or out of the range.

        Args:
            value: The value on the command line, or the default.
            param: The option, for the message.
            ctx: The context of the command, for the message.
        """
        number = float(super().convert(value, param, ctx))
        if isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


def refuse_empty(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Refuse an empty text, as of an unset variable of a script: a callback of Click.

    Args:
        context: The context of the command.
        parameter: The option or argument.
        value: Its value; of a parameter that may be repeated, its values.

    Raises:
        BadParameter: The value, or one of them, is empty.
    """
    if value == "" or (isinstance(value, tuple) and "" in value):
        raise click.BadParameter("it is empty", context, parameter)
    return value


files_argument = click.argument("files", nargs=-1, metavar="[FILE]...")
file_argument = click.argument("file", default="-", metavar="[FILE]")
rules_option = click.option(
    "--rules",
    multiple=True,
    metavar="DIR",
    help="Add the custom repair rules of a folder; may be repeated.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
cut_off_option = click.option(
    "--cut-off/--not-cut-off",
    default=None,
    help="The reply was truncated, or was not. Default: detect it.",
)
engine_option = click.option(
    "--engine",
    type=click.Choice(["automaton", "earley"]),
    help=(
        "The engine that runs the recovery grammar. Default: automaton, or earley if the grammar "
        "nests."
    ),
)
tasks_option = click.option(
    "-t",
    "--task",
    "tasks",
    multiple=True,
    metavar="NAME|GLOB|PATH",
    shell_complete=complete_from(find_tasks),
    help="Use only these tasks; may be repeated. Default: all tasks.",
)
seed_option = click.option("--seed", type=int, default=0, help="Seed of the random numbers.")
encodings_option = click.option(
    "--encoding",
    "encodings",
    multiple=True,
    metavar="NAME",
    help=(
        "Count with this encoding, such as o200k_base; may be repeated. Default: all installed "
        "encodings."
    ),
)
base_url_option = click.option(
    "--base-url",
    metavar="URL",
    help="Base URL of the provider's API. Default: the provider's public address.",
)
attempts_option = click.option(
    "--attempts",
    type=click.IntRange(min=0),
    default=2,
    help="Number of times to ask again after a broken reply.",
)
# Commands that only read have other texts for their `--root`.
root_option = click.option(
    "--root",
    default=".",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="The folder to change. Files outside it are refused.",
)
out_option = click.option(
    "-o",
    "--out",
    metavar="RUN.jsonl",
    help="Write the run log to this file. Default: a name derived from the settings.",
)
quiet_option = click.option("--quiet", is_flag=True, help="Do not show progress.")


def together(*options: Decorator) -> Decorator:
    """Return the decorator that adds several options to a command, in this order."""

    def decorate(command: Command) -> Command:
        # As a list of decorators is applied: from the last to the first.
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


# Without a value the request does not have the parameter.
reply_options = together(
    click.option(
        "--max-tokens",
        type=click.IntRange(min=1),
        metavar="N",
        help="Maximum length of a reply in tokens. Default: set by the provider.",
    ),
    click.option(
        "--temperature",
        type=FloatRange(min=0),
        metavar="T",
        help="Sampling temperature. Default: set by the provider.",
    ),
)
context_options = together(
    click.option(
        "-c",
        "--context",
        "context",
        multiple=True,
        metavar="FILE",
        help="Include this file in the prompt; may be repeated.",
    ),
    click.option(
        "--budget",
        type=click.IntRange(min=1),
        metavar="TOKENS",
        help="Maximum number of tokens for all files. Default: no limit.",
    ),
    click.option(
        "--allow",
        multiple=True,
        metavar="GLOB",
        help="Include these protected files, such as .env; may be repeated.",
    ),
)
# `-` is standard output; the first form is printed if no option is given.
report_options = together(
    click.option("--markdown", metavar="FILE", help="Write the report to FILE as Markdown."),
    click.option(
        "--html",
        metavar="FILE",
        help=(
            "Write the report to FILE as one HTML page with plots; it loads nothing from the "
            "network."
        ),
    ),
    click.option("--json", "as_json", metavar="FILE", help="Write all figures to FILE as JSON."),
)
# The fields of `RenderOptions`.
forms_options = together(
    click.option("--numbered", is_flag=True, help="Number the actions."),
    click.option(
        "--end-marked", is_flag=True, help="End blocks with the longer closing delimiter."
    ),
    click.option(
        "--attributes", is_flag=True, help="Write path and dependencies on separate lines."
    ),
    click.option(
        "--fence", type=click.IntRange(3, 8), default=3, help="Minimum length of a fence."
    ),
)


def split_names(values: Sequence[str]) -> tuple[str, ...]:
    """Return the names of an option that takes lists with commas, each once."""
    names = [name.strip() for value in values for name in value.split(",")]
    return tuple(dict.fromkeys(filter(None, names)))


def count_processors() -> int:
    """Return how many processors this process may use."""
    # In a container a process may use fewer processors than the machine has.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def formats_option(help: str) -> Decorator:
    """Return the option for several formats."""
    complete = complete_from(find_formats)
    names = ("-f", "--format", "formats")
    return click.option(
        *names, multiple=True, metavar="NAME|FILE", shell_complete=complete, help=help
    )


def format_option(default: str | None, help: str, find: Find = find_formats) -> Decorator:
    """Return the option for one format.

    Args:
        default: The format if the option is not given.
        help: Its help.
        find: Returns the names that a shell completes.
    """
    complete = complete_from(find)
    names = ("-f", "--format", "format")
    return click.option(
        *names, default=default, metavar="NAME|FILE", shell_complete=complete, help=help
    )


def repetitions_option(default: int) -> Decorator:
    """Return the option for the number of replies to each task."""
    return click.option(
        "-n",
        "--repetitions",
        type=click.IntRange(min=1),
        default=default,
        help="Number of replies to each task in each format.",
    )


def processor_options(
    *options: Decorator, names: Sequence[str] = ("-f", "--format"), help: str = ""
) -> Decorator:
    """Return the decorator of commands that read texts: it adds `--format` and more options.

    The command receives the pipeline that they define as `processor`, instead of `format`, `rules`
    and `engine`.

    Args:
        options: The other options.
        names: The names of `--format`.
        help: The help of `--format`; empty: that of commands that read any format.
    """
    usual_help = (
        "The dialect of the text, or the format of another agent: its name, a .lark file, or auto "
        "to detect it; auto:FILE,… also considers these files of dialects."
    )
    format = click.option(
        *names,
        "format",
        default="auto",
        metavar="NAME|FILE|auto",
        shell_complete=complete_from(find_formats),
        help=help or usual_help,
    )

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(format: str, **arguments: Any) -> Any:
            # Not every command has these two.
            processor = make_processor(
                format, arguments.pop("rules", ()), arguments.pop("engine", None)
            )
            return command(processor=processor, **arguments)

        return together(format, *options)(run)

    return decorate


reading_options = processor_options(rules_option, cut_off_option)


def make_processor(
    format: str, rules: tuple[str, ...] = (), engine: str | None = None
) -> SymOpsProcessor:
    """Return the pipeline; a wrong grammar or rule is reported now, before any text is read.

    Args:
        format: The dialect or format, `auto`, or `auto:FILE,…`.
        rules: The folders of custom repair rules.
        engine: The engine of the recovery; None: the usual one.
    """
    from ...core.grammar.agent_formats import is_agent_format, refuse_candidate
    from ...core.grammar.loading import dialects, load_dialect
    from ...core.other_formats import find_other
    from ...core.processor import SymOpsProcessor

    files = []
    if format.startswith("auto:"):
        files = format.removeprefix("auto:").split(",")
        format = "auto"
    for file in files:
        if is_agent_format(file):
            raise refuse_candidate(file)
    # A format of another agent keeps its name, by which the pipeline finds it.
    is_name = format == "auto" or find_other(format)
    dialect = format if is_name else load_dialect(format)
    processor = SymOpsProcessor(dialect, rules=rules, dialects=files, recovery_engine=engine)
    # The rules of a dialect are loaded when its engine is made: at the first text, if it is late.
    if rules and format == "auto":
        for name in dialects():
            processor.engine(name)
    return processor


def format_of(text: str, processor: SymOpsProcessor) -> str | Path | Dialect:
    """Return the dialect or format that the user named, or the most likely dialect of a text."""
    return processor.format if processor.agent_format else dialect_of(text, processor)


def dialect_of(text: str, processor: SymOpsProcessor) -> Dialect:
    """Return the dialect that the user named, or the most likely one of a text.

    Raises:
        GrammarError: The user named a format of another agent.
    """
    from ...core.functions import detect_dialect
    from ...core.grammar.loading import load_dialect
    from ...core.other_formats import refuse_other

    refuse_other(processor.agent_format)
    if processor.format == "auto":
        return detect_dialect(text, processor)
    return load_dialect(processor.format)


def find_given(context: click.Context) -> dict[str, str]:
    """Return the parameters that the command line has, each with its flag.

    Those with a default are always in the settings, so these do not show what a person chose.

    Args:
        context: The context of the command.
    """
    flags = {}
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            flags[name] = parameter.opts[0]
    return flags
