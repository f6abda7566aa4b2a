"""The compiled grammar against its judge, the LALR parser: the same nodes, or the same place to complain about."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge import compare
from strategies import documents
from texts import DIALECTS, OnFile, any_text, groups_on_file, noted

from symops_lark import Source, render
from symops_lark.core.grammar.compiling.compiler import WrittenDialect
from symops_lark.core.grammar.compiling.section_compiler import SectionCompiler
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.grammar.section_patterns import SectionPatterns
from symops_lark.core.strict.builder import Builder

INSERTED = (*'$:@#~>-<?!., \t\n\r1ab"0c', "\n", "::", "--", ">>>", "<<<", "run", "test", " 1. ", "::c0.9", "#c1")


@groups_on_file()
def test_it_agrees_on_every_text_on_file(texts: tuple[OnFile, ...]) -> None:
    for name, dialect, text in texts:
        with noted(name, dialect):
            compare(text, load_grammar(dialect))


@pytest.mark.parametrize("name", DIALECTS)
@given(data=st.data())
def test_it_reads_every_valid_text_by_itself(name: str, data: st.DataObject) -> None:
    document = data.draw(documents(name))
    assert compare(render(document, name), load_grammar(name))


@pytest.mark.parametrize("name", DIALECTS)
@given(data=st.data())
def test_it_agrees_on_any_text(name: str, data: st.DataObject) -> None:
    text = data.draw(any_text(name))
    for _ in range(data.draw(st.integers(0, 4))):
        at, gone = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 3))
        text = text[:at] + data.draw(st.sampled_from(INSERTED)) + text[at + gone :]
    compare(text, load_grammar(name))


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('_TARGET:   "@"', '_TARGET:   "x"', "::runxxy\n"),  # the verb goes on where the mark could begin
        ('_TARGET:   "@"', '_TARGET:   "x"', "::run xy\n"),
        ('VERIFY:  "verify"', 'VERIFY:  "testing"', "::testing @x\n"),  # a verb that begins with another
        ('_THOUGHT:  ">>"', '_THOUGHT:  "::t"', "::t @x\n::test @x\n::t x\n"),
        ('_QUESTION: "?"', '_QUESTION: ">>?"', ">>? what\n 1. x\n>> ? what\n"),
    ],
)
def test_it_gives_way_where_the_lexer_would_take_another_terminal(old: str, new: str, text: str) -> None:
    grammar = load_grammar("v2").text
    assert old in grammar
    dialect = WrittenDialect(Path("mine.lark"), grammar.replace(old, new))
    for line in (text, *text.splitlines(keepends=True)):
        compare(line, dialect)


@pytest.mark.parametrize(
    "grammar",
    [
        'document: (a | _NL)*\na: "x" _NL\n_NL: "\\n"',  # an anonymous terminal
        'document: a\na: A _NL\nA: "x"\n_NL: "\\n"',  # no repetition
        'document: a*\na: A a _NL | A _NL\nA: "x"\n_NL: "\\n"',  # a rule that refers to itself
        'document: (a | b)*\na: A? _NL?\nb: A A\nA: "x"\n_NL: "\\n"',  # a section that may be empty
    ],
)
def test_what_is_no_pattern_is_left_to_the_parser(grammar: str) -> None:
    from lark import Lark
    from lark.load_grammar import load_grammar

    rules = {str(name): tree for name, _, tree, _ in load_grammar(grammar, "mine", [], False)[0].rule_defs}
    terminals = Lark(grammar, start="document", parser="earley").terminals
    source = Source("x\n")
    patterns = SectionPatterns(SectionCompiler(rules, terminals).to_data(["document"]))
    assert patterns.read_sections("x\n", Builder(source.span, source.span).makers, {}) == ([], 0)
