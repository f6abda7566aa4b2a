"""`symops grammar recover`: parse a text of any grammar, and repair it at the least price."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.json_objects import write_object
from ....core.ground.numbers import counted
from ..options import json_option, refuse_empty
from ..texts import InputText, print_result, read_text, write_file
from ..visibility import visible

if TYPE_CHECKING:
    from ....error_correcting import CorrectedParse, ErrorCorrectingParser


@click.command(name="recover")
@click.argument("grammar", metavar="GRAMMAR", callback=refuse_empty)
@click.argument("file", default="-", metavar="[TEXT]")
@click.option("--start", default="start", metavar="RULE", help="The start rule.")
@click.option(
    "--mistakes",
    metavar="FILE",
    help="Named mistakes. Default: GRAMMAR_recovery.lark, if it is there.",
)
@click.option(
    "--all", "show_all", is_flag=True, help="Also show the other repairs that cost as little."
)
@click.option(
    "--max-price",
    type=click.IntRange(min=0),
    default=20_000,
    help="Maximum price; a token costs 1000.",
)
@click.option(
    "--exact", is_flag=True, help="Search the whole text, so that no cheaper repair exists."
)
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

    GRAMMAR is a file, or the name of an example language: calls, config, dotenv, graphql, ini,
    json, lists, sql, statements or toml. A repair of the least price makes the text valid; each of
    its edits is printed with its place.

    Exit code 0: the text is valid; 1: it was repaired, or could not be; 2: the grammar is wrong.
    \f

    Args:
        grammar: The file of the grammar, or the name of an example language.
        file: The file of the text, or `-`.
        start: The start rule.
        mistakes: The file of named mistakes.
        show_all: Whether other repairs of the same price are shown.
        max_price: Maximum price of a repair, in thousandths of a token.
        exact: Whether the whole text is searched.
        show_tree: Whether the tree is printed.
        output: The file for the repaired text.
        as_json: Whether the output is JSON.
    """
    from ....error_correcting import ErrorCorrectingParser
    from ....error_correcting.languages import find_mistakes, list_languages, load_language

    path = Path(grammar)
    # A file of the user's wins over an example of the same name.
    if grammar in list_languages() and not path.exists():
        path = load_language(grammar).grammar
    mistakes_path = Path(mistakes) if mistakes else find_mistakes(path)
    parser = ErrorCorrectingParser(path, start, mistakes_path)
    text = read_text(file)
    # None: the search is bounded only where a text is long.
    parse = parser.parse(text.text, max_price=max_price, exact=exact or None)
    if output is not None:
        write_file(output, parse.text)
    value = _to_dict(parser, text.text, parse)
    tree = draw_tree(parse) if show_tree else None
    # A program that did not ask for the tree is not handed a large text.
    if tree is not None:
        value["tree"] = tree
    print_result(value, _draw(parser, text, parse, show_all, tree), as_json)
    return int(bool(parse.edits) or not parse.complete)


def draw_tree(parse: CorrectedParse) -> str | None:
    """Return the tree of a parse as a text; None if there is no tree.

    Args:
        parse: The parse, of which `trace` draws the tree as well.
    """
    if parse.tree is None:
        return None
    # A grammar whose start rule is inlined may give a token.
    text: str = parse.tree.pretty() if hasattr(parse.tree, "pretty") else str(parse.tree)
    return text


def _draw(
    parser: ErrorCorrectingParser,
    text: InputText,
    parse: CorrectedParse,
    show_all: bool,
    tree: str | None,
) -> Iterator[str]:
    from ....core.text.source import Source
    from ....error_correcting.messages import explain_edits

    source = Source(text.text, text.name)
    for note in parser.notes:
        yield f"note: {visible(note)}"
    for diagnostic in parser.diagnostics(text.text, parse):
        yield visible(diagnostic.draw(source))
    # The first repair is the one above.
    for number, edits in enumerate(parse.alternatives if show_all else (), 2):
        yield f"repair {number}, price {sum(edit.price for edit in edits)}:"
        for diagnostic in explain_edits(parser.compiled, text.text, edits):
            place = f"{diagnostic.span.line}:{diagnostic.span.column}"
            yield "  " + visible(f"{place}: {diagnostic.message} [{diagnostic.code}]")
    if tree is not None:
        yield visible(tree).rstrip()
    yield f"{visible(text.name)}: {_sum_up(parse, show_all)}"


def _sum_up(parse: CorrectedParse, show_all: bool) -> str:
    if parse.tree is None and not parse.accepted:
        return f"not repaired: {parse.why}"
    if not parse.edits:
        return "valid"
    state = "corrected" if parse.complete else f"repaired in part ({parse.why})"
    summary = f"{state}, price {parse.price}, {counted(len(parse.edits), 'edit')}"
    if parse.alternatives:
        repairs = counted(len(parse.alternatives), "other repair costs", "other repairs cost")
        # The option is named only where it would show more.
        option = "" if show_all else " (--all)"
        summary += f"; {repairs} as little{option}"
    return summary


def _to_dict(parser: ErrorCorrectingParser, text: str, parse: CorrectedParse) -> dict[str, Any]:
    return {
        "price": parse.price,
        # Edits are tuples, which JSON would write as lists.
        "edits": [edit._asdict() for edit in parse.edits],
        "diagnostics": [item.to_dict() for item in parser.diagnostics(text, parse)],
        "text": parse.text,
        "alternatives": [[edit._asdict() for edit in edits] for edits in parse.alternatives],
        **write_object(parse, "accepted", "complete", "minimal", "why", "steps"),
        "notes": list(parser.notes),
    }
