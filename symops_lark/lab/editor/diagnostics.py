"""Find what is wrong with a file, as the command line reports it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...core.checking import check_text
from ...core.formats.tools import read_table
from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.grammar.loading import dialects, load_dialect
from ...core.ground.errors import SymOpsError
from ...core.ground.members import coerce_members
from ...core.processor import SymOpsProcessor
from ...core.repairs.loader import load_rules, read_rules, read_ruleset
from ...core.text.diagnostics import Severity
from ..workbench.check import check_format, check_grammar
from ..workbench.check.diagnosis import PLACED, find_written_faults
from ..workbench.check.report import Finding
from ..workbench.check.subject import Subject
from ..workbench.plain import find_start
from .edited_file import RECOVERY, EditedFile, Kind
from .positions import Positions
from .readings import dialect_of

_HINT = re.compile(r"(?m)^\s+(?:hint|expected): .*$")
_CARETS = re.compile(r"(?m)^\s*\|\s*(\^+)$")
_CODE = re.compile(r"(?:(error|warning|note): )?(.*?)(?: \[([a-z0-9-]+)\])?")


@dataclass(frozen=True, slots=True)
class Problem:
    """A diagnostic in a file.

    Attributes:
        start: The offset of its first character.
        end: The offset after its last one.
        message: What is wrong, then lines with what is expected and what to do.
        severity: Its severity.
        code: The name of the mistake; may be empty.
        elsewhere: If the mistake is in another file: its path, and line and column, 1-based.
    """

    start: int
    end: int
    message: str
    severity: Severity = Severity.ERROR
    code: str = ""
    elsewhere: tuple[Path, int, int] | None = None

    def __post_init__(self) -> None:
        coerce_members(self)


def find_problems(
    file: EditedFile, processor: SymOpsProcessor, is_quick: bool = False
) -> list[Problem]:
    """Return the diagnostics of a file.

    Args:
        file: The file.
        processor: The pipeline that reads replies.
        is_quick: Leave out what takes seconds: compiling a grammar and using it.
    """
    try:
        match file.kind:
            case Kind.REPLY:
                return _check_reply(file, processor)
            case Kind.GRAMMAR:
                return _check_grammar(file, is_quick)
            case Kind.FORMAT:
                report = check_format(file.path, _plain(file.text), used=not is_quick)
                return [_place_finding(file, finding) for finding in report.findings]
            case Kind.RULE:
                _check_rule(file)
            case Kind.RULE_SET:
                read_ruleset(file.path, file.data)
            case Kind.TOOLS:
                read_table(file.path, file.data)
    except SymOpsError as error:
        return [_place_error(file, error)]
    return []


def _plain(text: str) -> str:
    """Return a grammar with line feeds as the only line endings, as it is read from a file."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _check_reply(file: EditedFile, processor: SymOpsProcessor) -> list[Problem]:
    problems = []
    for diagnostic in check_text(file.text, processor, dialect_of(file.text, processor)):
        lines = [diagnostic.message]
        if diagnostic.expected:
            lines.append("expected: " + ", ".join(diagnostic.expected))
        if diagnostic.hint:
            lines.append(f"hint: {diagnostic.hint}")
        span = diagnostic.span
        message = "\n".join(lines)
        problems.append(
            Problem(span.start, span.end, message, diagnostic.severity, diagnostic.code)
        )
    return problems


def _check_rule(file: EditedFile) -> None:
    """Raise the first error of a rule file; patterns are compiled once it is saved."""
    rules = read_rules(file.path, file.data)
    # The errors of patterns show the file on the disk, so they need the saved text.
    if not file.is_saved:
        return
    for name in dialects():
        dialect = load_dialect(name)
        if any(rule.serves(dialect) for rule in rules):
            load_rules(dialect, [file.path])


# ---- grammars


def _check_grammar(file: EditedFile, is_quick: bool) -> list[Problem]:
    # Lines and columns of findings refer to the file even if lines end with CR LF: only the line
    # endings differ.
    dialect = WrittenDialect(file.path, _plain(file.text))
    findings = _find_syntax_faults(dialect) if is_quick else check_grammar(dialect).findings
    return [_place_finding(file, finding) for finding in findings]


def _find_syntax_faults(dialect: WrittenDialect) -> Sequence[Finding]:
    subject = Subject(dialect, find_start(dialect))
    # The rules of a recovery grammar are checked in another way if the first of them is missing.
    if dialect.name.endswith(RECOVERY) and subject.starts[0] not in subject.definitions:
        return []
    return find_written_faults(subject)


def _place_finding(file: EditedFile, finding: Finding) -> Problem:
    message = finding.message
    if finding.hint:
        message += f"\nhint: {finding.hint}"
    place = (finding.path, finding.line, finding.column)
    return _place(file, place, message, 0, finding.severity, finding.code)


def _place_error(file: EditedFile, error: SymOpsError) -> Problem:
    """Return the problem of an error whose message begins with `file:line:column:`."""
    text = str(error)
    headline, _, drawn = text.partition("\n")
    placed = PLACED.match(headline)
    # An error about a whole file has no place.
    if placed is None:
        message = headline.removeprefix(f"{file.path}: ")
        return _place(file, (file.path, 1, 1), message, 0)
    parts = _CODE.fullmatch(placed["message"])
    assert parts is not None, "every text matches"
    severity = Severity(parts[1] or "error")
    hints = [line.strip() for line in _HINT.findall(drawn)]
    carets = _CARETS.search(drawn)
    width = len(carets[1]) if carets else 0
    place = (Path(placed["path"]), int(placed["line"]), int(placed["column"]))
    return _place(file, place, "\n".join((parts[2], *hints)), width, severity, parts[3] or "")


def _place(
    file: EditedFile,
    place: tuple[Path, int, int],
    message: str,
    width: int,
    severity: Severity = Severity.ERROR,
    code: str = "",
) -> Problem:
    """Return the problem at a place; without a width it covers the word there."""
    path, line, column = place
    if path != file.path:
        # The editor shows it at the line that imports the other file, with a link to the place.
        start, end = _find_import(file, path.stem)
        message = f"{path.name}:{line}:{column}: {message}"
        return Problem(start, end, message, severity, code, place)
    start = Positions(file.text).find_offset(line, column)
    end = start + width
    if not width:
        _, _, end = file.word_at(start)
        if end == start:
            end = min(start + 1, len(file.text))
    return Problem(start, end, message, severity, code)


def _find_import(file: EditedFile, stem: str) -> tuple[int, int]:
    """Return where a file imports another one; its first line if it does not name it."""
    match = re.search(rf"(?m)^%import[ \t]+\.?{re.escape(stem)}\b[^\n]*", file.text)
    if match:
        return match.span()
    return Positions(file.text).line_around(0)
