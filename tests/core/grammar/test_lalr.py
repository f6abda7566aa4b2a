"""The driver of the LALR tables gives what Lark gives: the same tree, or the same place and the same expectations."""

from __future__ import annotations

from typing import Any

import lark
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import documents
from texts import DIALECTS, any_text, texts_on_file

from symops_lark import render
from symops_lark.core.grammar.compiling.compiler import WrittenDialect
from symops_lark.core.grammar.lalr import Token, Tree, Unexpected
from symops_lark.core.grammar.loading import load_grammar


def shape(node: Any) -> Any:
    """Return a tree of either kind as tuples: rule, place, children."""
    if isinstance(node, Tree):
        return node.rule, node.start, node.end, tuple(map(shape, node.children))
    if isinstance(node, lark.Tree):
        place = (-1, -1) if node.meta.empty else (node.meta.start_pos, node.meta.end_pos)
        return str(node.data), *place, tuple(map(shape, node.children))
    if isinstance(node, lark.Token):
        return str(node.type), str(node), node.start_pos
    return tuple(node) if isinstance(node, Token) else node


def ours(dialect: WrittenDialect, text: str) -> Any:
    try:
        return shape(dialect.lalr.parse(text, "document"))
    except Unexpected as error:
        return error.offset, error.expected


def larks(dialect: WrittenDialect, text: str) -> Any:
    try:
        return shape(dialect.parser.parse(text, start="document"))
    except lark.UnexpectedInput as error:
        expected = getattr(error, "allowed", None) or getattr(error, "expected", None)
        return error.pos_in_stream or 0, frozenset(expected or ())


def check(dialect: WrittenDialect, text: str) -> None:
    text = text if text.endswith("\n") else text + "\n"
    assert ours(dialect, text) == larks(dialect, text), text


@pytest.mark.parametrize("name", DIALECTS)
def test_it_agrees_with_lark_on_every_text_on_file(name: str) -> None:
    dialect, texts = load_grammar(name), texts_on_file()
    assert len(texts) > 100
    for _, _, text in texts:
        check(dialect, text)


@pytest.mark.parametrize("name", DIALECTS)
@given(data=st.data())
def test_it_agrees_with_lark_on_any_text(name: str, data: st.DataObject) -> None:
    check(load_grammar(name), data.draw(any_text(name)))


@pytest.mark.parametrize("name", DIALECTS)
@given(data=st.data())
def test_it_agrees_with_lark_on_valid_texts_cut_anywhere(name: str, data: st.DataObject) -> None:
    text = render(data.draw(documents(name)), name)
    check(load_grammar(name), text[: data.draw(st.integers(0, len(text)))])


FEATURES = r"""
document: (pair | odd | [_gap] "end" | word | key)*
pair: A [B] A -> couple
?odd: B | B B A
word: WORD
_gap: C*
A: "a"
B: "b"
C: "c"
WORD.2: /[x-z]+/
KEY: "xyz"
!key: KEY
%ignore " "
"""


@pytest.mark.slow
@given(text=st.lists(st.sampled_from(["a", "b", "c", "x", "xyz", " ", "end", "q"]), max_size=12).map("".join))
def test_what_users_may_write_works_too(text: str) -> None:
    """Aliases, rules that give way to an only child, children that are not there, ignored text, priorities."""
    from symops_lark.core.grammar.compiling.dialect_tables import freeze_parser
    from symops_lark.core.grammar.lalr import LalrParser

    parser = lark.Lark(FEATURES, parser="lalr", start="document", propagate_positions=True)
    driver = LalrParser(freeze_parser(parser))
    try:
        expected = shape(parser.parse(text))
    except lark.UnexpectedInput as error:
        with pytest.raises(Unexpected) as raised:
            driver.parse(text, "document")
        assert raised.value.offset == (error.pos_in_stream or 0)
    else:
        assert shape(driver.parse(text, "document")) == expected
