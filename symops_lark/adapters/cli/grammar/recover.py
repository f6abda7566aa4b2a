"""`symops grammar recover`: parse a text of any grammar, and repair it at the least price."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.numbers import counted
from ..options import json_option
from ..texts import read_text, tell, write_file
from ..visibility import visible

if TYPE_CHECKING:
    from ....error_correcting import CorrectedParse, Edit, ErrorCorrectingParser


@click.command(name="recover")
@click.argument("grammar", metavar="GRAMMAR")
@click.argument("file", default="-", metavar="[TEXT]")
@click.option("--start", default="start", metavar="RULE", help="The start rule.")
@click.option("--mistakes", metavar="FILE", help="Named mistakes. Default: GRAMMAR_recovery.lark, if it is there.")
@click.option("--all", "show_all", is_flag=True, help="Also show the other repairs that cost as little.")
@click.option("--max-price", type=click.IntRange(min=0), default=20_000, help="Maximum price; a token costs 1000.")
@click.option("--exact", is_flag=True, help="Search the whole text, so that no cheaper repair exists.")
@click.option("--tree", "show_tree", is_flag=True, help="Also print the tree.")
@click.option("-o", "--output", metavar="FILE", help="Write the repaired text to FILE.")
@json_option
def command(
    grammar: str,
    file: str,
    start: str,
    mistakes: str | None,
    show_all: bool,
    max_price: int,
    exact: bool,
    show_tree: bool,
    output: str | None,
    as_json: bool,
) -> int:
    """Parse a text of any Lark grammar, and repair it.

    GRAMMAR is a file, or the name of an example language: calls, config, dotenv, graphql, ini, json,
    lists, sql, statements or toml. A repair of the least price makes the text valid; each of its
    edits is printed with its place.

    Exit code 0: the text is valid; 1: it was repaired, or could not be; 2: the grammar is wrong.
    """
    from ....error_correcting import ErrorCorrectingParser
    from ....error_correcting.languages import find_mistakes, list_languages, load_language

    if grammar in list_languages() and not Path(grammar).exists():
        path = load_language(grammar).grammar
    else:
        path = Path(grammar)
    beside = Path(mistakes) if mistakes else find_mistakes(path)
    parser = ErrorCorrectingParser(path, start, beside)
    text = read_text(file)
    parse = parser.parse(text.text, max_price=max_price, exact=exact or None)
    if output is not None:
        write_file(output, parse.text)
    lines = _draw(parser, text.text, text.name, parse, show_all, show_tree)
    tell(_to_json(parser, text.text, parse, show_tree), lines, as_json)
    return 0 if not parse.edits and parse.complete else 1


def _draw(
    parser: ErrorCorrectingParser, text: str, name: str, parse: CorrectedParse, show_all: bool, show_tree: bool
) -> Iterator[str]:
    from ....core.text.source import Source

    source = Source(text, name)
    for note in parser.notes:
        yield f"note: {visible(note)}"
    for diagnostic in parser.diagnostics(text, parse):
        yield visible(diagnostic.draw(source))
    for number, edits in enumerate(parse.alternatives if show_all else (), 1):
        yield f"repair {number + 1}, price {sum(edit.price for edit in edits)}:"
        yield from (f"  {line}" for line in _list_edits(parser, text, edits))
    if show_tree and parse.tree is not None:
        yield visible(parse.tree.pretty() if hasattr(parse.tree, "pretty") else str(parse.tree)).rstrip()
    yield f"{visible(name)}: {_sum_up(parse, show_all)}"


def _list_edits(parser: ErrorCorrectingParser, text: str, edits: tuple[Edit, ...]) -> Iterator[str]:
    from ....error_correcting.messages import explain_edits

    for diagnostic in explain_edits(parser.compiled, text, edits):
        span = diagnostic.span
        yield visible(f"{span.line}:{span.column}: {diagnostic.message} [{diagnostic.code}]")


def _sum_up(parse: CorrectedParse, show_all: bool) -> str:
    if parse.tree is None:
        return f"not repaired: {parse.why}"
    if not parse.edits:
        return "valid"
    state = "corrected" if parse.complete else f"repaired in part ({parse.why})"
    summary = f"{state}, price {parse.price}, {counted(len(parse.edits), 'edit')}"
    if parse.alternatives:
        others = counted(len(parse.alternatives), "other repair costs", "other repairs cost")
        summary += f"; {others} as little" + ("" if show_all else " (--all)")
    return summary


def _to_json(parser: ErrorCorrectingParser, text: str, parse: CorrectedParse, show_tree: bool) -> dict[str, Any]:
    found = parser.diagnostics(text, parse)
    value: dict[str, Any] = {
        "price": parse.price,
        "edits": [edit._asdict() for edit in parse.edits],
        "diagnostics": [diagnostic.to_dict() for diagnostic in found],
        "text": parse.text,
        "alternatives": [[edit._asdict() for edit in edits] for edits in parse.alternatives],
        "accepted": parse.accepted,
        "complete": parse.complete,
        "minimal": parse.minimal,
        "why": parse.why,
        "steps": parse.steps,
        "notes": list(parser.notes),
    }
    if show_tree and parse.tree is not None:
        value["tree"] = parse.tree.pretty() if hasattr(parse.tree, "pretty") else str(parse.tree)
    return value
