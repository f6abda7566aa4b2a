"""`symops grammar check`: every check finds the grammar that was broken for it, and nothing is wrong with v1 and v2."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path

import pytest
from broken_grammars import BROKEN, two_readings
from command_line import run
from grammar_changes import FEATURE_CHANGES, V2, Change, define, put
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark

from symops_lark import Severity
from symops_lark.core.grammar.compiling.compiler import STARTS
from symops_lark.core.grammar.compiling.regular import Language, Unsupported, find_common, find_longer, find_shortest
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.exports.subset import load_features
from symops_lark.lab.workbench import check as workbench
from symops_lark.lab.workbench.check import CHECKS, Report, check_grammar, delimiters_of, survey
from symops_lark.lab.workbench.check.delimiters import MAX_BYTES
from symops_lark.lab.workbench.check.subject import Subject


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


def examine(change: Change, folder: Path) -> Report:
    path = folder / "mine.lark"
    path.write_text(change(V2), encoding="utf-8")
    return check_grammar(path, used=False)


# ---- the installed ones


@pytest.mark.slow
@pytest.mark.parametrize("name", ["v1", "v2"])
def test_installed_dialects_have_neither_errors_nor_warnings(name: str) -> None:
    report = check_grammar(name)
    assert [f for f in report.findings if f.severity is not Severity.NOTE] == []
    assert report.compiles and report.exit_code == 0


@pytest.mark.slow
def test_notes_say_what_is_special_about_v2() -> None:
    notes = {(f.code, f.example) for f in check_grammar("v2").findings}
    assert {("hidden-reading", "::c0"), ("look-ahead", ":"), ("similar-marks", "::")} <= notes
    assert {"keyword", "start-rule", "non-ascii-class"} <= {code for code, _ in notes}


# ---- each check, by a grammar broken for it


@pytest.mark.slow
@pytest.mark.alike(3)
@pytest.mark.parametrize("code", BROKEN)
def test_a_broken_grammar_is_found_at_its_definition(code: str, tmp_path: Path) -> None:
    change, message, severity, example = BROKEN[code]
    report = examine(change, tmp_path)
    findings = [f for f in report.findings if f.code == code and f.severity is severity and message in f.message]
    assert findings and example in {f.example for f in findings}, report.findings
    assert report.exit_code == (1 if severity is Severity.WARNING else 0) or severity is Severity.NOTE
    text = (tmp_path / "mine.lark").read_text(encoding="utf-8").split("\n")
    for finding in report.findings:
        assert finding.path == tmp_path / "mine.lark" and text[finding.line - 1] == finding.source
        assert 0 < finding.column <= len(finding.source)


@pytest.mark.slow
def test_notes_of_marks_are_graded(tmp_path: Path) -> None:
    report = examine(put('_QUESTION: "?"', '_QUESTION: "!!"'), tmp_path)
    assert any(f.code == "similar-marks" and "the longer one wins" in f.message for f in report.findings)
    assert any("distinguishes them" in f.message for f in report.findings)
    unread = examine(put("BLOCK: _OPEN _NL", 'BLOCK: "<<<" _NL'), tmp_path)
    assert [f.code for f in unread.findings if "_OPEN" in f.message and f.code.startswith("unused")] == [
        "unused-but-read"
    ]


def test_every_feature_of_the_table_is_tried() -> None:
    assert FEATURE_CHANGES.keys() == load_features().keys()
    assert len(CHECKS) == len(set(CHECKS)) >= 10


@pytest.mark.alike(6)
@pytest.mark.parametrize("code", FEATURE_CHANGES)
def test_what_is_not_portable_is_found_and_says_who_loses_it(code: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(FEATURE_CHANGES[code](V2), encoding="utf-8")
    subject = Subject(load_grammar(path))
    items = [f for check in CHECKS if "portability" in check.__module__ for f in check(subject) if f.code == code]
    assert items
    for loss in load_features()[code].losses:
        assert f"{loss.export} {loss.effect} ({loss.source})" in items[0].message
    assert items[0].severity is (Severity.WARNING if load_features()[code].losses else Severity.NOTE)


# ---- what cannot be compiled

REFUSED: dict[str, tuple[Change, str, str]] = {
    # code: the change, the line with the mistake, a part of the hint
    "reduce-reduce": (two_readings, "other:", "make them one rule"),
    "unclosed-string": (put('_TARGET:   "@"', '_TARGET:   "@'), "_TARGET:", "closing quote"),
    "unclosed-regex": (put("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9]+"), "NUMBER:", "closing slash"),
    "strange-character": (put('_TARGET:   "@"', "_TARGET:   '@'"), "_TARGET:", "double quotes"),
    "missing-colon": (put("thought:  _THOUGHT", "thought  _THOUGHT"), "thought ", "a definition is `name: …`"),
    "stray-line": (define("( TEXT )"), "( TEXT )", "begins with `|`"),
    "unbalanced-bracket": (put("choice:   _SP", "choice:   (_SP"), "choice:", "write `)`"),
    "wrong-name": (put("ask:      _QUESTION", "Ask:      _QUESTION"), "Ask:", "all lower-case"),
    "wrong-regex": (put("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9+/"), "NUMBER:", "closed by `]`"),
    "defined-twice": (define("NUMBER: /x/"), "NUMBER: /x/", "another name"),
    "undefined-rule": (put("| question |", "| qestion |"), "document:", "did you mean `question`?"),
    "undefined-terminal": (put("_SP TEXT _NL", "_SP TEXTT _NL"), "thought:", "did you mean `TEXT`?"),
    "missing-mark": (put('_TARGET:   "@"', "_TARGET:   /@/"), "_TARGET:", "as one string"),
    "missing-verbs": (lambda text: text.replace("_removing", "_removed"), "//", "did you mean `_removed`?"),
    "undefined-rule ": (lambda text: "", "", "define it: `document: …`"),
    "wrong-verb": (put("_removing: DELETE | REMOVE", "_removing: DELETE | choice"), "_removing:", 'RUN: "run"'),
    "grammar-error": (put("_SP: /[ \\t]+/", "_SP: /[ \\t]*/"), "", "write `+` for `*`"),
}


@pytest.mark.parametrize("code", REFUSED)
def test_a_refused_grammar_is_explained(code: str, tmp_path: Path) -> None:
    change, line, hint = REFUSED[code]
    report = examine(change, tmp_path)
    assert not report.compiles and report.exit_code == 2
    finding = next(f for f in report.findings if f.code == code.strip())
    assert finding.severity is Severity.ERROR and finding.source.startswith(line) and hint in finding.hint, finding
    assert "Traceback" not in finding.message


@pytest.mark.slow
def test_what_a_reader_refuses_is_refused_at_its_place(tmp_path: Path) -> None:
    """A tool can load such a dialect: the check called it the fault of an export, in the grammar below."""
    path = tmp_path / "mine.lark"
    path.write_text("%import .v2\n%override BLOCK: _OPEN TAG _NL _CONTENT_LINE* _CLOSE TAG _NL\nTAG: /[a-z]+/\n")
    [finding] = [finding for finding in check_grammar(path).findings if finding.severity is Severity.ERROR]
    assert finding.code == "grammar-error" and "is a closer that the opener chooses" in finding.message
    assert (finding.path, finding.line) == (path, 3)


@pytest.mark.slow
def test_a_conflict_of_reductions_has_an_example(tmp_path: Path) -> None:
    report = examine(REFUSED["reduce-reduce"][0], tmp_path)
    assert report.findings[0].example.startswith(">> a\n")


@pytest.mark.slow
def test_a_rule_of_one_line_that_is_no_pattern(tmp_path: Path) -> None:
    change = put("vitals:   VITAL (_SP VITAL)* _NL", "vitals:   VITAL _more\n_more: _NL | _SP VITAL _more")
    [finding] = examine(change, tmp_path).findings
    assert finding.source.startswith("vitals:") and "leads not back" in finding.hint


@pytest.mark.slow
@given(st.data())
def test_no_damage_gives_a_traceback(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    text = V2
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        deleted = data.draw(st.integers(0, 4))
        inserted = data.draw(st.text(st.sampled_from("()[]{}|*+?~/\\\"':.,%_aA0-> \n"), max_size=3))
        text = text[:at] + inserted + text[at + deleted :]
    path = tmp_path_factory.mktemp("damaged") / "mine.lark"
    path.write_text(text, encoding="utf-8")
    result = run("grammar", "check", str(path))
    assert result.exit_code in (0, 1, 2), result.stderr
    assert "Traceback" not in result.output and "this is a bug" not in result.stderr
    assert result.exit_code != 2 or "error" in result.output or result.stderr.startswith("symops: ")


# ---- regular languages


@pytest.mark.parametrize(
    ("pattern", "matches", "misses"),
    [
        (r"a(b|c)*d?", ("a", "abcb", "ad"), ("", "b", "add")),
        (r"[^\]a-c\n]+", ("x", "-d"), ("]", "b", "x\n")),
        (r"[]a-]{2,3}", ("]-", "aa]"), ("a", "aaaa")),
        (r"(?i:ab)\.", ("aB.",), ("ab", "abx")),
        (r"\x41\u00e9[\w-]{0,}", ("Aé", "Aé_9-"), ("A",)),
        (r"(?s:.).", ("\na",), ("a\n",)),
        (r"a{,2}b{2}", ("bb", "aabb"), ("ab", "aaabb")),
    ],
)
def test_languages_match_what_re_matches(pattern: str, matches: tuple[str, ...], misses: tuple[str, ...]) -> None:
    language = Language(pattern)
    for text in (*matches, *misses):
        assert language.matches(text) == bool(re.fullmatch(pattern, text)) == (text in matches), text


@pytest.mark.parametrize("pattern", [r"(?=a)", r"a\b", r"^a", r"(a)\1", r"(", r"[a", r"a)", "a{9999}{9}", "\\"])
def test_what_is_no_regular_language_is_said(pattern: str) -> None:
    with pytest.raises(Unsupported):
        Language(pattern)


def test_examples_are_shortest() -> None:
    name, number = Language("[a-z][a-z0-9]*"), Language("[a-z]?[0-9]+")
    assert find_common(name, number) == "a0" and find_shortest(number) == "0"
    assert find_longer(Language("a+"), Language("a*b"), None) == ("ab", 1)
    assert find_longer(Language("a"), Language("abc"), Language("x")) is None


@pytest.mark.slow
def test_interegular_finds_the_same_collisions() -> None:
    interegular = pytest.importorskip("interegular")
    terminals = [t for t in Lark(V2, parser="lalr", start=list(STARTS)).terminals if t.name != "BLOCK"]
    patterns = {t.name: t.pattern.to_regexp() for t in terminals}
    comparator = interegular.Comparator.from_regexes(patterns)
    languages = {name: Language(pattern) for name, pattern in patterns.items()}
    shared = 0
    for first, second in combinations(sorted(patterns), 2):
        text = find_common(languages[first], languages[second])
        assert (text is None) == comparator.isdisjoint(first, second), (first, second)
        if text is not None:
            shared += 1
            assert re.fullmatch(patterns[first], text) and re.fullmatch(patterns[second], text)
    assert shared > 20


# ---- delimiters in a folder


def test_survey_counts_files_by_language(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("<<<  \nx\n  >>>\n")
    (tmp_path / "b.PY").write_text(">>> x\n<<<<\n")
    (tmp_path / "c.md").write_bytes(b"<<<\r\n>>>")
    (tmp_path / "d.xyz").write_text("")
    (tmp_path / "e.bin").write_bytes(b"<<<\n\0")
    (tmp_path / "f.txt").write_bytes(b"\xff\n")
    (tmp_path / "g.txt").write_bytes(b"a" * (MAX_BYTES + 1))
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "h.py").write_text("<<<\n")
    result = survey([tmp_path], [delimiters_of(load_grammar("v2"))])
    rows = {row.language: (row.files, row.opener, row.closer, row.either, row.lines) for row in result.rows}
    assert rows == {
        "Markdown": (1, 1, 1, 1, 2),
        "other": (1, 0, 0, 0, 0),
        "Python": (2, 1, 0, 1, 3),
        "all": (4, 2, 1, 2, 5),
    }
    assert result.skipped == {"binary": 1, "not UTF-8": 1, "over 1000000 bytes": 1}
    assert result.rows[-1].share == 0.5 and result.rows[-1].low < 0.5 < result.rows[-1].high


# ---- the command


@pytest.mark.slow
def test_command_draws_findings(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(BROKEN["swallowed-string"][0](V2), encoding="utf-8")
    result = run("grammar", "check", str(path))
    assert result.exit_code == 1
    assert ": warning: MESSAGE matches the text of _TARGET" in result.stdout and 'example: "! a @"' in result.stdout
    assert (
        result.stdout.rstrip().split("\n")[-1].startswith(f"{path}: 1 error, 1 warning, ")
    )  # what it swallows cannot be written


@pytest.mark.slow
def test_command_as_json() -> None:
    value = json.loads(run("grammar", "check", "v2", "--json").stdout)
    assert value["compiles"] and value["findings"]
    assert value["findings"][0].keys() == {"code", "severity", "message", "file", "line", "column", "example", "hint"}


@pytest.mark.slow
def test_a_dialect_without_blocks_has_no_delimiters_to_count(tmp_path: Path) -> None:
    path = tmp_path / "lines.lark"
    path.write_text('document: (_GAP | note)*\nnote: _NOTE NAME _NL\n_NOTE: "##"\nNAME: /[a-z]+/\n', encoding="utf-8")
    with path.open("a", encoding="utf-8") as file:
        file.write("_GAP: /[ \\t]*\\n/\n_NL: /[ \\t]*\\n/\n")
    result = run("grammar", "check", str(path), "--corpus", str(tmp_path))
    assert result.exit_code == 2 and "has no blocks, so there are no delimiters to count" in result.stderr
    assert "\uffff" not in result.output


@pytest.mark.slow
def test_command_with_a_corpus(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("--\n")
    result = run("grammar", "check", "v1", "--corpus", str(tmp_path))
    assert result.exit_code == 0 and re.search(r"Python +1 +1 +1 +100\.000%", result.stdout)
    value = json.loads(run("grammar", "check", "v1", "--json", "--corpus", str(tmp_path)).stdout)
    assert value["corpus"]["rows"][0]["language"] == "Python"
    gone = run("grammar", "check", "v1", "--corpus", str(tmp_path / "gone"))
    assert gone.exit_code == 2 and gone.stderr.startswith("symops: ")


def test_command_of_what_cannot_be_read_or_compiled(tmp_path: Path) -> None:
    result = run("grammar", "check", str(tmp_path / "gone.lark"))
    assert result.exit_code == 2 and "gone.lark" in result.stderr
    path = tmp_path / "mine.lark"
    path.write_text(REFUSED["undefined-terminal"][0](V2), encoding="utf-8")
    result = run("grammar", "check", str(path))
    assert (
        result.exit_code == 2
        and "hint: did you mean `TEXT`?" in result.stdout
        and f"{path}:9:24: error: " in result.stdout
    )
    assert json.loads(run("grammar", "check", "--json", str(path)).stdout)["compiles"] is False


def test_a_rule_of_texts_alone_does_not_lead_back_to_itself(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(
        put("ask:      _QUESTION", "ask:      (_QUESTION | other)")(V2) + '\nother: "ask"\n', encoding="utf-8"
    )
    assert "recursive-rule" not in {finding.code for finding in check_grammar(path, used=False).findings}


def test_all_checks_are_at_the_door() -> None:
    assert set(workbench.__all__) >= {"check_grammar", "survey", "CHECKS", "Finding", "Report"}
    assert all(hasattr(workbench, name) for name in workbench.__all__)
