"""Write a page for each command from its help: `python -m tools.cli_pages TARGET`.

Click knows all of it, so a page is never out of date. The tables have two columns: they fit on a
phone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html import escape
from inspect import cleandoc
from pathlib import Path

import click

from symops_lark.adapters.cli import symops


def write_pages(target: Path) -> None:
    """Write a page for each command of `symops`, and one that lists them.

    Args:
        target: The folder of the pages.
    """
    target.mkdir(parents=True, exist_ok=True)
    context = click.Context(symops, info_name="symops")
    rows = []
    for name in symops.list_commands(context):
        command = symops.get_command(context, name)
        assert command is not None, name
        page = "".join(describe(command, f"symops {name}", 1))
        (target / f"{name}.md").write_text(page, encoding="utf-8")
        rows.append(
            f"| [`symops {name}`]({name}.md) | {_cell(command.get_short_help_str(200))} |\n"
        )
    index = "# Command line\n\n| command | |\n|---|---|\n" + "".join(rows)
    (target / "index.md").write_text(index, encoding="utf-8")


def describe(command: click.Command, path: str, level: int) -> Iterator[str]:
    """Yield the parts of a page: the help, the usage and the options, then those of subcommands.

    Args:
        command: The command.
        path: Its words on the command line.
        level: The level of its heading.
    """
    context = click.Context(command, info_name=path)
    usage = " ".join((path, *command.collect_usage_pieces(context)))
    # `\b` keeps click from filling a paragraph. The site fills paragraphs, so it gets a fence.
    help = cleandoc(command.help or "")
    paragraphs = [_write_paragraph(paragraph) for paragraph in help.split("\n\n")]
    yield f"{'#' * level} {path}\n\n"
    yield "\n\n".join([*paragraphs, f"```text\n{usage}\n```\n\n"])
    options = [
        parameter
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option) and not parameter.hidden
    ]
    if options:
        yield "| option | |\n|---|---|\n"
        yield from (_write_row(option, context) for option in options)
        yield "\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None, name
            yield from describe(child, f"{path} {name}", level + 1)


def _write_paragraph(paragraph: str) -> str:
    if not paragraph.startswith("\b"):
        return paragraph.replace("<", "&lt;")
    lines = paragraph.removeprefix("\b").strip("\n")
    return f"```text\n{lines}\n```"


def _write_row(option: click.Option, context: click.Context) -> str:
    record = option.get_help_record(context)
    assert record is not None, option.name
    # As HTML: in a table, Markdown would print the backslash before a bar in code.
    names = ", ".join(f"<code>{_escape(part)}</code>" for part in record[0].split(", "))
    return f"| {names} | {_cell(record[1])} |\n"


def _escape(text: str) -> str:
    return escape(text).replace("|", "&#124;")


def _cell(text: str) -> str:
    """Return a text for a cell of a table, in which nothing is markup."""
    text = " ".join(text.split())
    for sign in "|[<*":
        text = text.replace(sign, f"\\{sign}")
    return text


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
