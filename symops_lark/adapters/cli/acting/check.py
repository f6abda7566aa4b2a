"""`symops check`: what is wrong with texts, drawn with carets; `--fix` puts it right."""

from __future__ import annotations

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
from .fixing import LEAST_KEPT, Fix, bring_back_interrupted, find_refusal, write_fixes

if TYPE_CHECKING:
    from ....core.processor import SymOpsProcessor


@click.command(name="check")
@files_argument
@processor_options(rules_option)
@click.option(
    "--fix", is_flag=True, help="Write the repaired text to the file, or to standard output for standard input."
)
@click.option("-y", "--yes", is_flag=True, help="With --fix: write the files without a confirmation.")
@click.option(
    "--force",
    is_flag=True,
    help=(
        f"With --fix: also write read-only files, and texts that keep less than {LEAST_KEPT:.0%} of their characters."
    ),
)
@click.option(
    "--explain-discourse", is_flag=True, help="Also show who speaks in each part, and whether it is asked for."
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
    """
    if fix:
        bring_back_interrupted(files)
    texts = read_texts(files)
    checked = {}
    with show_progress("checking", len(texts)) as step:
        for number, text in enumerate(texts, 1):
            checked[id(text)] = _check(text, processor, fix)
            step(number, len(texts))
    if fix:
        _write(list(checked.values()), yes, force, full_diff)

    def read(text: InputText) -> Told:
        found = checked[id(text)]
        told = found.tell(as_json)
        if explain_discourse:
            told = _explain(told, found.shown, processor)
        if fix and text.path is None:  # standard output belongs to the repaired text
            told[1]["text"] = found.shown
            if not as_json:
                echo(told[2], err=True)
                write_text(found.shown)
        return told

    return tell_each(texts, read, as_json)


@dataclass(slots=True)
class _Checked:
    """What was found in a text; `fixed` is its repaired text, which counts once it is `written`."""

    text: InputText
    dialect: str
    findings: tuple[Diagnostic, ...]
    fix: Fix | None = None
    repairs: int = 0
    findings_after: tuple[Diagnostic, ...] = ()
    written: bool = False
    refusal: str = ""

    @property
    def shown(self) -> str:
        return self.fix.fixed if self.fix is not None and self.written else self.text.text

    def tell(self, as_json: bool) -> Told:
        findings = self.findings_after if self.written else self.findings
        count, found = self.repairs if self.written else 0, _count(findings)
        value = {"dialect": self.dialect, "clean": not found, "repairs": count, "diagnostics": findings}
        if self.refusal:
            value["refused"] = self.refusal
        done = f"{counted(count, 'repair')} made, " if count else ""
        told = f"{visible(self.text.name)}: {done}{counted(found, 'finding', zero='no')} ({self.dialect})"
        return not found, value, chain(show_findings(findings, Source(self.shown, self.text.name)), [told])


def _check(text: InputText, processor: SymOpsProcessor, fix: bool) -> _Checked:
    """Check a text, and with `fix` its repaired text as well."""
    from ....core.validator import is_acceptable

    dialect, findings = _find(text.text, processor)
    checked = _Checked(text, dialect, findings)
    if fix and _count(findings):
        repaired = processor.repair(text.text)
        if repaired.text != text.text:
            says_nothing = not is_acceptable(processor.read(text.text).document)
            checked.fix, checked.repairs = Fix(text, repaired.text, says_nothing), len(repaired.repairs)
            checked.findings_after = _find(repaired.text, processor)[1]
    return checked


def _explain(told: Told, text: str, processor: SymOpsProcessor) -> Told:
    """Add the passages of a text to what is told about it."""
    from ....core.result import ProtocolError
    from .discourse import passages_as_json, read_passages, show_passages

    is_well, value, lines = told
    try:
        document = processor.read(text).document
    except ProtocolError:  # too long, which is one of the findings
        return told
    passages = read_passages(text, document)
    value["passages"] = passages_as_json(passages, text)
    return is_well, value, chain(lines, show_passages(passages, text))


def _write(checked: Sequence[_Checked], yes: bool, force: bool, full_diff: bool) -> None:
    """Write what may be written, and say what is not."""
    wanted = []
    for each in checked:
        if each.fix is None:
            continue
        each.refusal = find_refusal(each.fix, force)
        if each.refusal:
            complain(f"{each.text.name}: not written: {each.refusal}")
        elif each.text.path is None:
            each.written = True
        else:
            wanted.append(each.fix)
    written = write_fixes(wanted, yes, full_diff)
    for each in checked:
        each.written = each.written or each.text.path in written


def _count(findings: Sequence[Diagnostic]) -> int:
    """Count what there is to put right: notes only tell."""
    return sum(finding.severity is not Severity.NOTE for finding in findings)


def _find(text: str, processor: SymOpsProcessor) -> tuple[str, tuple[Diagnostic, ...]]:
    """Return the dialect's name, and all diagnostics."""
    from ....core.checking import check_text

    dialect = dialect_of(text, processor)
    return dialect.name, check_text(text, processor, dialect)
