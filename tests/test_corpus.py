"""The specification is the test suite: every case of the corpus, and the examples of the language reference."""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from corpus_reader import (
    DIALECTS,
    Case,
    Changes,
    CorpusError,
    corpus_files,
    read_cases,
    read_corpus,
    rewrite,
    write_fence,
)
from outlines import outline, outline_diagnostics, outline_errors, outline_events, outline_plan
from trees import CORPUS_TREE

import symops_lark
from symops_lark import Action, Skipped, Thought

HERE = Path(__file__).parent
CASES = read_corpus(corpus_files())


def observe(case: Case, facet: str) -> str:
    """Say what the library makes of a case's input."""
    match facet:
        case "document":
            return outline(symops_lark.parse(case.text, case.dialect))
        case "error":
            with pytest.raises(symops_lark.ParseError) as caught:
                symops_lark.parse(case.text, case.dialect)
            return outline_errors(caught.value.diagnostics)
        case "repaired":
            return symops_lark.repair(case.text, case.dialect).text
        case "recovered":
            document = symops_lark.recover(case.text, case.dialect)
            return outline(document, graded=True) + outline_diagnostics(document.diagnostics)
        case "processed":
            return _processed(case)
        case "diagnostics":
            return outline_diagnostics(_diagnostics(case))
        case "events":
            return outline_events(symops_lark.StreamParser(case.dialect).events([case.text]))
        case "plan":
            return outline_plan(symops_lark.plan(symops_lark.process(case.text, case.dialect).document, CORPUS_TREE))
        case dialect:
            return _rendered(case, dialect)


def _rendered(case: Case, dialect: str) -> str:
    try:
        return symops_lark.render(symops_lark.parse(case.text, case.dialect), dialect)
    except symops_lark.RenderError as error:
        return f"refused: {error}\n"


def _processed(case: Case) -> str:
    try:
        result = symops_lark.process(case.text, case.dialect)
    except symops_lark.ProtocolError as error:
        return f"refused: {error}\n" + outline(error.document, graded=True)
    return f"{result.phase} {result.confidence:.2f}\n" + outline(result.document, graded=True)


def _diagnostics(case: Case) -> tuple[symops_lark.Diagnostic, ...]:
    try:
        return symops_lark.process(case.text, case.dialect).diagnostics
    except symops_lark.ProtocolError as error:
        return error.diagnostics


def _parameter(case: Case, facet: str) -> ParameterSet:
    expected = pytest.mark.xfail(strict=True, reason="wanted: the corpus is right, the library not yet")
    return pytest.param(case, facet, id=f"{case.id}:{facet}", marks=[expected] if case.facets[facet].wanted else [])


FACETS = [_parameter(case, facet) for case in CASES for facet in case.facets]


@pytest.mark.parametrize(("case", "facet"), FACETS)
def test_case(case: Case, facet: str, accepted: Changes | None) -> None:
    visited, fence = observe(case, facet), case.facets[facet]
    if accepted is not None and fence.wanted == (visited == fence.text):
        accepted[case.path][case.name, facet] = visited
    assert (accepted is not None and not fence.wanted) or visited == fence.text, f"{case.path}:{fence.first + 1}"


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in CASES])
def test_what_is_recovered_stands_where_it_says(case: Case) -> None:
    """A content that begins or ends on the line of a delimiter, or is escaped, has its place without that."""
    document = symops_lark.recover(case.text, case.dialect)
    elsewhere = _ELSEWHERE.intersection(finding.code for finding in document.diagnostics)
    for section in document.sections:
        part = case.text[section.span.start : section.span.end]
        if isinstance(section, Skipped):
            assert section.text == part
        elif isinstance(section, Thought):
            assert section.text in part
        elif isinstance(section, Action) and section.content_span is not None and not elsewhere:
            assert section.content == case.text[section.content_span.start : section.content_span.end]


_ELSEWHERE = frozenset(("text-on-opener", "text-before-closer"))


def test_the_corpus_is_rich() -> None:
    """A glob that finds half of the files is no success."""
    assert len(CASES) >= 120
    assert {case.dialect for case in CASES} == set(DIALECTS) == set(symops_lark.dialects())
    assert {"document", "error", "repaired", "recovered", "processed", "diagnostics", "events", "plan", "v1", "v2"} <= {
        facet for case in CASES for facet in case.facets
    }


GOOD = "# Title\n\n## one\nwhy\n\n~~~ v1\n~ hi\n~~~\n\n~~~ document\nthought: hi\n~~~\n"
BAD = {
    "empty": ("", "no case"),
    "prose-only": ("# Title\nprose\n", "no case"),
    "no-fence": ("## one\nprose\n" + GOOD.replace("one", "two"), "no fence"),
    "no-facet": ("## one\n~~~\n~ hi\n~~~\n", "no facet"),
    "unknown-facet": (GOOD.replace("document", "documnet"), "not known"),
    "unknown-dialect": (GOOD.replace("~~~ v1", "~~~ v9"), "no dialect"),
    "unknown-flag": (GOOD.replace("~~~ v1", "~~~ v1 bare"), "one name"),
    "unknown-escape": (GOOD.replace("~~~ v1\n~ hi", "~~~ v1 escapes\n~ \\q"), "escape"),
    "repeated-name": (GOOD + "\n" + GOOD, "taken"),
    "repeated-facet": (GOOD + "\n~~~ document\n~~~\n", "twice"),
    "unclosed-fence": (GOOD + "\n~~~ recovered\n", "never closed"),
    "backticks": (GOOD + "\n```\n```\n", "tildes"),
    "skipped-without-a-finding": (
        GOOD + "\n~~~ processed\nstrict 1.00\nskipped, prose:\n  | x\n~~~\n\n~~~ diagnostics\n~~~\n",
        "'diagnostics' has no finding",
    ),
    "recovered-without-a-finding": (
        GOOD + "\n~~~ recovered\nskipped, prose:\n  | 1:1 x\n~~~\n",
        "'recovered' has no finding",
    ),
    "homeless-fence": ("~~~\n~~~\n" + GOOD, "above the first heading"),
}


@pytest.mark.parametrize("name", BAD)
def test_the_reader_refuses(name: str, tmp_path: Path) -> None:
    text, reason = BAD[name]
    path = tmp_path / "bad.md"
    path.write_text(text)
    with pytest.raises(CorpusError, match=rf"bad\.md:\d+: .*{reason}"):
        read_cases(path)


def test_the_reader_refuses_an_empty_glob(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no corpus file"):
        read_corpus(tmp_path.glob("*.md"))


def test_expectations_are_rewritten_in_place(tmp_path: Path) -> None:
    path = tmp_path / "good.md"
    path.write_text(GOOD)
    rewrite(path, {("one", "document"): "thought: ho\n"})
    assert path.read_text() == GOOD.replace("thought: hi", "thought: ho")


@pytest.mark.parametrize(
    "text", ["", "\n", "a", "a\n\n", "~~~~\n", "tab\tand \\ and \r\n", "end \n", "\u2028\ufeff\0\U0001d11e"]
)
def test_every_text_can_be_written_and_read_back(text: str, tmp_path: Path) -> None:
    path = tmp_path / "case.md"
    path.write_text("## one\n~~~\n~~~\n" + "\n".join(write_fence("repaired", text)) + "\n", encoding="utf-8")
    assert read_cases(path)[0].facets["repaired"].text == text
