"""Rules for whole texts: what is replaced, and whether contents begin where the markup does."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.repairs import Rule
from symops_lark.core.repairs.line_repairer import RuleRepairer
from symops_lark.core.repairs.text_rules import TextRules


@cache
def text_rules(dialect: str, **argument: Any) -> TextRules:
    data = {"id": "own", "summary": "", "cost": 2.0, "verb": "replace_text", "argument": argument}
    return RuleRepairer(load_dialect(dialect), [Rule.from_data(data)] if argument else []).text_rules


@pytest.mark.parametrize(
    ("argument", "text", "replaced"),
    [
        ({"pattern": "%", "with": "{action}"}, "%run %", "::run ::"),
        ({"pattern": "%(.)", "with": r"<\1>"}, "%a %b", "<a> <b>"),
        ({"pattern": "%", "with": "$", "unless": "b"}, "%a %b", "%a %b"),
        ({"pattern": "%", "with": "$", "unless": "b"}, "%a %a", "$a $a"),
        ({"pattern": "%", "with": "$"}, "%\ud800", "%\ud800"),  # RE2 cannot read it
        ({"pattern": "x", "with": "$"}, "%a", "%a"),
    ],
)
def test_all_that_a_pattern_matches_is_replaced(argument: dict[str, str], text: str, replaced: str) -> None:
    rules = text_rules("v2", **argument)
    assert rules.read(text) == replaced
    applied = list(rules.apply(text))
    assert bool(applied) is (text != replaced)
    for changed, edits, repairs in applied:
        assert changed == replaced
        assert edits == repairs and {edit.rules for edit in edits} == {("own",)}


@pytest.mark.parametrize(
    ("dialect", "text", "flush"),
    [
        ("v2", "::create @a\n<<<\nx\n>>>\n", True),
        ("v2", "::create @a\n<<<\n  x\n>>>\n", False),
        ("v2", "::create @a\n<<<\n\nx\n>>>\n", True),
        ("v2", "::edit @a\n<<<\nx\n>>>\n", False),  # a fragment may be indented in its file
        ("v2", "::edit @a\n<<<\nx\ny\n>>>\n", False),
        ("v2", "::edit @a\n<<<\nx\n>>>\n::edit @b\n<<<\ny\n>>>\n", True),
        ("v2", "::edit @a\n<<<\nx\n>>>\n::edit @b\n<<<\n  y\n>>>\n", False),
        ("v2", "::create @a\n::c0.9\n>> so\n", False),
        ("v2", "x\ny\n::create @a\n", False),
        ("v2", "x\n::edit @a\n<<<\ny\n>>>\n", False),
        ("v1", "$ create @ a\n--\n  x\n--\n", False),
        ("v1", "$ create @ a\n--\nx\n--\n", True),
    ],
)
def test_contents_tell_whether_they_begin_where_the_markup_does(dialect: str, text: str, flush: bool) -> None:
    assert text_rules(dialect)._is_flush(text) is flush


@pytest.mark.parametrize(
    ("dialect", "line", "count"),
    [
        ("v2", "::run @ls", 1),
        ("v2", "::c0.9", 1),
        ("v2", ">> so", 1),
        ("v2", "<<<", 1),
        ("v2", ">>>", 1),
        ("v2", "::Run @ls", 0),
        ("v2", "? what", 0),
        ("v2", "", 0),
        ("v1", "--", 1),
        ("plain", "[REASONING]", 1),
    ],
)
def test_some_lines_tell_that_a_text_is_a_reply(dialect: str, line: str, count: int) -> None:
    assert text_rules(dialect)._has_markup(f"x\n{line}") == bool(count)
    assert text_rules(dialect)._weigh(line)[0] == count
    assert text_rules(dialect)._weigh(f"x\n{line}\n{line}")[0] == 2 * count
