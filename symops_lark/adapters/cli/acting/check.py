"""`symops check`: report the errors of texts with their lines; `--fix` repairs them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import click

from ....core.ground.numbers import counted
from ....core.text.diagnostics import Diagnostic, Severity
from ....core.text.source import Source
from ..options import dialect_of, files_argument, json_option, processor_options, rules_option
from ..progress import show_progress
from ..texts import InputText, Told, complain, echo, read_texts, tell_each, write_text
from ..view import show_findings
from ..visibility import visible
from .asking import full_diff_option
from .fixing import LEAST_KEPT, Fix, find_refusal, place_of, undo_interrupted, write_fixes

if TYPE_CHECKING:
    from ....core.processor import SymOpsProcessor


@click.command(name="check")
@files_argument
@processor_options(rules_option)
@click.option(
    "--fix",
    is_flag=True,
    help="Write the repaired text to the file, or to standard output for standard input.",
)
@click.option(
    "-y", "--yes", is_flag=True, help="With --fix: write the files without a confirmation."
)
@click.option(
    "--force",
    is_flag=True,
    help=(
        "With --fix: also write read-only files, and texts that keep less than "
        f"{LEAST_KEPT:.0%} of their characters."
    ),
)
@click.option(
    "--explain-discourse",
    is_flag=True,
    help="Also show who speaks in each part, and whether it is asked for.",
)
@full_diff_option
@json_option
def command(
    files: tuple[str, ...],
    processor: SymOpsProcessor,
    fix: bool,
    yes: bool,
    force: bool,
    explain_discourse: bool,
    full_diff: bool,
    as_json: bool,
) -> int:
    """Report format errors in replies; fix them with --fix.

    With --fix each change of a file is shown and needs a confirmation, and the remaining errors are
    reported. `symops undo` restores the files (in the current folder, or in the folder of a file
    outside it). A text without sections is never written.

    Exit code 0: no errors; 1: errors were reported, or a text was not written; 2: bad arguments or
    files.
    \f

    Args:
        files: The files of the texts; none: standard input.
        processor: The pipeline that reads them.
        fix: Whether texts are repaired.
        yes: Whether all changes are agreed to.
        force: Whether texts that lose much and read-only files are written.
        explain_discourse: Whether the passages of the texts are printed.
        full_diff: Whether long differences are shown completely.
        as_json: Whether the findings are printed as JSON.
    """
    if fix:
        # Before the files are read: an interrupted apply has left them half changed.
        existing = [name for name in files if name != "-" and os.path.isfile(name)]
        for root in sorted({place_of(name)[0] for name in existing}):
            undo_interrupted(root)
    texts = read_texts(files)
    checked = {}  # by identity: the same file may be named twice
    with show_progress("checking", len(texts)) as step:
        for number, text in enumerate(texts, 1):
            checked[id(text)] = _check(text, processor, fix)
            step(number, len(texts))
    # All texts are checked before the first question.
    if fix:
        _write(list(checked.values()), yes, force, full_diff)

    def read(text: InputText) -> Told:
        current = checked[id(text)].current
        report = checked[id(text)].report()
        if explain_discourse:
            report = _explain(report, current, processor)
        # Standard output belongs to the repaired text.
        if fix and text.path is None:
            _, value, lines = report
            value["text"] = current
            if not as_json:
                echo(lines, err=True)
                write_text(current)
        return report

    return tell_each(texts, read, as_json)


@dataclass(slots=True)
class _Checked:
    """The findings of a text, and after a repair those of the repaired text.

    `fix`, `repairs` and `findings_after` count once the repaired text is written.
    """

    text: InputText
    dialect: str
    findings: tuple[Diagnostic, ...]
    fix: Fix | None = None
    repairs: int = 0
    findings_after: tuple[Diagnostic, ...] = ()
    is_written: bool = False
    refusal: str = ""

    @property
    def current(self) -> str:
        """The text that a reader of the file has now."""
        return self.fix.fixed if self.fix is not None and self.is_written else self.text.text

    def report(self) -> Told:
        """Return whether the text has no errors, its JSON object, and its lines for people."""
        findings = self.findings_after if self.is_written else self.findings
        repairs = self.repairs if self.is_written else 0
        errors = _count(findings)
        value = {
            "dialect": self.dialect,
            "clean": not errors,
            "repairs": repairs,
            "diagnostics": findings,
        }
        if self.refusal:
            value["refused"] = self.refusal
        done = f"{counted(repairs, 'repair')} made, " if repairs else ""
        result = counted(errors, "finding", zero="no")
        summary = f"{visible(self.text.name)}: {done}{result} ({self.dialect})"
        source = Source(self.current, self.text.name)
        return not errors, value, chain(show_findings(findings, source), [summary])


def _check(text: InputText, processor: SymOpsProcessor, fix: bool) -> _Checked:
    """Check a text, and with `fix` its repaired text as well."""
    from ....core.validator import is_acceptable

    dialect, findings = _find(text.text, processor)
    checked = _Checked(text, dialect, findings)
    if fix and _count(findings):
        repaired = processor.repair(text.text)
        if repaired.text != text.text:
            # Without a section it is probably source code: a repair would destroy it.
            is_empty = not is_acceptable(processor.read(text.text).document)
            checked.fix = Fix(text, repaired.text, is_empty)
            checked.repairs = len(repaired.repairs)
            _, checked.findings_after = _find(repaired.text, processor)
    return checked


def _explain(report: Told, text: str, processor: SymOpsProcessor) -> Told:
    """Add the passages of a text to its report."""
    from ....core.result import ProtocolError
    from .discourse import passages_as_json, read_passages, show_passages

    is_well, value, lines = report
    # The actions are the utterances that the passages belong to.
    try:
        document = processor.read(text).document
    except ProtocolError:  # too long, which is one of the findings
        return report
    passages = read_passages(text, document)
    value["passages"] = passages_as_json(passages, text)
    return is_well, value, chain(lines, show_passages(passages, text))


def _write(checked: Sequence[_Checked], yes: bool, force: bool, full_diff: bool) -> None:
    """Write the repaired texts that may be written, and report those that may not."""
    fixes = []
    for result in checked:
        if result.fix is None:
            continue
        result.refusal = find_refusal(result.fix, force)
        if result.refusal:
            complain(f"{result.text.name}: not written: {result.refusal}")
        # Standard input: the caller prints the repaired text.
        elif result.text.path is None:
            result.is_written = True
        else:
            fixes.append(result.fix)
    names = write_fixes(fixes, yes, full_diff)
    for result in checked:
        result.is_written |= result.text.path in names


def _count(findings: Sequence[Diagnostic]) -> int:
    """Count the findings that a repair should remove: a note is not an error."""
    return sum(finding.severity is not Severity.NOTE for finding in findings)


def _find(text: str, processor: SymOpsProcessor) -> tuple[str, tuple[Diagnostic, ...]]:
    """Return the dialect's name, and all diagnostics."""
    from ....core.checking import check_text

    dialect = dialect_of(text, processor)
    return dialect.name, check_text(text, processor, dialect)
