"""`symops repair`: repair broken texts with the repair rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.numbers import counted
from ....core.text.source import lines_with_endings
from ..colours import is_coloured, paint
from ..options import dialect_of, files_argument, json_option, reading_options
from ..texts import InputText, Report, complain, echo, print_each, read_texts, write_text
from ..view import compare_lines, show_title, warn_unfinished
from ..visibility import visible

if TYPE_CHECKING:
    from ....core.document import Document
    from ....core.grammar.dialect import Dialect
    from ....core.processor import SymOpsProcessor
    from ....core.repairs.repaired import Repair, Repaired
    from ....core.repairs.rule import Rule

_MAX_LINES = 5  # lines of a changed text that --explain shows
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
# `diff` writes it after a last line without a line feed, and `patch` expects it there.
_NO_NEWLINE = "\n\\ No newline at end of file\n"


@click.command(name="repair")
@files_argument
@reading_options
@click.option("--diff", is_flag=True, help="Print a unified diff instead of the repaired text.")
@click.option(
    "--explain", is_flag=True, help="Explain each repair: its rule, position, reason and cost."
)
@json_option
def command(
    files: tuple[str, ...],
    processor: SymOpsProcessor,
    cut_off: bool | None,
    diff: bool,
    explain: bool,
    as_json: bool,
) -> int:
    """Repair broken texts with the repair rules.

    The repaired text is printed. A text that parses strictly or has no section is printed
    unchanged. An error section follows each action that was truncated or is incomplete; no text
    can say it of a section that only your dialect has, so look at the findings of `process`.

    Exit code 0: the repaired text parses strictly and its actions are complete; 1: it is invalid,
    incomplete or has no section.
    \f

    Args:
        files: The files; none means standard input.
        processor: The pipeline.
        cut_off: Whether the texts were truncated; None if it is to be detected.
        diff: Whether a diff is printed.
        explain: Whether each repair is explained.
        as_json: Whether the output is JSON.

    Raises:
        UsageError: Several texts would be printed as one.
    """
    from ....core.repairs.repaired import Repaired
    from ....core.validator import is_acceptable

    if len(files) > 1 and not (diff or explain or as_json):
        message = "only one text can be printed: give one file, or --diff, --explain or --json"
        raise click.UsageError(message)

    def read(text: InputText) -> Report:
        dialect = dialect_of(text.text, processor)
        repaired = processor.repair(text.text, cut_off=cut_off)
        rules = {rule.id: rule for rule in processor.engine(dialect).rules}
        # Rules also change lines of texts without a section: these are printed unchanged.
        document = processor.read(text.text, cut_off).document
        is_fine = is_acceptable(document)
        if is_fine:
            is_fine = _judge(text.name, repaired, dialect, document if cut_off else None)
        else:
            nothing = f"this says nothing in any dialect (read as {dialect.name})"
            complain(f"{text.name}: {nothing}; it was left as it is")
            repaired = Repaired(text.text, text.text)
        if not as_json:
            if explain:
                echo(_explain(text, repaired, rules))
            if diff:
                _write_diff(text, repaired)
            elif not explain:
                write_text(repaired.text)
        return is_fine, _to_dict(repaired, rules, dialect.name), ()

    return print_each(read_texts(files), read, as_json)


def _judge(name: str, repaired: Repaired, dialect: Dialect, truncated: Document | None) -> bool:
    """Return whether a repaired text is strict and complete; write on standard error why not.

    Args:
        name: The name of the text in messages.
        repaired: The repaired text.
        dialect: Its dialect.
        truncated: The document of a text that is known to be truncated. A text that parses
            strictly is never changed, even if it is known to end too early.
    """
    from ....core.strict.parser import parse
    from ....core.text.diagnostics import ParseError
    from ....core.unfinished import is_whole

    try:
        document = parse(repaired.text, dialect)
    except ParseError as error:
        reason = error.diagnostics[0]
        message = f"the repaired text is still not {dialect.name}: {reason.message}"
        complain(f"{name}: {message} [{reason.code}]")
        return False
    actions = truncated.actions if truncated and not repaired.changed else ()
    if actions and not is_whole(actions[-1]):
        message = "it parses strictly and was left as it is, but its last action may not be whole"
        complain(f"{name}: {message}")
        return False
    return not warn_unfinished(name, document)


def _to_dict(repaired: Repaired, rules: Mapping[str, Rule], dialect: str) -> dict[str, Any]:
    repairs = [{**repair.to_dict(), "why": rules[repair.rule].why} for repair in repaired.repairs]
    text = repaired.text
    return {"dialect": dialect, "text": text, "changed": repaired.changed, "repairs": repairs}


def _explain(text: InputText, repaired: Repaired, rules: Mapping[str, Rule]) -> Iterator[str]:
    repairs = repaired.repairs
    cost = sum(repair.cost for repair in repairs)
    yield show_title(text.name, [counted(len(repairs), "repair"), f"cost {cost:g}"])
    for repair, following in zip_longest(repairs, repairs[1:]):
        # `file:line:column`, which editors and terminals turn into a link.
        place = f"{visible(text.name)}:{repair.before.line}:{repair.before.column}"
        rule = paint(repair.rule, "cyan")
        yield f"{place}: {rule}: {repair.summary} (cost {repair.cost:g})"
        yield f"    why: {rules[repair.rule].why}"
        # One change may be the work of several rules: it is shown after the last of them.
        if following is None or _change(following) != _change(repair):
            yield from _show_change(repair)


def _change(repair: Repair) -> tuple[Any, ...]:
    return repair.before, repair.text_before, repair.text_after


def _show_change(repair: Repair) -> Iterator[str]:
    for mark, side in (("-", repair.text_before), ("+", repair.text_after)):
        # An empty text is an insertion or a deletion.
        lines = side.removesuffix("\n").split("\n") if side else []
        for line in lines[:_MAX_LINES]:
            yield "    " + paint(f"{mark} {visible(line)}", _COLOURS[mark])
        if len(lines) > _MAX_LINES:
            yield f"    {mark} … {counted(len(lines) - _MAX_LINES, 'more line')}"


def _write_diff(text: InputText, repaired: Repaired) -> None:
    """Print a unified diff: visible and colored for a terminal, else as `patch` applies it."""
    before = lines_with_endings(text.text)
    after = lines_with_endings(repaired.text)
    # One name for both: `patch` changes this file.
    name = visible(text.name)
    lines = compare_lines(before, after, name, name, "\n")
    if is_coloured():
        echo(paint(visible(line.removesuffix("\n")), _COLOURS.get(line[0])) for line in lines)
        return
    write_text("".join(line if line.endswith("\n") else line + _NO_NEWLINE for line in lines))
