"""The limits within which lines are respelt and remembered: just inside a rule works, just outside it does not."""

from __future__ import annotations

import pytest

from symops_lark.grammar.loading import load_dialect
from symops_lark.repairs import RepairEngine
from symops_lark.repairs.line_repairer import RuleRepairer


def repairer(name: str) -> RuleRepairer:
    return RepairEngine(load_dialect(name)).repairer


@pytest.mark.parametrize(("length", "respelt"), [(20_000, True), (20_001, False)])
def test_a_very_long_line_is_no_markup(length: int, respelt: bool) -> None:
    line = "::Create @".ljust(length, "a")
    found = repairer("v2").candidate(line, "head")
    assert (found is not None) is respelt
    assert repairer("v2").touches(line) is respelt


@pytest.mark.parametrize(("blanks", "respelt"), [(95, True), (96, False)])
def test_the_number_of_an_action_stands_at_its_beginning(blanks: int, respelt: bool) -> None:
    line = " " * blanks + "::7 Create @a.py"  # the blank behind the number is the hundredth character
    assert repairer("v2_numbered").touches("::7 create @a.py")
    found = repairer("v2_numbered").candidate(line, "head")
    assert (found is not None and found.text == "::7 create @a.py") is respelt


@pytest.mark.parametrize(("length", "respelt"), [(100, True), (101, False)])
def test_a_long_line_is_no_action_whose_path_stands_below(length: int, respelt: bool) -> None:
    found = repairer("v2_attributes").candidate("**create**".ljust(length), "head")
    assert (found is not None and found.text == "::create") is respelt


def test_of_many_lines_only_some_are_remembered() -> None:
    """Of so many that a text is read at one go, and not so many that a process that reads texts for days grows."""
    reader = repairer("v2")
    reader._known, reader._spelt = {}, {}
    for number in range(20_000):
        reader.candidate(f"line {number}", "thought")
    assert len(reader._known) == len(reader._spelt) == 20_000
    reader.candidate("one more", "thought")
    assert len(reader._known) == len(reader._spelt) == 1
