"""`symops check`: what is wrong with texts, drawn with carets; `--fix` puts it right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import click

from ..diagnostics import Diagnostic, Severity
from .options import dialect_of, files_argument, json_option, processor_options, rules_option
from .texts import InputText, Told, echo, replace_file, tell_each, write_text
from .view import show_findings
from .visibility import visible

if TYPE_CHECKING:
    from ..processor import SymOpsProcessor


@click.command(name="check", short_help="Say what is wrong with texts; --fix it.")
@files_argument
@processor_options(rules_option)
@click.option("--fix", is_flag=True, help="Write the repaired text, into the file itself or to the output.")
@json_option
def command(files: tuple[str, ...], processor: SymOpsProcessor, fix: bool, as_json: bool) -> int:
    """Say what is wrong with texts; with --fix say what still is.

    Exit code 0: nothing; 1: there are findings; 2: bad arguments or files.
    """
    from ..source import Source

    def read(text: InputText) -> Told:
        dialect, findings = _check(text.text, processor)
        count, fixed = 0, text.text
        if fix and _count(findings):
            repaired = processor.engine(dialect_of(text.text, processor)).repair(text.text)
            if repaired.changed and repaired.text != text.text:
                count, fixed = len(repaired.repairs), repaired.text
                if text.path is not None:
                    replace_file(text.path, fixed)
                dialect, findings = _check(fixed, processor)
        found = _count(findings)
        value = {"dialect": dialect, "clean": not found, "repairs": count, "diagnostics": findings}
        done = f"{count} repair{'' if count == 1 else 's'} made, " if count else ""
        told = f"{visible(text.name)}: {done}{found or 'no'} finding{'' if found == 1 else 's'} ({dialect})"
        lines = chain(show_findings(findings, Source(fixed, text.name)), [told])
        if fix and text.path is None:  # standard output belongs to the repaired text
            value["text"] = fixed
            if not as_json:
                echo(lines, err=True)
                write_text(fixed)
        return not found, value, lines

    return tell_each(files, read, as_json)


def _count(findings: Sequence[Diagnostic]) -> int:
    """Count what there is to put right: notes only tell."""
    return sum(finding.severity is not Severity.NOTE for finding in findings)


def _check(text: str, processor: SymOpsProcessor) -> tuple[str, tuple[Diagnostic, ...]]:
    """Return the dialect's name, and what the strict parser says, which repairs would help, what the validator says."""
    from ..diagnostics import ParseError
    from ..result import Phase, ProtocolError
    from ..strict.parser import parse

    findings: tuple[Diagnostic, ...]
    try:
        result = processor.process(text)
    except ProtocolError as error:
        findings, dialect = error.diagnostics, dialect_of(text, processor)
    else:
        findings, dialect = result.diagnostics, dialect_of(text, processor)
        if result.phase is Phase.STRICT:
            return dialect.name, findings
    try:
        parse(text, dialect)
    except ParseError as error:
        findings = (*error.diagnostics, *findings)
    return dialect.name, findings
