"""`symops repair`: broken texts put right by the repair rules."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from ..source import lines_with_endings
from .options import dialect_of, files_argument, json_option, reading_options
from .texts import InputText, Told, complain, echo, tell_each, write_text
from .view import is_coloured, paint, show_title
from .visibility import visible

if TYPE_CHECKING:
    from ..processor import SymOpsProcessor
    from ..repairs import Repair, Repaired, Rule


@click.command(name="repair", short_help="Put broken texts right by the rules.")
@files_argument
@reading_options
@click.option("--diff", is_flag=True, help="Print a unified diff in place of the repaired text.")
@click.option("--explain", is_flag=True, help="Say of each repair which rule made it, where, why and at what cost.")
@json_option
def command(
    files: tuple[str, ...], processor: SymOpsProcessor, cut_off: bool | None, diff: bool, explain: bool, as_json: bool
) -> int:
    """Print the repaired text; one that parses strictly comes back as it is.

    Exit code 0: the repaired text parses strictly; 1: it still does not.
    """
    from ..diagnostics import ParseError
    from ..strict.parser import parse

    if len(files) > 1 and not (diff or explain or as_json):
        raise click.UsageError("only one text can be printed: give one file, or --diff, --explain or --json")

    def read(text: InputText) -> Told:
        dialect = dialect_of(text.text, processor)
        engine = processor.engine(dialect)
        repaired = engine.repair(text.text, cut_off=cut_off)
        known, is_strict = {rule.id: rule for rule in engine.rules}, True
        try:
            parse(repaired.text, dialect)
        except ParseError as error:
            is_strict, reason = False, error.diagnostics[0]
            complain(f"{text.name}: the repaired text is still not {dialect.name}: {reason.message} [{reason.code}]")
        if explain and not as_json:
            echo(_explain(text, repaired, known))
        if diff and not as_json:
            _write_diff(text, repaired)
        elif not explain and not as_json:
            write_text(repaired.text)
        return is_strict, _to_dict(repaired, known, dialect.name), ()

    return tell_each(files, read, as_json)


def _to_dict(repaired: Repaired, rules: Mapping[str, Rule], dialect: str) -> dict[str, Any]:
    repairs = [{**made.to_dict(), "why": rules[made.rule].why} for made in repaired.repairs]
    return {"dialect": dialect, "text": repaired.text, "changed": repaired.changed, "repairs": repairs}


def _explain(text: InputText, repaired: Repaired, rules: Mapping[str, Rule]) -> Iterator[str]:
    count, cost = len(repaired.repairs), sum(made.cost for made in repaired.repairs)
    yield show_title(text.name, [f"{count} repair{'' if count == 1 else 's'}", f"cost {cost:g}"])
    for index, made in enumerate(repaired.repairs):
        place = f"{visible(text.name)}:{made.before.line}:{made.before.column}"
        yield f"{place}: {paint(made.rule, 'cyan')}: {made.summary} (cost {made.cost:g})"
        yield f"    why: {rules[made.rule].why}"
        following = repaired.repairs[index + 1 : index + 2]
        if not following or _change(following[0]) != _change(made):  # one edit may be the work of several rules
            yield from _show_change(made)


def _change(made: Repair) -> tuple[Any, ...]:
    return made.before, made.text_before, made.text_after


def _show_change(made: Repair) -> Iterator[str]:
    for mark, side, colour in (("-", made.text_before, "red"), ("+", made.text_after, "green")):
        lines = side.removesuffix("\n").split("\n") if side else []
        yield from ("    " + paint(f"{mark} {visible(line)}", colour) for line in lines[:5])
        if len(lines) > 5:
            yield f"    {mark} … {len(lines) - 5} more lines"


def _write_diff(text: InputText, repaired: Repaired) -> None:
    """Print a unified diff: for a terminal it is coloured and made visible, otherwise `patch` can apply it."""
    before, after = lines_with_endings(text.text), lines_with_endings(repaired.text)
    name = visible(text.name)
    lines = difflib.unified_diff(before, after, name, name)
    if is_coloured():
        colours = {"+": "green", "-": "red", "@": "cyan"}
        echo(paint(visible(line.removesuffix("\n")), colours.get(line[0])) for line in lines)
        return
    missing = "\n\\ No newline at end of file\n"
    write_text("".join(line if line.endswith("\n") else line + missing for line in lines))
