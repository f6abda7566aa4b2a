"""`symops grammar diff`: the shortest texts on which two grammars disagree."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ....core.ground.json_objects import write_object
from ....core.ground.numbers import counted
from ....core.text.diagnostics import Diagnostic
from ..colours import paint
from ..options import json_option
from ..progress import show_progress
from ..texts import echo, write_json
from ..visibility import visible

if TYPE_CHECKING:
    from ....lab.workbench.readers import Reading

_UNSEEN = {9: 0x2409, **dict.fromkeys([0x200B, 0x2028, 0x2029, 0xFEFF], 0xFFFD)}
_UNTOLD = ("span", "content_span", "confidence", "completeness")


@click.command(name="diff")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("-n", "--number", type=click.IntRange(min=1), default=200, help="Number of random texts of each grammar.")
@click.option("--seed", default="0", help="Seed of the random texts: any word.")
@click.option("--start", default="", metavar="RULE", help="Start rule of grammars that are not dialects.")
@json_option
def command(first: str, second: str, number: int, seed: str, start: str, as_json: bool) -> int:
    """Find texts that two grammars parse differently.

    These are texts that only one grammar accepts, or that both accept with different results. A and
    B are names of dialects or .lark files: also grammars that are not dialects, with the rule
    `start`. Then the results are Lark's trees.

    Exit code 0: no difference was found; 1: there are differences.
    """
    from ....core.grammar.loading import load_grammar
    from ....lab.workbench.difference import Kind, compare

    with show_progress("comparing texts") as step:
        comparison = compare(load_grammar(first), load_grammar(second), number, seed, step, start)
    if as_json:
        write_json({"first": first, "second": second, **write_object(comparison, "compared", "differences")})
        return 1 if comparison.differences else 0
    names = (visible(first), visible(second))
    titles = {
        Kind.FIRST_ONLY: f"only {names[0]} accepts",
        Kind.SECOND_ONLY: f"only {names[1]} accepts",
        Kind.READ_DIFFERENTLY: "read differently",
    }
    for place, difference in enumerate(comparison.differences, 1):
        echo([paint(f"{place}. {titles[difference.kind]}", bold=True)])
        echo("    | " + _show_line(line) for line in difference.text.split("\n"))
        for name, reading in zip(names, (difference.first, difference.second), strict=True):
            echo(_show_reading(name, reading))
    found_here = len(comparison.differences)
    found = counted(found_here, "difference", zero="no")
    echo([f"{names[0]} and {names[1]}: {found} found in {counted(comparison.compared, 'text')}"])
    return 1 if found_here else 0


def _show_line(line: str) -> str:
    bare = line.rstrip(" ")
    return visible((bare + "\u2420" * (len(line) - len(bare))).translate(_UNSEEN))


def _show_reading(name: str, reading: Reading) -> Iterator[str]:
    from ....lab.workbench.readers import ParsedText

    if isinstance(reading, Diagnostic):
        refused = paint("refuses", "red")
        yield f"  {name} {refused}: {reading.span.line}:{reading.span.column} {visible(reading.message)}"
        return
    if isinstance(reading, ParsedText):
        yield f"  {name} {paint('reads', 'green')}:"
        yield from ("    " + visible(line.replace("\t", " ")) for line in reading.tree.rstrip().split("\n"))
        return
    yield f"  {name} {paint('reads', 'green')}" + (":" if reading.sections else " nothing")
    for section in reading.to_dict()["sections"]:
        told = {key: value for key, value in section.items() if key not in _UNTOLD and value not in (None, [], {})}
        kind = told.pop("kind")
        yield f"    {kind} " + visible(", ".join(f"{k} {json.dumps(v, ensure_ascii=False)}" for k, v in told.items()))
