"""`symops code`: looking into a folder of code by the tools that sessions use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import click

from ....core.ground.numbers import counted
from ..colours import paint
from ..options import Decorator, together
from ..texts import complain, echo, write_json
from ..visibility import visible_line
from .sessions import allow_option, find_session, tell_answer

_EXITS = "Exit code 0: something was found; 1: nothing was; 2: bad arguments or files."
_SESSION = "symops.session"  # where the option is kept


@click.group(name="code")
def code_group() -> None:
    """Look into a folder of code: definitions, uses, texts, structure."""


def _keep(context: click.Context, _: click.Parameter, value: str | None) -> None:
    context.meta[_SESSION] = value


_symbol = click.argument("symbol", metavar="SYMBOL")
_place = click.argument("path", metavar="[PATH]", default=".")
_within = click.option("--in", "path", metavar="PATH", help="Only below this folder or in this file.")
_folder = together(
    click.option(
        "--session", metavar="ID", expose_value=False, callback=_keep, help="The session that it counts for, if one."
    ),
    click.option("--root", metavar="DIR", default=".", help="The folder to look into."),
    allow_option,
)
_limit = click.option("--limit", type=click.IntRange(1, 1000), default=50, help="The most items to show.")
_json = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")


def _add(name: str, tool: str, told: str, *own: Decorator) -> None:
    """Add a command that asks a tool, which takes its `own` options; nobody limits what stands at one line."""

    def run(root: str, allow: tuple[str, ...], as_json: bool, **params: Any) -> int:
        return _look(tool, root, allow, as_json, params)

    limits = () if name == "at" else (_limit,)
    code_group.command(name, help=f"{told}\n\n{_EXITS}")(together(*own, _folder, *limits, _json)(run))


_add(
    "at",
    "get_function_at_line",
    "Show the function or class that LINE of FILE belongs to; FILE is relative to the root.",
    click.argument("path", metavar="FILE"),
    click.argument("line", metavar="LINE", type=click.IntRange(1)),
)
_add("definitions", "find_definitions", "Show where a symbol is defined; `Class.method` is one too.", _symbol, _within)
_add(
    "files",
    "search_files",
    "Show the files whose path holds PATTERN, or fits it as a glob (`*.py`, `src/**/test_*`).",
    click.argument("pattern", metavar="PATTERN"),
)
_add(
    "query",
    "query",
    "Show definitions and files for some WORDS, the best first.",
    click.argument("text", metavar="WORDS"),
    _within,
)
_add(
    "references",
    "find_references",
    "Show where a symbol is used: what surely means it first, then what may.",
    _symbol,
    click.option("--definition", metavar="PATH[:LINE]", help="Which of several definitions of that name is meant."),
    _within,
)
_add(
    "semantic",
    "semantic_search",
    "Show what may be meant by some WORDS, synonyms included: guesses.",
    click.argument("query", metavar="WORDS"),
    _within,
)
_add(
    "structure",
    "analyze_structure",
    "Show the parts of a folder or a file; with --json also what imports what.",
    _place,
)
_add(
    "symbols",
    "get_symbols",
    "Show what a file or a folder defines.",
    _place,
    click.option("--kind", metavar="KIND", help="Only those of a kind: class, function, method, …"),
)
_add(
    "text",
    "search_text",
    "Show the lines that any PATTERN occurs in.",
    click.argument("patterns", metavar="PATTERN...", nargs=-1, required=True),
    click.option("-e", "--regex", is_flag=True, help="Each PATTERN is a regular expression in RE2's syntax."),
    click.option("-i", "--ignore-case", is_flag=True, help="Upper and lower case are the same."),
    _within,
)


def _look(tool: str, root: str, allow: tuple[str, ...], as_json: bool, params: Mapping[str, Any]) -> int:
    """Run a tool on a folder, print its answer, and return the exit code."""
    answer = _ask(tool, root, allow, params)
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


def _ask(tool: str, root: str, allow: tuple[str, ...], params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of a tool; in a session it is recorded, or refused where it is out of turn."""
    session_id = click.get_current_context().meta[_SESSION]
    if session_id is not None:
        given = {name: value for name, value in params.items() if value is not None}
        return dict(getattr(find_session(root, session_id, allow), tool)(**given))
    from ....code_intelligence.index import Index

    return dict(
        import_module(f"symops_lark.code_intelligence.tools.{tool}").run(Index.open(root, allow=allow), **params)
    )


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
    if item.get("left_out"):
        from ....code_intelligence.tools.answers import explain_left_out

        yield f"{paint(place.removesuffix(':1'), bold=True)}  left out: {explain_left_out(item['left_out'])}"
        return
    if "lines" in item:
        yield f"{paint(place.removesuffix(':1'), bold=True)}  {counted(item['lines'], 'line')}"
        return
    kind = f"{item['kind']} {item.get('qualified_name', item.get('name', ''))}".rstrip() if "kind" in item else ""
    said = "  ".join(filter(None, (visible_line(kind), visible_line(str(item.get("text", ""))))))
    yield f"{paint(place, bold=True)}  {said}".rstrip()
    for number, line in enumerate(str(item.get("source", "")).split("\n") if item.get("source") else (), item["line"]):
        yield f"{number:6} | {visible_line(line)}"
