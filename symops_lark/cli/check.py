"""`symops check`: what is wrong with texts, drawn with carets; `--fix` puts it right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..diagnostics import Diagnostic, Severity
from .options import dialect_of, files_argument, format_option, json_option, make_processor, rules_option
from .texts import InputText, echo, read_texts, replace_file, write_json_of, write_text
from .view import show_findings, visible

if TYPE_CHECKING:
    from ..processor import SymOpsProcessor


@dataclass(frozen=True, slots=True)
class _Checked:
    dialect: str
    findings: tuple[Diagnostic, ...]

    @property
    def clean(self) -> bool:
        """Whether there is nothing to put right: notes only tell."""
        return all(finding.severity is Severity.NOTE for finding in self.findings)


@click.command(name="check", short_help="Say what is wrong with texts; --fix it.")
@files_argument
@format_option
@rules_option
@click.option("--fix", is_flag=True, help="Write the repaired text, into the file itself or to the output.")
@json_option
def check_command(files: tuple[str, ...], format: str, rules: tuple[str, ...], fix: bool, as_json: bool) -> int:
    """Say what is wrong with texts; with --fix say what still is.

    Exit code 0: nothing; 1: there are findings; 2: bad arguments or files.
    """
    from ..source import Source

    processor = make_processor(format, rules)
    texts, values, code = read_texts(files), [], 0
    for text in texts:
        checked, count, fixed = _check(text, processor), 0, text.text
        if fix and not checked.clean:
            repaired = processor.engine(dialect_of(text.text, processor)).repair(text.text)
            if repaired.changed and repaired.text != text.text:
                count, fixed = len(repaired.repairs), repaired.text
                if text.path is not None:
                    replace_file(text.path, fixed)
                checked = _check(InputText(text.name, fixed, text.path), processor)
        if not checked.clean:
            code = 1
        value: dict[str, Any] = {
            "dialect": checked.dialect,
            "clean": checked.clean,
            "repairs": count,
            "diagnostics": [d.to_dict() for d in checked.findings],
        }
        if fix and text.path is None:
            value["text"] = fixed
        values.append(value)
        if not as_json:
            # Standard output belongs to the repaired text where there is one.
            to_error = fix and text.path is None
            echo(show_findings(checked.findings, Source(fixed, text.name)), err=to_error)
            echo([f"{visible(text.name)}: {_sum_up(checked, count)}"], err=to_error)
            if to_error:
                write_text(fixed)
    if as_json:
        write_json_of(texts, values)
    return code


def _sum_up(checked: _Checked, count: int) -> str:
    done = f"{count} repair{'' if count == 1 else 's'} made, " if count else ""
    found = sum(finding.severity is not Severity.NOTE for finding in checked.findings)
    return f"{done}{found or 'no'} finding{'' if found == 1 else 's'} ({checked.dialect})"


def _check(text: InputText, processor: SymOpsProcessor) -> _Checked:
    """Return the strict parser's findings, the repairs that would help, and the validator's findings."""
    from ..diagnostics import ParseError
    from ..result import Phase, ProtocolError
    from ..strict.parser import parse

    try:
        result = processor.process(text.text)
    except ProtocolError as error:
        findings, dialect = error.diagnostics, dialect_of(text.text, processor)
    else:
        dialect = dialect_of(text.text, processor)
        if result.phase is Phase.STRICT:
            return _Checked(dialect.name, result.diagnostics)
        findings = result.diagnostics
    try:
        parse(text.text, dialect)
    except ParseError as error:
        findings = (*error.diagnostics, *findings)
    return _Checked(dialect.name, findings)
