"""What the commands of `symops code` have in common: the folder, the limit, and how answers are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

import click

from .texts import complain, echo, write_json
from .view import paint
from .visibility import visible_line

_Command = Callable[..., Any]


def look_options(command: _Command) -> _Command:
    """Return a command with the options of all that look into code."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON."),
        click.option("--limit", type=click.IntRange(1, 1000), default=50, help="The most items to show."),
        click.option("--root", metavar="DIR", default=".", help="The folder to look into."),
    ):
        command = option(command)
    return command


def within_option(command: _Command) -> _Command:
    """Return a command with the option to look at a part of the folder."""
    return click.option("--in", "path", metavar="PATH", help="Only below this folder or in this file.")(command)


def look(tool: str, root: str, as_json: bool, **params: Any) -> int:
    """Run a tool on a folder, print its answer, and return the exit code."""
    from ..code_intelligence.index import Index

    index = Index.open(root)
    answer = import_module(f"symops_lark.code_intelligence.tools.{tool}").run(index, **params)
    if as_json:
        write_json(answer)
    elif "error" not in answer:
        echo(_show(answer))
    if "error" in answer:
        complain(visible_line(answer["error"]))
        return 2
    return 0 if answer["items"] else 1


def _show(answer: Mapping[str, Any]) -> Iterator[str]:
    for item in answer["items"]:
        yield from _show_item(item)
    if whole := answer.get("whole"):
        languages = ", ".join(f"{name} {count}" for name, count in whole["languages"].items())
        sums = (f"{whole[key]:,} {key}" for key in ("files", "lines", "definitions"))
        yield f"{', '.join(sums)}: {visible_line(languages)}"
    least = "at least " if answer["incomplete"] else ""
    yield f"{answer['shown']:,} of {least}{answer['total']:,} shown"
    yield from (f"note: {visible_line(note)}" for note in answer.get("notes", ()))


def _show_item(item: Mapping[str, Any]) -> Iterator[str]:
    place = visible_line(item["path"]) + (f":{item['line']}" if "line" in item else "")
    place += f":{item['column']}" if "column" in item else ""
    if "lines" in item:
        yield f"{paint(place.removesuffix(':1'), bold=True)}  {item['lines']:,} lines"
        return
    kind = f"{item['kind']} {item.get('qualified_name', item.get('name', ''))}".rstrip() if "kind" in item else ""
    said = "  ".join(filter(None, (visible_line(kind), visible_line(str(item.get("text", ""))))))
    yield f"{paint(place, bold=True)}  {said}".rstrip()
    for number, line in enumerate(str(item.get("source", "")).split("\n") if item.get("source") else (), item["line"]):
        yield f"{number:6} | {visible_line(line)}"
