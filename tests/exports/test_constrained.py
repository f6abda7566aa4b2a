"""Grammars for constrained decoding: the real engines accept exactly the texts that the strict parser accepts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from command_line import run
from drawn_dialects import QUICK, draw_dialect
from grammar_changes import FEATURE_CHANGES, V2
from grammar_engines import MISSING, Engine, Followed, Llguidance, library_of, start_engine
from hypothesis import given
from hypothesis import strategies as st
from mutated_documents import is_valid, mutated_documents
from texts import OnFile, any_text, groups_on_file, noted

from symops_lark import ExportError, derive, dialects, export
from symops_lark.core.grammar.compiling.compiler import WrittenDialect
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.exports import list_exports
from symops_lark.exports.automata.language import find_language
from symops_lark.exports.subset import load_features

DIALECTS = tuple(dialects())
CONSTRAINTS = list_exports("constraint")
INSTALLED = tuple(name for name in CONSTRAINTS if library_of(name) not in MISSING)
HERE = tuple(
    pytest.param(name, marks=pytest.mark.skipif(name not in INSTALLED, reason=MISSING.get(library_of(name), "")))
    for name in CONSTRAINTS
)


@cache
def engine(name: str, dialect: WrittenDialect) -> Engine:
    [text] = export(name, dialect).values()
    return start_engine(name, text)


def check(judge: Callable[[str], bool], text: str, dialect: WrittenDialect) -> None:
    removeprefix = text.removeprefix("\ufeff")  # the parser drops it
    removeprefix = removeprefix if removeprefix.endswith("\n") else removeprefix + "\n"  # and adds this
    assert judge(removeprefix) == is_valid(text, dialect), repr(text)


def own(text: str, name: str = "mine") -> WrittenDialect:
    return WrittenDialect(Path(f"{name}.lark"), text)


# ---- the law


@pytest.mark.slow
@pytest.mark.alike(6)
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", HERE)
def test_engines_agree_with_the_strict_parser(name: str, dialect: str) -> None:
    grammar = load_grammar(dialect)
    accepts = engine(name, grammar).accepts
    texts = mutated_documents(grammar, 1000)
    valid = sum(is_valid(text, grammar) for text in texts)
    assert 250 < valid < 750, "both answers are tried"
    for text in texts:
        check(accepts, text, grammar)


@pytest.mark.slow
@groups_on_file()
@pytest.mark.parametrize("name", HERE)
def test_engines_agree_on_file(name: str, texts: tuple[OnFile, ...]) -> None:
    for text_name, dialect, text in texts:
        if not any(0xD800 <= ord(character) < 0xE000 for character in text):
            with noted(text_name, dialect):
                check(engine(name, load_grammar(dialect)).accepts, text, load_grammar(dialect))


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
@given(st.data())
def test_the_automaton_agrees_on_any_text(dialect: str, data: st.DataObject) -> None:
    grammar = load_grammar(dialect)
    check(automaton(grammar), data.draw(any_text(dialect)), grammar)


@cache
def automaton(dialect: WrittenDialect) -> Callable[[str], bool]:
    return Followed(find_language(dialect)).accepts


@pytest.mark.alike(8)
@pytest.mark.slow
@pytest.mark.parametrize("base", ["v1", "v2_1", "plain"])
@QUICK
@given(st.data())
def test_derived_dialects_agree(base: str, data: st.DataObject) -> None:
    dialect = draw_dialect(base, data)
    assert isinstance(dialect, WrittenDialect)
    judges = [engine(name, dialect).accepts for name in INSTALLED]
    for text in mutated_documents(dialect, 100):
        for judge in (automaton(dialect), *judges):
            check(judge, text, dialect)


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("::create @a\n<<<\n>>>\n", True),  # Lark goes back from the vital that `::c` may begin
        ("::c0 @a\n", False),  # and not from one that is whole
        ("::c0.5 ::m1\n", True),
        ("::c0x @a\n", False),
        (":: c0 @a\n", True),
        (":: delete @a  \t\n", True),  # blanks belong to the path until the line ends
        (":: delete @a b \n", True),
        (":: create @a > b , c\n<<<\n>>>\n", True),
        ("? why\n   \n", True),  # no choice
        ("? why\n   1.\n", True),
        (":: run @ls > x\n", True),
        (":: runs @ls > x\n<<<\n>>> \n", True),
        ("<<<\n>>>\n", False),
        (":: edit @a\n<<<\n<<<\n>>>\n", False),
        (":: edit @a\n<<<\n>>>x\n<<< x\n>>>\n", True),
        ("\r\n", True),
    ],
)
def test_what_a_grammar_taken_as_it_is_written_gets_wrong(text: str, valid: bool) -> None:
    dialect = load_grammar("v2")
    assert is_valid(text, dialect) == valid
    assert automaton(dialect)(text) == valid
    for name in INSTALLED:
        assert engine(name, dialect).accepts(text) == valid, name


# ---- grammars with whatever Lark has


@pytest.mark.alike(12)
@pytest.mark.parametrize("code", [code for code in FEATURE_CHANGES if code != "start-rule"])
@pytest.mark.parametrize("name", HERE)
def test_a_feature_is_kept_or_refused_with_its_place(name: str, code: str) -> None:
    text = FEATURE_CHANGES[code](V2)
    dialect = own(text)
    if not load_features()[code].refused:
        for document in mutated_documents(dialect, 100):
            check(engine(name, dialect).accepts, document, dialect)
        return
    line = next(
        number for number, (a, b) in enumerate(zip(V2.split("\n"), text.split("\n"), strict=False), 1) if a != b
    )
    with pytest.raises(
        ExportError, match=rf"^mine\.lark:{line}:\d+: the export {name} cannot keep {load_features()[code].name}"
    ):
        export(name, dialect)


@pytest.mark.parametrize("name", CONSTRAINTS)
@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("question: ask choice*", "question: ask _nest?\n_nest: choice _nest? _CLOSE _NL", "_nest"),
        ("question: ask choice*", "question: ask choice*\n    | _OPEN question _CLOSE _NL", "question"),
    ],
)
def test_sections_in_sections_are_refused(name: str, old: str, new: str, place: str) -> None:
    text = V2.replace(old, new)
    line = 1 + [line.startswith(f"{place}:") for line in text.split("\n")].index(True)
    with pytest.raises(ExportError, match=rf"^mine\.lark:{line}:1: the export {name} cannot keep {place}: .* nested"):
        export(name, own(text))


@pytest.mark.slow
def test_the_command_writes_nothing_that_is_refused(tmp_path: Path) -> None:
    grammar, output = tmp_path / "mine.lark", tmp_path / "out"
    grammar.write_text(V2.replace("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9a]+/i"), encoding="utf-8")
    result = run("export", "gbnf", "--format", str(grammar), "-o", str(output))
    assert result.exit_code == 0 and (output / "mine.gbnf").read_text("utf-8").startswith("# Sym-Ops parser")
    grammar.write_text(V2.replace("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9]+(?!x)/"), encoding="utf-8")
    result = run("export", "xgrammar", "--format", str(grammar), "-o", str(output))
    assert result.exit_code == 2 and f"{grammar}:56:" in result.stderr and "cannot keep look-around" in result.stderr
    assert [path.name for path in output.iterdir()] == ["mine.gbnf"]
    checked = run("grammar", "check", str(grammar)).stdout
    assert "symops export refuses it for gbnf, llguidance, xgrammar" in " ".join(checked.split())


@pytest.mark.slow
def test_xgrammar_has_the_rules_of_gbnf(stride: int) -> None:
    """So what llama.cpp's engine proves of one holds of the other where its engine is not installed."""
    for name in DIALECTS[:: min(stride, 4)]:
        gbnf, ebnf = (next(iter(export(item, name).values())).partition("\n\n")[2] for item in ("gbnf", "xgrammar"))
        assert gbnf == ebnf


