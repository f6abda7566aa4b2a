"""Dialects made of dialects: marks exchanged, files that build on files; all laws hold, errors have their place."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import pytest
from drawn_dialects import QUICK, draw_dialect
from hypothesis import given
from hypothesis import strategies as st
from judge import compare
from strategies import documents
from texts import WRAPS

import symops_lark
from symops_lark import Action, Document, GrammarError, ProtocolError, SymOpsProcessor, derive, dialects
from symops_lark.core.document import ErrorNote, Question, Thought, Vitals
from symops_lark.core.grammar.compiling.compiler import WrittenDialect
from symops_lark.core.grammar.dialect import Dialect
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.grammar.marks import following

BASES = dialects()


@pytest.mark.alike(8)
@pytest.mark.slow
@pytest.mark.parametrize("base", BASES)
@QUICK
@given(data=st.data())
def test_every_derived_dialect_obeys_the_laws(base: str, data: st.DataObject) -> None:
    dialect = draw_dialect(base, data)
    processor = SymOpsProcessor(dialect)
    assert dialect.forms == load_grammar(base).forms and dialect.family == load_grammar(base).family
    document = data.draw(documents(dialect))
    text = symops_lark.render(document, dialect)
    assert symops_lark.parse(text, dialect) == document
    assert compare(text, dialect)
    repaired = processor.engine(dialect).repair(text)
    assert repaired.text == text and not repaired.repairs
    assert symops_lark.recover(text, dialect) == document
    lines = text.split("\n")
    at = data.draw(st.integers(0, len(lines) - 1))
    lines[at] = data.draw(st.sampled_from(WRAPS))(lines[at])
    damaged = "\n".join(lines[: data.draw(st.integers(at + 1, len(lines)))])
    compare(damaged, dialect)
    symops_lark.recover(damaged, dialect)
    try:
        processor.process(damaged)
    except ProtocolError as error:
        assert isinstance(error.document, Document)


DOCUMENT = Document(
    (
        Thought("two files"),
        Vitals((("confidence", 0.9),)),
        Action("create", "src/a.py", "import os\n\nx = os.sep"),
        Action("edit", "b.py", "y = 1", ("src/a.py",)),
        Action("run", "pytest -q"),
        Question("Go on?", ("Yes", "No")),
        ErrorNote("Slow", "b.py", "took long"),
    )
)
MISTAKES = ("preamble", "fence", "indented", "unclosed", "capital")


def make(mistake: str, text: str, dialect: Dialect) -> str:
    """Make one mistake in a canonical text."""
    marks = dialect.marks
    opener, closer, action = (re.escape(marks[name]) for name in ("open", "close", "action"))
    match mistake:
        case "preamble":
            return "Sure! Here is what you asked for.\n\n" + text
        case "fence":
            return re.sub(rf"^{opener}\n((?:.*\n)*?){closer}$", r"```python\n\1```", text, flags=re.MULTILINE)
        case "indented":
            return re.sub(rf"^(?={action} ?[a-z]{{3}})", "  ", text, flags=re.MULTILINE)
        case "unclosed":
            return text[: text.rindex("\n" + marks["close"] + "\n") + 1]
        case _:
            pattern = rf"^({action} ?)([a-z])(?=[a-z]{{2}})"
            return re.sub(pattern, lambda m: m[1] + m[2].upper(), text, flags=re.MULTILINE)


def outcome(mistake: str, dialect: Dialect) -> Document | None:
    """Give what is made of the document with a mistake."""
    text = make(mistake, symops_lark.render(DOCUMENT, dialect), dialect)
    assert text != symops_lark.render(DOCUMENT, dialect)
    try:
        return SymOpsProcessor(dialect).process(text).document
    except ProtocolError:
        return None


@lru_cache(maxsize=64)
def is_cured(base: str, mistake: str) -> bool:
    expected = DOCUMENT.sections[:4] if mistake == "unclosed" else DOCUMENT.sections
    result = outcome(mistake, load_grammar(base))
    return result is not None and result.sections == expected


@pytest.mark.alike(8)
@pytest.mark.slow
@pytest.mark.parametrize("base", BASES)
@QUICK
@given(data=st.data())
def test_what_the_base_recovers_the_derived_dialect_recovers(base: str, data: st.DataObject) -> None:
    dialect = draw_dialect(base, data)
    for mistake in MISTAKES:
        if is_cured(base, mistake):
            result = outcome(mistake, dialect)
            expected = DOCUMENT.sections[:4] if mistake == "unclosed" else DOCUMENT.sections
            assert result is not None and result.sections == expected, (mistake, dialect.marks)


def test_the_bases_recover_simple_mistakes() -> None:
    """Otherwise the law above would say nothing."""
    assert [(base, mistake) for base in BASES for mistake in MISTAKES if not is_cured(base, mistake)] == []


# ---- what derive refuses


@pytest.mark.parametrize(
    ("base", "changes", "reason"),
    [
        ("v2", {"_ACTIN": '"@@"'}, "nothing called _ACTIN is defined.*did you mean _ACTION"),
        ("v2", {"_XYZZY": '"@@"'}, "nothing called _XYZZY is defined"),
        ("v2", {"_ACTION": '">>"'}, "the marks collide: _THOUGHT '>>' and _ACTION '>>' begin alike"),
        ("v2", {"_QUESTION": '">>?"'}, "the marks collide: .*begin alike"),
        ("v2", {"_OPEN": '"::"'}, "the marks collide: _ACTION and _OPEN are both '::'"),
        ("v2", {"_VITAL": '"v1"'}, "has a digit"),
        ("v2", {"_TARGET": '"at"'}, "begins with a character that paths have"),
        ("v2", {"_TARGET": '">"'}, "begin alike"),
        ("v2", {"_ACTION": '"do it"'}, "a mark has no blanks"),
        *(("v2", {f"_{mark.upper()}": '""'}, "not empty") for mark in load_grammar("v2").marks),
        ("v2", {"_ACTION": "@@"}, "cannot be compiled"),
        ("v2", {"_ACTION": '"%%" | "##"'}, "_ACTION is a mark: write one string"),
        ("v2", {"_COMMA": "/[,|]/"}, "_COMMA is a mark: write one string"),
        ("plain", {"_MOOD": '"[FOCUS]"'}, "begin alike"),
        ("v9", {}, "no dialect is called 'v9'"),
    ],
)
def test_what_derive_refuses(base: str, changes: dict[str, str], reason: str) -> None:
    with pytest.raises(GrammarError, match=reason):
        derive(base, changes)


# ---- files


MARKS = {"_ACTION": '"@@"', "_VITAL": '"@@"', "_OPEN": '"[["', "_CLOSE": '"]]"', "_TARGET": '"§"'}
TEXT = ">> go\n\n@@create §a.py >b.py\n[[\n<<<\n]\n>>>\n]]\n"


def test_a_derived_text_stands_on_its_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(derive("v2", MARKS))
    mine = load_grammar(path)
    assert "%" not in re.sub(r"//[^\n]*|/(?:\\.|[^/\n])+/|\"[^\"\n]*\"", "", mine.text)
    assert {name: f'"{mine.marks[name[1:].lower()]}"' for name in MARKS} == MARKS
    assert symops_lark.parse(TEXT, mine).sections == (Thought("go"), Action("create", "a.py", "<<<\n]\n>>>", ("b.py",)))
    assert derive(path, {}).partition("\n")[2] == mine.text


def test_a_file_that_builds_on_another_is_the_derived_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text("%import .v2\n\n" + "".join(f"%override {name}: {body}\n" for name, body in MARKS.items()))
    mine, other_dialect = load_grammar(path), WrittenDialect(path, derive("v2", MARKS))
    assert mine.marks == other_dialect.marks
    bodies = [{s.name: s.body for s in dialect.statements if s.name} for dialect in (mine, other_dialect)]
    assert bodies[0] == bodies[1]
    assert symops_lark.parse(TEXT, mine) == symops_lark.parse(TEXT, other_dialect)
    assert "[[" not in load_grammar("v2").text, "the base is untouched"


def test_a_base_beside_the_file_goes_before_the_installed_one(tmp_path: Path) -> None:
    (tmp_path / "mine.lark").write_text(derive("v2", MARKS))
    path = tmp_path / "yours.lark"
    path.write_text('%import .mine\n\n%override _THOUGHT: "%%"\n')
    assert load_grammar(path).marks == load_grammar(tmp_path / "mine.lark").marks | {"thought": "%%"}
    (tmp_path / "mine.lark").write_text(derive("v2", MARKS | {"_ERROR": '"&"'}))
    assert load_grammar(path).marks["error"] == "&", "a base that has changed is read again"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('%import .v2\n\n%override _OPNE: "[["\n', r"bad\.lark:3:1: _OPNE is not defined .*did you mean _OPEN\?"),
        ("%import .v2\n\n%extend question: ask |\n    | (ask\n", r"bad\.lark:\d+:\d+: "),
        ("%import .v2\n\n%override NUMBER: /[0-9+/\n", r"bad\.lark:3:11: "),
        ("%import .v2\n\n// two\n%override ask: _QUESTION _SP TEXTT _NL\n", r"bad\.lark:4:30: .*TEXTT"),
        ("%import .v2\n%extend _writing: RUN\n", r"bad\.lark:2:1: .*collision.*[\s\S]*check \S*bad\.lark` for"),
        ("// one\n%import .v99\n", r"bad\.lark:2:1: there is no grammar 'v99' to build on"),
    ],
)
def test_an_error_is_placed_in_the_file_that_has_it(tmp_path: Path, text: str, place: str) -> None:
    path = tmp_path / "bad.lark"
    path.write_text(text)
    with pytest.raises(GrammarError, match=place) as caught:
        symops_lark.parse(">> x\n", path)
    line = int(str(caught.value).split("bad.lark:")[1].split(":")[0])
    assert f"| {text.splitlines()[line - 1]}\n" in f"{caught.value}\n", "the line is shown as it is written"


@pytest.mark.parametrize("name", BASES)
def test_what_follows_from_the_marks_is_spelt_so_in_the_files(name: str) -> None:
    """The files spell these terminals for people; they cannot go stale."""
    dialect = load_grammar(name)
    expected = following(dialect.marks)
    table = {s.name: s.body for s in dialect.statements if s.name in expected}
    assert {"_CONTENT_LINE", "PATH", "DEPENDENCY", "COMMAND", "WORD", "MESSAGE"} <= table.keys()
    assert table == {key: expected[key] for key in table}
    assert ("_CONTENT_LINE_8" in table) == ("fences" in dialect.forms) and ("LINE" in table) == (name == "plain")


def test_a_definition_of_several_lines_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(derive("v2", {"_running": "RUN\n    | TEST", "_ACTION": '"%%"'}))
    assert load_grammar(path).verbs["running"] == ("run", "test")
    assert derive(path, {}).partition("\n")[2] == load_grammar(path).text


def test_a_full_width_mark_is_no_part_of_a_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(derive("v2", {"_DEPENDS": '"|"', "_TARGET": '"%"'}))
    head = "::create %a.py ｜b.py\n<<<\n>>>\n"
    with pytest.raises(symops_lark.ParseError):
        symops_lark.parse(head, path)
    assert symops_lark.process(head, path).document.actions[0].dependencies == ("b.py",)


@pytest.mark.slow
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("comma", ["|", "}", "😀", "%%", "!;"])
def test_a_list_is_read_with_any_comma(base: str, comma: str) -> None:
    """The last character of a dependency could be the comma of the list."""
    dialect = WrittenDialect(Path("mine.lark"), derive(base, {"_COMMA": f'"{comma}"'}))
    document = Document((Action("create", "a.py", "x = 1", ("b.py", "c.py", "d.py")),))
    text = symops_lark.render(document, dialect)
    assert comma in text
    assert symops_lark.parse(text, dialect) == document
    with pytest.raises(symops_lark.ParseError):
        symops_lark.parse(text.replace("d.py", f"d.py{comma}"), dialect)


OWN = r"""
document: (_GAP | note)*
note: _NOTE _SP TITLE _NL BLOCK
_NOTE: "##"
_OPEN: "<<<"
_CLOSE: ">>>"
TITLE: /[a-z]+/
BLOCK: _OPEN _NL _CONTENT_LINE* _CLOSE _NL
_GAP: /[ \t]*\r?\n/
_SP: /[ \t]+/
_NL: /[ \t]*\r?\n/
_CONTENT_LINE: """


def test_blocks_of_a_dialect_without_actions_follow_its_delimiters(tmp_path: Path) -> None:
    path = tmp_path / "own.lark"
    path.write_text(f"{OWN}{following({'open': '<<<', 'close': '>>>'})['_CONTENT_LINE']}\n")
    mine = WrittenDialect(tmp_path / "mine.lark", derive(path, {"_OPEN": '"(("', "_CLOSE": '"))"'}))
    (section,) = symops_lark.parse("## a\n((\n>>>\n( x\n))\n", mine).custom
    assert section.parts[-1].text == ">>>\n( x"
    with pytest.raises(symops_lark.ParseError):
        symops_lark.parse("## a\n((\n((\n))\n", mine)
