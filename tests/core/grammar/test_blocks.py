"""Blocks found by their ends: proved of each installed grammar, refused where a content may be anything else."""

from __future__ import annotations

from pathlib import Path

import pytest
from counting import count_calls
from judge import compare
from texts import DIALECTS

from symops_lark import parse
from symops_lark.core.grammar.compiling.blocks import ends_in, split_blocks
from symops_lark.core.grammar.compiling.compiler import WrittenDialect
from symops_lark.core.grammar.loading import load_grammar

_LINE = r"\n|[^\n<][^\n]*\n|<[^\n<][^\n]*\n|<\n"


@pytest.mark.parametrize("name", DIALECTS)
def test_it_is_proved_of_every_installed_grammar(name: str) -> None:
    table = load_grammar(name).table("sections")
    assert len(table["blocks"]) == len(load_grammar(name).fences) and table["gap"]


def test_the_steps_of_a_block_do_not_grow_with_its_lines() -> None:
    few, many = ("::create @a.py\n<<<\n" + "x = 1\n" * lines + ">>>\n" for lines in (10, 8_000))
    parse(few, "v2")
    assert count_calls(lambda: parse(many, "v2")) <= count_calls(lambda: parse(few, "v2"))


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        (rf"<<[ ]*\n(?:{_LINE})*+>>[ ]*\n", ""),
        (r"<<\n(?:[^\nx][^\n]*\n)*+>>\n", "lines that begin with x are no content"),
        (r"<<\n(?:[^\n]*\n\n|\n)*+>>\n", "a line of content is two"),
        (rf"<<\n(?:(?>{_LINE}))*+>>\n", "what keeps what it took is no plain language"),
        (rf"<<[^\n]*\n(?:{_LINE})*+>>\n|<<x\n(?:{_LINE})*+>>\n", "two first lines are the same"),
        (rf"<<\n\n?(?:{_LINE})*+>>\n", "the first line may be two"),
        (r"<<\n>>\n", "there is no content"),
    ],
)
def test_what_is_not_proved_is_matched_line_by_line(pattern: str, why: str) -> None:
    assert bool(split_blocks(pattern, ["<<"])) is not bool(why)


@pytest.mark.parametrize(
    ("pattern", "wanted"), [("a(?:b(X))?+|c", True), ("(X)*+", False), ("(?:X|y)z", False), ("((X|y)?)|z(q)", True)]
)
def test_the_end_of_a_pattern_is_told(pattern: str, wanted: bool) -> None:
    assert ends_in(pattern, "X") is wanted


def test_a_grammar_with_other_contents_agrees_with_its_judge() -> None:
    changed_text = load_grammar("v2").text.replace(r"_CONTENT_LINE: /\n|[^\n<>]", r"_CONTENT_LINE: /\n|[^\n<>x]")
    dialect = WrittenDialect(Path("mine.lark"), changed_text)
    assert not dialect.table("sections")["blocks"]
    for content in ("y\n", "x\n", "y\n<<<<\n", ""):
        compare(f"::create @a.py\n<<<\n{content}>>>\n>> done\n", dialect)
