"""The compiled grammar against its judge, the LALR parser: the same nodes, or the same place to complain about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import UnexpectedInput
from strategies import documents
from texts import DIALECTS, any_text, texts_on_file

from symops_lark import Source, render
from symops_lark.grammar.dialect import Dialect, load_dialect
from symops_lark.grammar.section_patterns import SectionPatterns
from symops_lark.strict.builder import Builder, build

INSERTED = (*'$:@#~>-<?!., \t\n\r1ab"0c', "\n", "::", "--", ">>>", "<<<", "run", "test", " 1. ", "::c0.9", "#c1")


def judge(text: str, dialect: Dialect) -> tuple[Any, ...] | int:
    """Give what the LALR parser makes of a text, or where it stops."""
    source = Source(text)
    try:
        return tuple(build(dialect.parser.parse(text, start="document"), source.span, source.span, dialect.marks))
    except UnexpectedInput as error:
        return -1 if error.pos_in_stream is None else error.pos_in_stream


def compare(text: str, dialect: Dialect) -> bool:
    """Hold the two against each other; tell whether the compiled grammar read it all."""
    text = text if text.endswith("\n") else text + "\n"
    source = Source(text)
    sections, done = dialect.compiled.read_sections(text, Builder(source.span, source.span, dialect.marks).makers)
    wanted = judge(text, dialect)
    if isinstance(wanted, int):
        rest = judge(text[done:], dialect)
        assert done < len(text), "accepts what the parser refuses"
        assert isinstance(rest, int)
        assert wanted == (rest + done if rest >= 0 else rest)
    elif done == len(text):
        assert repr(tuple(sections)) == repr(wanted)
    return done == len(text)


@pytest.mark.parametrize(("text", "dialect"), [(text, dialect) for _, dialect, text in texts_on_file()])
def test_it_agrees_on_every_text_on_file(text: str, dialect: str) -> None:
    compare(text, load_dialect(dialect))


@pytest.mark.parametrize("name", DIALECTS)
@given(data=st.data())
def test_it_reads_every_valid_text_by_itself(name: str, data: st.DataObject) -> None:
    document = data.draw(documents(name))
    assert compare(render(document, name), load_dialect(name))


@pytest.mark.parametrize("name", DIALECTS)
@given(data=st.data())
def test_it_agrees_on_any_text(name: str, data: st.DataObject) -> None:
    text = data.draw(any_text(name))
    for _ in range(data.draw(st.integers(0, 4))):
        at, gone = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 3))
        text = text[:at] + data.draw(st.sampled_from(INSERTED)) + text[at + gone :]
    compare(text, load_dialect(name))


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
    grammar = load_dialect("v2").text
    assert old in grammar
    dialect = Dialect(Path("mine.lark"), grammar.replace(old, new))
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
    assert SectionPatterns(rules, terminals).read_sections("x\n", Builder(source.span, source.span).makers) == ([], 0)