@pytest.mark.slow
def test_lists_that_grow_to_the_left_are_kept() -> None:
    """A rule that leads back to itself is no nesting if nothing stands behind."""
    text = V2.replace(
        "document: (_GAP | thought | vitals | action | question | error)*",
        "document: _all?\n_all: _all _one | _one\n_one: _GAP | thought | vitals | action | question | error",
    )
    dialect = own(text)
    for document in mutated_documents(dialect, 100):
        check(automaton(dialect), document, dialect)


# ---- the files


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_files_say_what_they_are(name: str) -> None:
    [(file, text)] = export(name, "v2_1").items()
    assert file.startswith("v2_1.") and "\r" not in text and text.endswith("\n")
    assert all(word in text[:400] for word in (load_grammar("v2_1").fingerprint, "MIT License", "do not edit", name))
    assert text == next(iter(export(name, "v2_1").values())), "nothing in it is drawn"


@pytest.mark.slow
def test_a_mark_that_looks_like_ebnf_does_not_make_lark_into_it() -> None:
    """vLLM takes a text for EBNF if a line has that sign, comments left out."""
    dialect = own(derive("v2", {"_ACTION": '"::="', "_VITAL": '"%%"'}))
    text = export("llguidance", dialect)["mine.lark"]
    assert not any("::=" in line.split("//")[0].split("#")[0] for line in text.split("\n"))
    assert automaton(dialect)("::=create @a\n<<<\n>>>\n")
    if "llguidance" not in MISSING:
        for document in mutated_documents(dialect, 100):
            check(engine("llguidance", dialect).accepts, document, dialect)
    assert " ::= " in export("gbnf", dialect)["mine.gbnf"]


@pytest.mark.skipif("llguidance" in MISSING, reason=MISSING.get("llguidance", ""))
@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_mask_forbids_what_a_valid_text_goes_on_with(dialect: str) -> None:
    """The closer of a block, first of all; and the text may end exactly where the parser would take it."""
    grammar = load_grammar(dialect)
    judge = engine("llguidance", grammar)
    assert isinstance(judge, Llguidance)
    for text in (t for t in mutated_documents(grammar, 12) if is_valid(t, grammar)):
        judge.matcher.reset()
        data = b""
        for byte in text.encode():
            mask = judge.matcher.compute_bitmask()
            assert mask[byte // 8] >> byte % 8 & 1, data
            if data.endswith(b"\n"):
                assert judge.matcher.is_accepting() == is_valid(data.decode(), grammar), data
            judge.matcher.consume_token(byte)
            data += bytes([byte])


@pytest.mark.slow
def test_every_state_leads_to_an_end(stride: int) -> None:
    for name in DIALECTS[:: min(stride, 4)]:
        language = find_language(load_grammar(name))
        living = set(language.accepting)
        for _ in language.moves:
            living |= {state for state, targets in enumerate(language.moves) if living & targets.keys()}
        assert living == set(range(len(language.moves)))
