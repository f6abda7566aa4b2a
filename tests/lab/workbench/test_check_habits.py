"""`symops grammar check` on what authors of grammars bring along from Lark, from editors and from other notations."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import run
from grammar_changes import V2, Change, define, put

from symops_lark import Severity
from symops_lark.lab.workbench.check import Report, check_grammar


def examine(change: Change, folder: Path) -> Report:
    path = folder / "mine.lark"
    path.write_bytes(change(V2).encode())
    return check_grammar(path, used=False)


NUMBER = "NUMBER:     /[0-9]+/"
CHOICES = "question: ask choice*"
WORDS = 'start: WORD+\nWORD: /[a-z]+/\n%ignore " "\n'

# the change, the code of an error, the beginning of its line
REFUSED: dict[str, tuple[Change, str, str]] = {
    "a dash in a name": (lambda text: text.replace("TEXT", "REST-OF-LINE"), "strange-character", "thought:"),
    "an open parenthesis": (put(NUMBER, "NUMBER:     /([0-9]+/"), "wrong-regex", "NUMBER:"),
    "a circle without a text": (
        lambda text: put("| error)*", "| error | again)*")(text) + "again: once_more\nonce_more: again\n",
        "reduce-reduce",
        "document:",
    ),
}
# the change, and the code of a warning
WARNED: dict[str, tuple[Change, str]] = {
    "an unused terminal": (define('IDLE: "idle"'), "unused-terminal"),
    "a look-ahead": (put(NUMBER, "NUMBER:     /[0-9]+(?=\\.)/"), "look-around"),
    "an imported terminal": (lambda text: put(NUMBER, "NUMBER:     CNAME")(text) + "%import common.CNAME\n", "import"),
    "ignored blanks": (define("%ignore /[ \\t]+/"), "ignore"),
    "a template": (lambda text: put(CHOICES, "question: ask many{choice}")(text) + "many{x}: x*\n", "template"),
    "left recursion": (
        lambda text: put(CHOICES, "question: ask choices?")(text) + "choices: choices choice | choice\n",
        "recursive-rule",
    ),
    "an alias that nobody knows": (put(CHOICES, "question: ask choice* -> query"), "alias"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_habit_that_cannot_work_is_refused(name: str, tmp_path: Path) -> None:
    change, code, line = REFUSED[name]
    report = examine(change, tmp_path)
    finding = report.findings[0]
    assert report.exit_code == 2
    assert (finding.code, finding.severity) == (code, Severity.ERROR)
    assert finding.source.startswith(line)


@pytest.mark.slow
@pytest.mark.alike(6)
@pytest.mark.parametrize("name", WARNED)
def test_a_habit_that_costs_something_is_warned_of(name: str, tmp_path: Path) -> None:
    change, code = WARNED[name]
    report = examine(change, tmp_path)
    assert report.exit_code == 1
    assert code in {finding.code for finding in report.findings if finding.severity is Severity.WARNING}


@pytest.mark.slow
def test_windows_line_ends_cost_nothing(tmp_path: Path) -> None:
    report = examine(lambda text: text.replace("\n", "\r\n"), tmp_path)
    assert report.exit_code == 0


@pytest.mark.xfail(strict=True, reason="wanted: an editor's byte order mark is refused")
def test_a_byte_order_mark_costs_nothing(tmp_path: Path) -> None:
    report = examine(lambda text: "\ufeff" + text, tmp_path)
    assert report.exit_code == 0


@pytest.mark.xfail(strict=True, reason="wanted: the line is that of the rule, not that of its wrong use")
def test_a_rule_in_a_terminal_is_refused_at_its_place(tmp_path: Path) -> None:
    report = examine(put(NUMBER, "NUMBER:     choice"), tmp_path)
    [finding] = report.findings
    assert report.exit_code == 2
    assert "inside terminals" in finding.message
    assert finding.source.startswith("NUMBER:")


@pytest.mark.slow
def test_a_verb_of_any_case_is_refused_by_the_command(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(put('DELETE:  "delete"', 'DELETE:  "delete"i')(V2), encoding="utf-8")
    result = run("grammar", "check", str(path))
    assert result.exit_code == 2
    assert "the verb DELETE is not a fixed text" in result.stdout
    assert "Traceback" not in result.output
