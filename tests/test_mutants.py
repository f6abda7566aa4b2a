"""The mutation tester: what it changes, and that what it explains away can still be changed."""

from __future__ import annotations

import ast
import sys
from dataclasses import replace
from types import ModuleType

import pytest
from mutants import put_in
from mutations import find_mutants, find_stale, read_explanations
from repository import ROOT

from symops_lark.core import pipeline
from symops_lark.core.recovery.doubts import confidence
from symops_lark.core.recovery.engines import earley

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
    assert all(item.why.strip() for item in explained)


@pytest.mark.slow
def test_an_explanation_of_what_is_gone_is_stale() -> None:
    gone = [replace(explanation, was=explanation.was + " is gone") for explanation in read_explanations()]
    assert find_stale(gone) == gone != []


def test_mutants_are_told_by_their_function_and_source() -> None:
    changes = {str(mutant) for mutant in find_mutants(ast.parse(SOURCE))}
    assert {
        "2: LIMIT = 3\n    -> LIMIT = 4",
        "2: LIMIT = 3\n    -> LIMIT = 2",
        "8: in Box.holds 0 <= count < LIMIT\n    -> 0 < count < LIMIT",
        "8: in Box.holds 0 <= count < LIMIT\n    -> 0 <= count <= LIMIT",
    } <= changes
    assert not any("slots" in mutant for mutant in changes)  # a class that is loaded keeps those it has


def test_tests_of_a_function_are_those_that_enter_it() -> None:
    for mutant in find_mutants(ast.parse(SOURCE)):
        assert mutant.is_entered([7]) == (mutant.function == "Box.holds")
        assert not mutant.is_entered([2, 4, 9])


def test_a_changed_module_is_seen_by_all_who_import_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    path = ROOT / "symops_lark" / "core" / "recovery" / "doubts" / "confidence.py"
    for module in (confidence, pipeline):
        monkeypatch.setattr(module, "LOST", confidence.LOST)  # so that it is undone
    source = path.read_text(encoding="utf-8").replace("LOST = 0.8", "LOST = 0.7")
    put_in(confidence, compile(source, str(path), "exec"))
    assert [vars(module)["LOST"] for module in (confidence, pipeline)] == [0.7, 0.7]


CLASSES = """
from enum import Enum
from typing import NamedTuple
from symops_lark.core.patterns.regexes import compile_pattern

_WORD = compile_pattern("[a-z]+")
_KEPT = 16

class Row(NamedTuple):
    count: int = 1

class Kind(Enum):
    OPEN = 1
    CLOSE = 2

    def __init__(self, rank: int) -> None:
        self.rank = rank

ENDS = frozenset((Kind.CLOSE,))

class Reader:
    usual = True

    def reads(self, text: str) -> bool:
        return _WORD.fullmatch(text) is not None
"""


def test_defaults_attributes_and_patterns_of_a_module_are_put_in(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("symops_lark.sample")
    module.__file__ = "sample.py"
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(CLASSES, module.__dict__)
    row, reader = module.Row, module.Reader()
    put_in(module, compile(CLASSES, "sample.py", "exec"))
    assert (row().count, reader.usual, reader.reads("a"), reader.reads("1")) == (1, True, True, False)
    ends, close = module.ENDS, module.Kind.CLOSE
    assert close in ends and close.rank == 2
    saved = earley._KEPT
    changed = (
        CLASSES.replace("_KEPT = 16", "_KEPT = 17")
        .replace("CLOSE = 2", "CLOSE = 3")
        .replace("(Kind.CLOSE,)", "(Kind.OPEN, Kind.CLOSE)")
    )
    changed = changed.replace("int = 1", "int = 2").replace("usual = True", "usual = False").replace("[a-z]", "[0-9]")
    put_in(module, compile(changed, "sample.py", "exec"))
    assert (row().count, reader.usual, reader.reads("a"), reader.reads("1")) == (2, False, False, True)
    assert module.Kind.CLOSE is close and close.rank == 3 and set(module.Kind) == module.ENDS
    assert module._KEPT == 17 and earley._KEPT == saved == 16
