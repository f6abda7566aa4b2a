"""The workbench for grammars that are not dialects: `check` and `sample`."""

from __future__ import annotations

from pathlib import Path

import pytest
from lark import Lark

from symops_lark.core.grammar.loading import load_grammar
from symops_lark.error_correcting.languages import list_languages, load_language
from symops_lark.lab.workbench.check import check_grammar
from symops_lark.lab.workbench.plain import PlainGrammar, find_start
from symops_lark.lab.workbench.sample import draw_plain


def write(folder: Path, text: str) -> Path:
    path = folder / "any.lark"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("name", list_languages())
def test_example_languages_have_no_errors(name: str) -> None:
    report = check_grammar(load_language(name).grammar)
    assert report.compiles
    assert [finding for finding in report.findings if finding.severity == "error"] == []


@pytest.mark.parametrize("name", list_languages())
def test_samples_are_texts_that_lark_parses(name: str) -> None:
    path = load_language(name).grammar
    samples = draw_plain(PlainGrammar(load_grammar(path), "start"), 8)
    parser = Lark(path.read_text("utf-8"), parser="earley")
    assert len(samples.texts) == 8
    for text in samples.texts:
        parser.parse(text)


WRONG = [
    ('start: "a" "b', 1, 12, "never closed"),
    ("start: thing\n", 1, 8, "thing"),
    ('start: A\nA: "a"*\n', 2, 1, "zero"),
    ('start: A\nA: a\na: "x"\n', 2, 4, ""),
    ('start: "a" -> one -> two\n', 1, 19, ""),
    ('start: x{"a"}\n', 1, 8, ""),
]


@pytest.mark.parametrize(("text", "line", "column", "words"), WRONG)
def test_a_wrong_grammar_has_one_error_at_its_place(
    tmp_path: Path, text: str, line: int, column: int, words: str
) -> None:
    report = check_grammar(write(tmp_path, text))
    assert not report.compiles and report.exit_code == 2
    assert len(report.findings) == 1
    finding = report.findings[0]
    assert words in finding.message and finding.line == line
    assert abs(finding.column - column) <= 7


def test_dead_rules_and_conflicts_are_found(tmp_path: Path) -> None:
    report = check_grammar(write(tmp_path, 'start: a\na: "x"\nb: "y"\nC: "z"\n'))
    assert {finding.code for finding in report.findings} == {"unused-rule", "unused-terminal"}
    report = check_grammar(write(tmp_path, 'start: s\ns: "i" s | "i" s "e" s | "x"\n'))
    assert [finding.code for finding in report.findings] == ["read-by-earley"]
    assert report.exit_code == 0


def test_a_grammar_of_which_no_text_is_valid_is_an_error(tmp_path: Path) -> None:
    grammar = 'start: A "b"\nA: /[ab]+/\n'
    report = check_grammar(write(tmp_path, grammar))
    assert "no-valid-sample" in {finding.code for finding in report.findings}
    assert report.exit_code == 1


def test_only_grammars_without_document_are_plain(tmp_path: Path) -> None:
    plain = load_grammar(write(tmp_path, 'start: "a"\n'))
    assert find_start(plain) == "start" and find_start(plain, "other") == "other"
    assert find_start(load_grammar("v2")) == ""
    other = load_grammar(write(tmp_path, 'text: "a"\n'))
    assert find_start(other) == "" and check_grammar(other, start="text").compiles
