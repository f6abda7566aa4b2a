"""What the commands of `symops code` have in common: the folder, the limit, and how answers are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

import click

from ..numbers import counted
from .colours import paint
from .sessions import find_session, tell_answer
from .texts import complain, echo, write_json
from .visibility import visible_line

_Command = Callable[..., Any]
_SESSION = "symops.session"  # where the option is kept


def look_options(command: _Command) -> _Command:
    """Return a command with the options of all that look into code."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON."),
        click.option("--limit", type=click.IntRange(1, 1000), default=50, help="The most items to show."),
        click.option("--root", metavar="DIR", default=".", help="The folder to look into."),
        click.option(
            "--session",
            metavar="ID",
            expose_value=False,
            callback=_keep,
            help="The session that it counts for, if one.",
        ),
    ):
        command = option(command)
    return command


def _keep(context: click.Context, _: click.Parameter, value: str | None) -> None:
    context.meta[_SESSION] = value


def within_option(command: _Command) -> _Command:
    """Return a command with the option to look at a part of the folder."""
    return click.option("--in", "path", metavar="PATH", help="Only below this folder or in this file.")(command)


def look(tool: str, root: str, as_json: bool, **params: Any) -> int:
    """Run a tool on a folder, print its answer, and return the exit code."""
    answer = _look(tool, root, params)
    if "items" not in answer:
        return tell_answer(answer, as_json)
    if as_json:
        write_json(answer)
    elif "error" not in answer:
        echo(_show(answer))
    if "error" in answer:
        complain(visible_line(answer["error"]))
        return 2
    return 0 if answer["items"] else 1


def _look(tool: str, root: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of a tool; in a session it is recorded, or refused where it is out of turn."""
    session_id = click.get_current_context().meta[_SESSION]
    if session_id is not None:
        given = {name: value for name, value in params.items() if value is not None}
        return dict(getattr(find_session(root, session_id), tool)(**given))
    from ..code_intelligence.index import Index

    return dict(import_module(f"symops_lark.code_intelligence.tools.{tool}").run(Index.open(root), **params))


def _show(answer: Mapping[str, Any]) -> Iterator[str]:
    for item in answer["items"]:
        yield from _show_item(item)
    if whole := answer.get("whole"):
        languages = ", ".join(f"{name} {count}" for name, count in whole["languages"].items())
        sums = (counted(whole[f"{noun}s"], noun) for noun in ("file", "line", "definition"))
        yield f"{', '.join(sums)}: {visible_line(languages)}"
    least = "at least " if answer["incomplete"] else ""
    yield f"{answer['shown']:,} of {least}{answer['total']:,} shown"
    yield from (f"note: {visible_line(note)}" for note in answer.get("notes", ()))


def _show_item(item: Mapping[str, Any]) -> Iterator[str]:
    place = visible_line(item["path"]) + (f":{item['line']}" if "line" in item else "")
    place += f":{item['column']}" if "column" in item else ""
    if "lines" in item:
        yield f"{paint(place.removesuffix(':1'), bold=True)}  {counted(item['lines'], 'line')}"
        return
    kind = f"{item['kind']} {item.get('qualified_name', item.get('name', ''))}".rstrip() if "kind" in item else ""
    said = "  ".join(filter(None, (visible_line(kind), visible_line(str(item.get("text", ""))))))
    yield f"{paint(place, bold=True)}  {said}".rstrip()
    for number, line in enumerate(str(item.get("source", "")).split("\n") if item.get("source") else (), item["line"]):
        yield f"{number:6} | {visible_line(line)}"
