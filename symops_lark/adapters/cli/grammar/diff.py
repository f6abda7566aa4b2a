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

# Signs for a tab and for characters without ink: a difference is often one of them.
_PICTURES = {9: 0x2409, **dict.fromkeys([0x200B, 0x2028, 0x2029, 0xFEFF], 0xFFFD)}
_BLANK = "\u2420"
# Members of a section that follow from its position, not from its text.
_LEFT_OUT = ("kind", "span", "content_span", "confidence", "completeness")


@click.command(name="diff")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "-n",
    "--number",
    type=click.IntRange(min=1),
    default=200,
    help="Number of random texts of each grammar.",
)
@click.option("--seed", default="0", help="Seed of the random texts: any word.")
@click.option(
    "--start", default="", metavar="RULE", help="Start rule of grammars that are not dialects."
)
@json_option
def command(first: str, second: str, number: int, seed: str, start: str, as_json: bool) -> int:
    """Find texts that two grammars parse differently.

    These are texts that only one grammar accepts, or that both accept with different results. A and
    B are names of dialects or .lark files: also grammars that are not dialects, with the rule
    `start`. Then the results are Lark's trees.

    Exit code 0: no difference was found; 1: there are differences.
    \f

    Args:
        first: A dialect, or the file of a grammar.
        second: Another one.
        number: Number of random texts of each grammar.
        seed: The seed of the random texts.
        start: The start rule of grammars that are not dialects.
        as_json: Whether the output is JSON.
    """
    from ....core.grammar.loading import load_grammar
    from ....lab.workbench.difference import Kind, compare

    with show_progress("comparing texts") as step:
        comparison = compare(load_grammar(first), load_grammar(second), number, seed, step, start)
    differences = comparison.differences
    exit_code = int(bool(differences))
    if as_json:
        value = write_object(comparison, "compared", "differences")
        write_json({"first": first, "second": second, **value})
        return exit_code
    names = (visible(first), visible(second))
    titles = {
        Kind.FIRST_ONLY: f"only {names[0]} accepts",
        Kind.SECOND_ONLY: f"only {names[1]} accepts",
        Kind.READ_DIFFERENTLY: "read differently",
    }
    for place, difference in enumerate(differences, 1):
        echo([paint(f"{place}. {titles[difference.kind]}", bold=True)])
        echo(f"    | {_show_line(line)}" for line in difference.text.split("\n"))
        for name, reading in zip(names, (difference.first, difference.second), strict=True):
            echo(_show_reading(name, reading))
    total = counted(len(differences), "difference", zero="no")
    texts = counted(comparison.compared, "text")
    echo([f"{names[0]} and {names[1]}: {total} found in {texts}"])
    return exit_code


def _show_line(line: str) -> str:
    # Blanks at the end of a line could not be seen.
    text = line.rstrip(" ").ljust(len(line), _BLANK)
    return visible(text.translate(_PICTURES))


def _show_reading(name: str, reading: Reading) -> Iterator[str]:
    from ....lab.workbench.readers import ParsedText

    if isinstance(reading, Diagnostic):
        place = f"{reading.span.line}:{reading.span.column}"
        yield f"  {name} {paint('refuses', 'red')}: {place} {visible(reading.message)}"
        return
    title = f"  {name} {paint('reads', 'green')}"
    # The tree of a grammar that is not a dialect: its rules have any names.
    if isinstance(reading, ParsedText):
        yield f"{title}:"
        for line in reading.tree.rstrip().split("\n"):
            yield "    " + visible(line.replace("\t", " "))
        return
    yield title + (":" if reading.sections else " nothing")
    for section in reading.to_dict()["sections"]:
        members = []
        for key, value in section.items():
            # Empty members are the same in both readings.
            if key not in _LEFT_OUT and value not in (None, [], {}):
                members.append(f"{key} {json.dumps(value, ensure_ascii=False)}")
        yield f"    {section['kind']} " + visible(", ".join(members))
