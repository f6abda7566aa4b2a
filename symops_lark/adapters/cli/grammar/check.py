"""`symops grammar check`: errors of a grammar, and how often contents have its delimiters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ....core.ground.numbers import counted
from ....core.text.diagnostics import Severity
from ..colours import paint
from ..options import json_option
from ..progress import show_progress
from ..tables import align
from ..texts import echo, write_json
from ..view import COLOURS
from ..visibility import visible

if TYPE_CHECKING:
    from ....lab.workbench.check import Finding, Report, Survey

_MAX_COLUMNS = 120  # of a line of the grammar


@click.command(name="check")
@click.argument("name", metavar="NAME|FILE")
@click.option(
    "--corpus",
    metavar="DIR",
    help="Also count the lines that are a delimiter in the files of a folder.",
)
@click.option(
    "--start", default="", metavar="RULE", help="Start rule of a grammar that is not a dialect."
)
@json_option
def command(name: str, corpus: str | None, start: str, as_json: bool) -> int:
    """Check a grammar for errors.

    A grammar with the rule `start` and without `document` is not a dialect: any grammar of Lark can
    be checked.

    The file of a format of another agent is read by its loader, and each verb is written and read
    back.

    The check also reports rules that are dead, ambiguous or not portable.

    Exit code 0: no diagnostics, or only notes; 1: warnings or errors; 2: the grammar cannot be read
    or compiled.
    \f

    Args:
        name: The dialect, or the file of a grammar.
        corpus: The folder of files whose lines are counted.
        start: The start rule of a grammar that is not a dialect.
        as_json: Whether the output is JSON.

    Raises:
        UsageError: The lines of a format are to be counted.
    """
    from ....core.grammar.agent_formats import is_agent_format
    from ....core.grammar.loading import load_grammar
    from ....lab.workbench.check import check_grammar, delimiters_of, survey

    if corpus is not None and is_agent_format(name):
        message = f"{name} is a format of another agent, which has no delimiters to count"
        raise click.UsageError(f"{message}: leave --corpus out")
    dialect = load_grammar(name)
    counts = None
    with show_progress("checking"):
        report = check_grammar(dialect, start=start)
        # A grammar that cannot be compiled has no delimiters.
        if corpus is not None and report.compiles:
            counts = survey([Path(corpus)], [delimiters_of(dialect)], examples=0)
    if as_json:
        corpus_value = {"corpus": counts.to_dict()} if counts else {}
        write_json({**report.to_dict(), **corpus_value})
        return report.exit_code
    for finding in report.findings:
        echo(_draw(finding))
    if report.inherited:
        findings = counted(report.inherited, "finding")
        bases = " and ".join(report.bases)
        echo([f"not repeated: {findings} about {bases}, on which it builds"])
    echo([f"{visible(name)}: {_sum_up(report)}"])
    if counts is not None:
        echo(["", *_draw_survey(counts, dialect.marks["open"], dialect.marks["close"])])
    return report.exit_code


def _draw(finding: Finding) -> Iterator[str]:
    severity = paint(str(finding.severity), COLOURS[finding.severity], bold=True)
    place = f"{visible(str(finding.path))}:{finding.line}:{finding.column}"
    yield f"{place}: {severity}: {visible(finding.message)} [{finding.code}]"
    if finding.source.strip():
        # Of a long line the part around the column is shown: a generated line has thousands of
        # characters.
        start = max(0, finding.column - 1 - _MAX_COLUMNS // 2)
        end = start + _MAX_COLUMNS
        line = visible(finding.source).replace("\t", " ")
        ellipsis = "…" if end < len(line) else ""
        yield f"{finding.line:>5} | {line[start:end]}{ellipsis}"
        yield " " * 6 + "| " + " " * (finding.column - 1 - start) + "^"
    if finding.example:
        # As JSON, so that line ends and blanks can be seen.
        yield "        example: " + visible(json.dumps(finding.example, ensure_ascii=False))
    if finding.hint:
        yield "        hint: " + visible(finding.hint)


def _sum_up(report: Report) -> str:
    if not report.compiles:
        return "the grammar cannot be compiled"
    severities = [finding.severity for finding in report.findings]
    # All three are named, so that zero errors can be seen.
    return ", ".join(counted(severities.count(kind), kind, zero="no") for kind in Severity)


def _draw_survey(survey: Survey, opener: str, closer: str) -> Iterator[str]:
    marks = f"{visible(opener)} (opener) or {visible(closer)} (closer)"
    yield f"files in which a line is only {marks}, blanks aside:"
    rows = [["language", "files", "opener", "closer", "either, 95 % interval", "lines begun"]]
    for row in survey.rows:
        share = f"{row.share:7.3%}  [{row.low:.3%}, {row.high:.3%}]"
        cells = (row.files, row.opener, row.closer, share, row.lines)
        rows.append([row.language, *map(str, cells)])
    # All but the names and the intervals are numbers.
    yield from align(rows, right=(1, 2, 3, 5))
    if survey.skipped:
        reasons = ", ".join(f"{count} {reason}" for reason, count in survey.skipped.items())
        yield f"not read: {reasons}"
