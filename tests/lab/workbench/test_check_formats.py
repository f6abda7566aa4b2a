"""`symops grammar check` judges the files of formats of other agents by their own loader and writer."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import run

from symops_lark.core.grammar.agent_formats import is_format
from symops_lark.core.ground.resources import find_folder
from symops_lark.lab.workbench.check import check_grammar

TEAM = r"""// Our team's notation: the opener chooses the closer.
document: write*
write: "put " PATH " until " END _NL CONTENT SAME_END _NL
PATH: /[^ \t\n]+/
END: /[A-Z]+/
SAME_END: END
CONTENT: /([^\n]*\n)*/
_NL: /[ \t\r]*\n/
"""
FORMATS = sorted((find_folder("grammars") / "formats").glob("*.lark"))


def change(folder: Path, old: str = "", new: str = "") -> Path:
    path = folder / "team.lark"
    path.write_text(TEAM.replace(old, new) if old else TEAM, "utf-8")
    return path


@pytest.mark.parametrize("path", FORMATS, ids=lambda path: path.stem)
def test_ours_have_no_faults(path: Path) -> None:
    report = check_grammar(path)
    assert report.compiles
    # A diff that deletes a file shows the lines of the file, which an action does not have.
    texts = ["unwritable-rule"] if path.stem == "unified_diff" else []
    assert [finding.code for finding in report.findings] == texts


@pytest.mark.parametrize(
    ("old", "new", "line", "word"),
    [
        ("write", "put", 3, "write, edit, delete"),
        ("_NL: /[ \\t\\r]*\\n/", "_NL: /\\n", 8, "never closed"),
        ("END: /[A-Z]+/\n", "", 3, "no terminal END"),
        ("SAME_END _NL", 'SAME_END _NL"', 3, "never closed"),
        ('"put " PATH " until "', 'PATH " "', 3, "without any mark"),
        ("CONTENT", "TEXT", 3, "PATH and CONTENT"),
    ],
)
def test_a_wrong_file_is_reported_with_its_line(tmp_path: Path, old: str, new: str, line: int, word: str) -> None:
    report = check_grammar(change(tmp_path, old, new))
    assert not report.compiles
    assert report.exit_code == 2
    finding = report.findings[0]
    assert finding.line == line
    assert word in finding.message
    assert finding.source


def test_a_rule_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    # The closer is one letter, which the content has.
    path = change(tmp_path, "/[A-Z]+/", "/[er]/")
    report = check_grammar(path)
    (finding,) = report.findings
    assert (finding.code, finding.line, report.exit_code) == ("unwritable-rule", 3, 1)
    assert "END" in finding.message
    printed = run("prompt", "--format", str(path), "--system")
    assert printed.exit_code == 0
    assert "does not teach create" in printed.stderr
    assert "put" not in printed.stdout


def test_a_rule_that_a_text_keeps_busy_is_a_warning(tmp_path: Path) -> None:
    path = change(tmp_path, '"put " PATH', '"put " _BLANKS? _BLANKS? PATH')
    path.write_text(path.read_text(encoding="utf-8") + "_BLANKS: /[ \\t]+/\n", encoding="utf-8")
    (finding,) = check_grammar(path).findings
    assert (finding.code, finding.line) == ("slow-rule", 3)
    assert "grows with the square" in finding.message


def test_a_sound_file_is_said_to_be_sound(tmp_path: Path) -> None:
    path = change(tmp_path)
    checked = run("grammar", "check", str(path))
    assert (checked.exit_code, checked.stdout) == (0, f"{path}: no errors, no warnings, no notes\n")


@pytest.mark.parametrize(
    "words",
    [
        ("grammar", "sample", "team.lark"),
        ("grammar", "trace", "team.lark"),
        ("grammar", "show", "team.lark"),
        ("export", "lark", "--format", "team.lark", "-o", "exported"),
        ("export", "gbnf", "--format", "team.lark", "-o", "exported"),
    ],
    ids=" ".join,
)
def test_tools_for_dialects_refuse_a_format(
    tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    change(tmp_path)
    monkeypatch.chdir(tmp_path)
    refused = run(*words)
    assert refused.exit_code == 2
    assert "team is a format of another agent, not a dialect: process" in refused.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("process", "--format", "auto:v2.lark,team.lark"), "name it: --format team.lark"),
        (("grammar", "check", "team.lark", "--corpus", "."), "leave --corpus out"),
    ],
)
def test_a_refused_format_is_told_what_to_write(
    tmp_path: Path, words: tuple[str, ...], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(tmp_path)
    (tmp_path / "v2.lark").write_text("%import .v2\n")
    monkeypatch.chdir(tmp_path)
    refused = run(*words, stdin="x")
    assert refused.exit_code == 2 and reason in refused.stderr and "a format of another agent" in refused.stderr


@pytest.mark.parametrize(
    "text",
    [
        "document: _a\n_a: X\n%declare X\n",
        'document: delete item*\nitem: X\nstart: document\nX: "x"\n',
        'document: item*\nitem: X\nX: "x"\n',
        'document: (delete | action)*\naction: X\ndelete: X\nX: "x"\n',
    ],
)
def test_other_grammars_are_no_formats(text: str) -> None:
    assert not is_format(text)
