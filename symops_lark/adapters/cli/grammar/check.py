"""`symops grammar check`: what is wrong, dead, ambiguous or not portable in a dialect; how risky its delimiters are."""

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

_WIDTH = 120


@click.command(name="check")
@click.argument("name", metavar="NAME|FILE")
@click.option("--corpus", metavar="DIR", help="Also count the lines that are a delimiter in the files of a folder.")
@click.option("--start", default="", metavar="RULE", help="Start rule of a grammar that is not a dialect.")
@json_option
def command(name: str, corpus: str | None, start: str, as_json: bool) -> int:
    """Check a grammar for errors.

    A grammar with the rule `start` and without `document` is not a dialect: any grammar of Lark can be checked.

    The file of a format of another agent is read by its loader, and each verb is written and read back.

    The check also reports rules that are dead, ambiguous or not portable.

    Exit code 0: no diagnostics, or only notes; 1: warnings or errors; 2: the grammar cannot be read
    or compiled.
    """
    from ....core.grammar.loading import load_grammar
    from ....lab.workbench.check import check_grammar, delimiters_of, survey

    dialect = load_grammar(name)
    found = None
    with show_progress("checking"):
        report = check_grammar(dialect, start=start)
        if corpus is not None and report.compiles:
            found = survey([Path(corpus)], [delimiters_of(dialect)], examples=0)
    if as_json:
        write_json({**report.to_dict(), **({"corpus": found.to_dict()} if found else {})})
        return report.exit_code
    for finding in report.findings:
        echo(_draw(finding))
    if report.inherited:
        said = f"{counted(report.inherited, 'finding')}"
        echo([f"not repeated: {said} about {' and '.join(report.bases)}, on which it builds"])
    echo([f"{visible(name)}: {_sum_up(report)}"])
    if found is not None:
        echo(["", *_draw_survey(found, dialect.marks["open"], dialect.marks["close"])])
    return report.exit_code


def _draw(finding: Finding) -> Iterator[str]:
    severity = paint(str(finding.severity), COLOURS[finding.severity], bold=True)
    place = f"{visible(str(finding.path))}:{finding.line}:{finding.column}"
    yield f"{place}: {severity}: {visible(finding.message)} [{finding.code}]"
    if finding.shown.strip():
        left = max(0, finding.column - 1 - _WIDTH // 2)
        shown = visible(finding.shown).replace("\t", " ")
        cut = "…" if left + _WIDTH < len(shown) else ""
        yield f"{finding.line:>5} | {shown[left : left + _WIDTH]}{cut}"
        yield " " * 6 + "| " + " " * (finding.column - 1 - left) + "^"
    if finding.example:
        yield "        example: " + visible(json.dumps(finding.example, ensure_ascii=False))
    if finding.hint:
        yield "        hint: " + visible(finding.hint)


def _sum_up(report: Report) -> str:
    if not report.compiles:
        return "the grammar cannot be compiled"
    counts = {severity: sum(f.severity is severity for f in report.findings) for severity in Severity}
    return ", ".join(counted(count, str(severity), zero="no") for severity, count in counts.items())


def _draw_survey(found: Survey, opener: str, closer: str) -> Iterator[str]:
    yield f"files in which a line is only {visible(opener)} (opener) or {visible(closer)} (closer), blanks aside:"
    rows = [["language", "files", "opener", "closer", "either, 95 % interval", "lines begun"]]
    for row in found.rows:
        share = f"{row.share:7.3%}  [{row.low:.3%}, {row.high:.3%}]"
        rows.append([row.language, *map(str, (row.files, row.opener, row.closer, share, row.lines))])
    yield from align(rows, right=(1, 2, 3, 5))
    if found.skipped:
        yield "not read: " + ", ".join(f"{count} {reason}" for reason, count in found.skipped.items())
