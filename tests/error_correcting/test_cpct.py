"""CPCT+, the peer of the benchmark: its repairs are texts that Lark accepts, and never fewer edits than minimal."""

from __future__ import annotations

import pytest

from benchmarks.any_grammar.cpct import Cpct
from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.languages import load_language


@pytest.mark.parametrize(
    ("broken", "repaired"),
    [
        ("[1 2]", None),
        ("[1, 2", "[ 1 , 2 ]"),
        ('{"a": }', None),
        ('{"a" 1, "b": 2}', '{ "a" : 1 , "b" : 2 }'),
        ("[1, 2]]", "[ 1 , 2 ]"),
        ("[1] @", "[ 1 ]"),
    ],
)
def test_json_is_recovered(broken: str, repaired: str | None) -> None:
    parser = ErrorCorrectingParser(load_language("json").grammar)
    recovery = Cpct(parser).recover(broken)
    assert recovery.text is not None and recovery.edits == 1
    parser.lark.parse(recovery.text)
    assert repaired is None or recovery.text == repaired


def test_edits_are_made_only_after_the_error_was_noticed() -> None:
    """The bracket that opens is missing long before: windows find it, CPCT+ must not."""
    grammar = 'start: "(" "a" "a" "a" ")" | "a" "a" "a" "."'
    parser = ErrorCorrectingParser(grammar, parser="lalr")
    assert Cpct(parser).recover("aaa)").text == "a a a ."
    assert parser.parse("aaa)").price == 1000
