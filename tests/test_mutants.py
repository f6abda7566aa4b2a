"""The mutation tester: what it changes, and that what it explains away can still be changed."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest
from mutants import put_in
from mutations import find_mutants, find_stale, read_explanations
from repository import ROOT

from symops_lark import pipeline
from symops_lark.recovery import confidence

SOURCE = """
LIMIT = 3

class Box:
    __slots__ = ("a", "b")

    def holds(self, count: int) -> bool:
        return 0 <= count < LIMIT
"""


@pytest.mark.slow
def test_every_explanation_speaks_of_a_change_that_can_be_made() -> None:
    explained = read_explanations()
    assert find_stale(explained) == []
    assert all(each.why.strip() for each in explained)


@pytest.mark.slow
def test_an_explanation_of_what_is_gone_is_stale() -> None:
    gone = [replace(each, was=each.was + " is gone") for each in read_explanations()]
    assert find_stale(gone) == gone != []


def test_mutants_are_told_by_their_function_and_source() -> None:
    found = {str(mutant) for mutant in find_mutants(ast.parse(SOURCE))}
    assert {
        "2: LIMIT = 3\n    -> LIMIT = 4",
        "2: LIMIT = 3\n    -> LIMIT = 2",
        "8: in Box.holds 0 <= count < LIMIT\n    -> 0 < count < LIMIT",
        "8: in Box.holds 0 <= count < LIMIT\n    -> 0 <= count <= LIMIT",
    } <= found
    assert not any("slots" in mutant for mutant in found)  # a class that is loaded keeps those it has


def test_tests_of_a_function_are_those_that_enter_it() -> None:
    for mutant in find_mutants(ast.parse(SOURCE)):
        assert mutant.is_entered([7]) == (mutant.function == "Box.holds")
        assert not mutant.is_entered([2, 4, 9])


def test_a_changed_module_is_seen_by_all_who_import_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    path = ROOT / "symops_lark" / "recovery" / "confidence.py"
    for module in (confidence, pipeline):
        monkeypatch.setattr(module, "LOST", confidence.LOST)  # so that it is undone
    source = path.read_text(encoding="utf-8").replace("LOST = 0.8", "LOST = 0.7")
    put_in(confidence, compile(source, str(path), "exec"))
    assert [vars(module)["LOST"] for module in (confidence, pipeline)] == [0.7, 0.7]
