"""`symops repair`: broken texts put right by the repair rules."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.numbers import counted
from ....core.text.source import lines_with_endings
from ..colours import is_coloured, paint
from ..options import dialect_of, files_argument, json_option, reading_options
from ..texts import InputText, Told, complain, echo, read_texts, tell_each, write_text
from ..view import show_title, warn_unfinished
from ..visibility import visible

if TYPE_CHECKING:
    from ....core.document import Document
    from ....core.grammar.dialect import Dialect
    from ....core.processor import SymOpsProcessor
    from ....core.repairs.repaired import Repair, Repaired
    from ....core.repairs.rule import Rule


@click.command(name="repair")
@files_argument
@reading_options
@click.option("--diff", is_flag=True, help="Print a unified diff instead of the repaired text.")
@click.option("--explain", is_flag=True, help="Explain each repair: its rule, position, reason and cost.")
@json_option
def command(
    files: tuple[str, ...], processor: SymOpsProcessor, cut_off: bool | None, diff: bool, explain: bool, as_json: bool
) -> int:
    """Repair broken texts with the repair rules.

    The repaired text is printed. A text that parses strictly or has no section is printed
    unchanged. An error section follows each action that was truncated or is incomplete; no text
    can say it of a section that only your dialect has, so look at the findings of `process`.

    Exit code 0: the repaired text parses strictly and its actions are complete; 1: it is invalid,
    incomplete or has no section.
    """
    from ....core.repairs.repaired import Repaired
    from ....core.validator import is_acceptable

    if len(files) > 1 and not (diff or explain or as_json):
        raise click.UsageError("only one text can be printed: give one file, or --diff, --explain or --json")

    def read(text: InputText) -> Told:
        dialect = dialect_of(text.text, processor)
        repaired = processor.repair(text.text, cut_off=cut_off)
        known = {rule.id: rule for rule in processor.engine(dialect).rules}
        read = processor.read(text.text, cut_off).document
        is_fine = is_acceptable(read)
        if is_fine:
            is_fine = _judge(text.name, repaired, dialect, read if cut_off else None)
        else:
            complain(f"{text.name}: this says nothing in any dialect (read as {dialect.name}); it was left as it is")
            repaired = Repaired(text.text, text.text)
        if explain and not as_json:
            echo(_explain(text, repaired, known))
        if diff and not as_json:
            _write_diff(text, repaired)
        elif not explain and not as_json:
            write_text(repaired.text)
        return is_fine, _to_dict(repaired, known, dialect.name), ()

    return tell_each(read_texts(files), read, as_json)


def _judge(name: str, repaired: Repaired, dialect: Dialect, cut: Document | None) -> bool:
    """Return whether a repaired text is strict and whole, and complain if not; `cut` is what a text says that is not.

    What parses strictly is never changed, even if it is known to end too early.
    """
    from ....core.strict.parser import parse
    from ....core.text.diagnostics import ParseError
    from ....core.unfinished import is_whole

    try:
        document = parse(repaired.text, dialect)
    except ParseError as error:
        reason = error.diagnostics[0]
        complain(f"{name}: the repaired text is still not {dialect.name}: {reason.message} [{reason.code}]")
        return False
    if cut is not None and not repaired.changed and cut.actions and not is_whole(cut.actions[-1]):
        complain(f"{name}: it parses strictly and was left as it is, but its last action may not be whole")
        return False
    return not warn_unfinished(name, document)


def _to_dict(repaired: Repaired, rules: Mapping[str, Rule], dialect: str) -> dict[str, Any]:
    repairs = [{**made.to_dict(), "why": rules[made.rule].why} for made in repaired.repairs]
    return {"dialect": dialect, "text": repaired.text, "changed": repaired.changed, "repairs": repairs}


def _explain(text: InputText, repaired: Repaired, rules: Mapping[str, Rule]) -> Iterator[str]:
    count, cost = len(repaired.repairs), sum(made.cost for made in repaired.repairs)
    yield show_title(text.name, [counted(count, "repair"), f"cost {cost:g}"])
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
            yield f"    {mark} … {counted(len(lines) - 5, 'more line')}"


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
